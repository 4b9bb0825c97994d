"""Asks the API of a registry of the demo's sites what its own description allows, and what it does not.

    tests/api.py AGENTDEX SCHEMATHESIS

Fails on a server error, an undocumented status, an answer that breaks its schema, and an invalid
request that is accepted. One check of the tool is left out: `positive_data_acceptance` takes each
text that fits its schema for acceptable, but a domain that no site can have, a forged cursor and a
manifest that no format can be made of are answered with 400 and 422. One address is left out as well:
`/api/v1/changes/stream` is an event stream, which goes on for as long as its client listens.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

# The demo lists more agents.
AGENTS = 60
MINUTES_TO_CRAWL = 3
# Cases that the run must reach, and those generated for each operation at most.
MIN_CASES = 2_000
MAX_EXAMPLES = 250


def main():
    agentdex, schemathesis = sys.argv[1:]
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        log = open(os.path.join(folder, "log"), "w+", encoding="utf8")
        arguments = ["--demo", "--listen", f"127.0.0.1:{port}", "--rate-limit", "off"]
        server = subprocess.Popen([agentdex, *arguments], stdout=log, stderr=log)
        try:
            wait_for_agents(url, server, log)
            return judge(os.path.abspath(schemathesis), url, folder)
        finally:
            server.terminate()
            server.wait()


def free_port():
    """A port that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for_agents(url, server, log):
    """Waits until the demo is crawled and indexed."""
    end = time.monotonic() + 60 * MINUTES_TO_CRAWL
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/api/v1/search?limit=1") as answer:
                if json.load(answer)["total"] >= AGENTS:
                    return
        except OSError:
            pass
        time.sleep(1)
    log.seek(0)
    sys.exit(f"the demo was not crawled:\n{log.read()[-4000:]}")


def judge(schemathesis, url, folder):
    """Runs the tool in a folder, where it keeps notes; the status is its own, unless it generated too few cases."""
    arguments = ["run", f"{url}/openapi.json", "--url", url, "--no-color"]
    arguments += ["--checks", "all", "--exclude-checks", "positive_data_acceptance"]
    arguments += ["--exclude-path", "/api/v1/changes/stream"]
    # With more workers, the tool's own cache of syntax trees fails now and then.
    arguments += ["--phases", "examples,coverage,fuzzing", "--workers", "1"]
    arguments += ["--max-examples", str(MAX_EXAMPLES), "--generation-deterministic"]
    ran = subprocess.run([schemathesis, *arguments], capture_output=True, text=True, cwd=folder)
    print("\n".join(line[:400] for line in ran.stdout.splitlines()))
    print(ran.stderr[-4000:], file=sys.stderr)
    cases = re.search(r"([\d,]+) generated", ran.stdout)
    count = int(cases[1].replace(",", "")) if cases else 0
    if ran.returncode == 0 and count < MIN_CASES:
        print(f"only {count} cases were generated, not {MIN_CASES}", file=sys.stderr)
        return 1
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
