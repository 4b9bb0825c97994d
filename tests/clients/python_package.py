"""Uses the installed package for Python by the code that is written by hand, and runs the example of its
README.

    python_package.py URL VERSION README COMMAND…

COMMAND changes something in the registry.
"""

import contextlib
import http.server
import importlib.metadata
import io
import re
import signal
import socket
import subprocess
import sys
import threading

import httpx
from agentdex import Registry, RegistryError

# The registry of the example.
EXAMPLE = "http://127.0.0.1:8080"
SECONDS_TO_CHANGE = 60
NEED = "book a table for four in Lisbon"


def main():
    url, version, readme, *command = sys.argv[1:]
    assert importlib.metadata.version("agentdex") == version
    registry = Registry(url)
    first = registry.search(NEED, limit=1).results[0]
    assert registry.connect(first.id).example.url
    server = registry.search("", protocol=["mcp"], limit=1).results[0]
    assert registry.connect(server.id).client_config["mcpServers"]
    assert first.id in example(url, readme)
    try_errors(registry)
    try_changes(registry, command)
    print(f"agentdex {version} for Python: the wheel used, the example of its README run")


def example(url, readme):
    """Runs the example, and returns what it prints."""
    with open(readme, encoding="utf8") as file:
        [code] = re.findall("```python\n(.*?)```", file.read(), re.DOTALL)
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code.replace(EXAMPLE, url), readme, "exec"), {})
    return printed.getvalue()


class NoRegistry(http.server.BaseHTTPRequestHandler):
    """A server that answers every request with 501."""

    def log_message(self, *_):
        pass


def try_errors(registry):
    for ask, status, code in [
        (lambda: registry.connect("nothing.example/nothing"), 404, "not_found"),
        (lambda: registry.search(NEED, limit=0), 400, "bad_parameters"),
        (lambda: next(registry.changes("0000000000000000-1")), 410, "changes_gone"),
    ]:
        problem = refused(ask, status).problem
        assert problem.error_code == code and problem.detail, problem
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), NoRegistry) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        registry = Registry(f"http://127.0.0.1:{other.server_port}")
        assert refused(lambda: registry.search(NEED), 501).problem is None
        other.shutdown()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        registry = Registry(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.2)
        try:
            registry.search(NEED)
            raise AssertionError("a silent server answered")
        except httpx.TimeoutException:
            pass


def refused(ask, status):
    """Returns the error of a call."""
    try:
        answer = ask()
    except RegistryError as error:
        assert error.status == status, error
        return error
    raise AssertionError(answer)


def try_changes(registry, command):
    """Reads the log in parts, and waits at its end for a change."""
    seen = list(registry.changes())
    middle = len(seen) // 2
    assert list(registry.changes(seen[middle - 1][0])) == seen[middle:]
    cursor = seen[-1][0]
    assert not list(registry.changes(cursor))
    signal.alarm(SECONDS_TO_CHANGE)
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        _, change = next(registry.changes(cursor, every=0.1))
    signal.alarm(0)
    assert change.op == "remove" and change.seq == seen[-1][1].seq + 1, change


if __name__ == "__main__":
    main()
