"""A registry of the demo's sites, on a free port of this machine.

With AGENTDEX_TEST_DEMO=postgres, its database is one of the server that AGENTDEX_TEST_POSTGRES names.
"""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request

TABLE = os.path.join(os.path.dirname(__file__), "../seeds/demo/expected.tsv")
MINUTES_TO_CRAWL = 3


@contextlib.contextmanager
def registry(agentdex, folder, *arguments):
    """Runs a registry with further arguments, crawled and indexed, and gives its address."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with open(os.path.join(folder, "log"), "w+", encoding="utf8") as log, database(f"demo_{port}") as place:
        command = [agentdex, "--demo", "--listen", f"127.0.0.1:{port}", *place, *arguments]
        server = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            wait_for_agents(url, server, log)
            yield url
        finally:
            server.terminate()
            server.wait()


@contextlib.contextmanager
def database(name):
    """Gives the arguments that name the database of a registry, which exists for as long."""
    if os.environ.get("AGENTDEX_TEST_DEMO") != "postgres":
        yield []
        return
    server = os.environ["AGENTDEX_TEST_POSTGRES"]

    def execute(statement):
        subprocess.run(["psql", "--quiet", "--dbname", server, "--command", statement], check=True)

    execute(f"CREATE DATABASE {name} TEMPLATE template0")
    try:
        yield ["--database", f"{server.rpartition('/')[0]}/{name}"]
    finally:
        execute(f"DROP DATABASE {name} WITH (FORCE)")


def web_of_demo(folder):
    """Gives the certificate of the demo's authority, and its port of https, of the registry whose log is
    in a folder."""
    port = re.search(r"on https port (\d+)", log_of(folder))[1]
    return os.path.join(curl_home_of_demo(folder), "ca.pem"), int(port)


def curl_home_of_demo(folder):
    """Gives the folder with which curl reaches the demo's sites, as the demo's log in a folder names it."""
    return re.search(r"export CURL_HOME='(.+)'", log_of(folder))[1]


def log_of(folder):
    """Gives what the registry has logged in a folder."""
    with open(os.path.join(folder, "log"), encoding="utf8") as log:
        return log.read()


def free_port():
    """A port that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def agents_of_demo():
    """Gives the ids of the agents that the demo lists."""
    with open(TABLE, encoding="utf8") as table:
        rows = [line.split("\t") for line in table.read().splitlines()[1:]]
    return [agent for row in rows for agent in row[2].split()]


def wait_for_agents(url, server, log, agents=len(agents_of_demo())):
    """Waits until so many agents are listed."""
    end = time.monotonic() + 60 * MINUTES_TO_CRAWL
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/api/v1/search?limit=1") as answer:
                if json.load(answer)["total"] >= agents:
                    return
        except OSError:
            pass
        time.sleep(1)
    log.seek(0)
    sys.exit(f"the sites were not crawled:\n{log.read()[-4000:]}")
