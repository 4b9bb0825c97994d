"""A registry of the demo's sites, on a free port of this machine."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

# The demo lists more agents.
AGENTS = 60
MINUTES_TO_CRAWL = 3


@contextlib.contextmanager
def registry(agentdex, folder, *arguments):
    """Runs a registry with further arguments, crawled and indexed, and gives its address."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with open(os.path.join(folder, "log"), "w+", encoding="utf8") as log:
        command = [agentdex, "--demo", "--listen", f"127.0.0.1:{port}", *arguments]
        server = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            wait_for_agents(url, server, log)
            yield url
        finally:
            server.terminate()
            server.wait()


def free_port():
    """A port that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for_agents(url, server, log, agents=AGENTS):
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
