"""A registry of the sites in a folder, on a free port of this machine."""

import contextlib
import os
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from registry_of_demo import free_port, wait_for_agents

SECONDS_TO_START = 30


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
        with program(web, folder) as (process, _):
            wait_for_file(os.path.join(folder, "ca.pem"), process)
            network = ["--nameserver", dns, "--root-ca", "ca.pem", "--allow-address", "127.0.0.0/8"]
            pace = ["--delay", "20", "--address-delay", "0", "--contact", "https://agentdex.example/bot"]
            served = ["--listen", f"127.0.0.1:{port}", "--rate-limit", "off", "--admin-listen", "off"]
            registry = [agentdex, "--seeds", "seeds.txt", *network, *pace, *served]
            with program(registry, folder) as (process, log):
                wait_for_agents(url, process, log, agents)
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


def wait_for_file(path, process):
    """Waits until a program has written a file."""
    end = time.monotonic() + SECONDS_TO_START
    while not os.path.exists(path) and time.monotonic() < end and process.poll() is None:
        time.sleep(0.1)


def text_of(address):
    """The body of a page, whatever its status."""
    try:
        with urllib.request.urlopen(address) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as answer:
        return answer.read().decode()
