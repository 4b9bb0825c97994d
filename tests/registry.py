"""Registries for the tests in Python: that of the demo, and one of sites in a folder."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

# The demo lists more agents.
DEMO_AGENTS = 60
MINUTES = 3


def free_port():
    """A port that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextlib.contextmanager
def demo(agentdex):
    """Runs the demo; gives its address when it is crawled and indexed."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["--demo", "--listen", f"127.0.0.1:{port}", "--rate-limit", "off"]
        with program([agentdex, *arguments], folder) as (process, log):
            wait_for_agents(url, DEMO_AGENTS, process, log)
            yield url


@contextlib.contextmanager
def of_sites(binaries, sites, agents):
    """Crawls the sites in a folder and serves the registry; gives its address when it lists so many agents."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    simweb, agentdex = (os.path.abspath(os.path.join(binaries, it)) for it in ("simweb", "agentdex"))
    with tempfile.TemporaryDirectory() as folder:
        dns = f"127.0.0.1:{free_port()}"
        files = ["--write-seeds", "seeds.txt", "--write-ca", "ca.pem"]
        web = [simweb, "--sites", os.path.abspath(sites), "--dns", dns, *files]
        with program(web, folder) as (process, log):
            wait(lambda: os.path.exists(os.path.join(folder, "ca.pem")), process, log)
            network = ["--nameserver", dns, "--root-ca", "ca.pem", "--allow-address", "127.0.0.0/8"]
            pace = ["--delay", "20", "--address-delay", "0", "--contact", "https://agentdex.example/bot"]
            served = ["--listen", f"127.0.0.1:{port}", "--rate-limit", "off", "--progress", "none"]
            registry = [agentdex, "--seeds", "seeds.txt", *network, *pace, *served]
            with program(registry, folder) as (process, log):
                wait_for_agents(url, agents, process, log)
                yield url


@contextlib.contextmanager
def program(command, folder):
    """Runs a program in a folder; gives its process and its log."""
    log = tempfile.TemporaryFile("w+", encoding="utf8")
    process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
    try:
        yield process, log
    finally:
        process.terminate()
        process.wait()
        log.close()


def wait_for_agents(url, agents, process, log):
    """Waits until so many agents are listed."""

    def are_listed():
        try:
            with urllib.request.urlopen(f"{url}/api/v1/search?limit=1") as answer:
                return json.load(answer)["total"] >= agents
        except OSError:
            return False

    wait(are_listed, process, log)


def wait(is_done, process, log):
    """Waits for a condition while a program runs."""
    end = time.monotonic() + 60 * MINUTES
    while time.monotonic() < end and process.poll() is None:
        if is_done():
            return
        time.sleep(0.5)
    log.seek(0)
    sys.exit(f"the registry was not filled:\n{log.read()[-4000:]}")


def text_of(address):
    """The body of a page, whatever its status."""
    try:
        with urllib.request.urlopen(address) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as answer:
        return answer.read().decode()
