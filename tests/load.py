"""Measures the server: the first byte of pages for one client, mixed traffic of many, and searches
with full answers against 304.

    tests/load.py [--agents N] [--seconds S] [--profile PROFILE]

Fills a registry with generated agents (indexer/benches/scale), starts `web` without its rate limit,
and sends requests over 64 connections that stay open. docs/scale.md explains the tables. Needs Rust
and Linux, and installs `oha` below target/.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

OHA = "1.16.0"
# What any server under test is asked for, with the connections of each kind: 64 in all.
CONNECTIONS = {
    "search": 16,
    "search with facets": 12,
    "agent": 12,
    "site": 8,
    "suggest": 8,
    "home page": 4,
    "conditional search": 4,
}
# Pages that one client asks for, and how many of each.
PAGES = ["home page", "results", "agent", "site"]
ALONE_ASKED = 2_000
# Parts of the time for the mixed traffic that each search alone gets.
ALONE = 5
# Tag that every answer has (RFC 9110, section 13.1.2).
ANY_TAG = "If-None-Match: *"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agents", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--profile", default="release", help="profile of Cargo")
    options = parser.parse_args()
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    oha = installed()
    binaries = built(options.profile)
    with tempfile.TemporaryDirectory(dir="target") as folder:
        folder = os.path.abspath(folder)
        fill(folder, binaries, options)
        with Server(binaries, folder) as server:
            measure(oha, server, addresses(server.url, folder), options.seconds)


def installed():
    """The load generator, installed if it is missing."""
    root = f"target/tools/oha-{OHA}"
    if not os.path.exists(f"{root}/bin/oha"):
        run("cargo", "install", "oha", "--version", OHA, "--locked", "--root", root)
    return os.path.abspath(f"{root}/bin/oha")


def built(profile):
    """The folder of our programs."""
    run("cargo", "build", "--workspace", "--bins", "--locked", "--profile", profile)
    return os.path.abspath(f"target/{'debug' if profile == 'dev' else profile}")


def fill(folder, binaries, options):
    """Fills a database and indexes it."""
    bench = ["cargo", "bench", "--workspace", "--bench", "scale", "--locked", "--profile", options.profile, "--"]
    run(*bench, "--registry", folder, "--agents", str(options.agents))
    run(f"{binaries}/indexer", *places(folder))


def places(folder):
    return ["--database", f"sqlite:{folder}/agentdex.db", "--index", f"{folder}/index"]


def run(*command):
    subprocess.run(command, check=True)


class Server:
    """A running `web`."""

    def __init__(self, binaries, folder):
        self.log = open(f"{folder}/log", "w+", encoding="utf8")
        command = [f"{binaries}/web", *places(folder), "--listen", "127.0.0.1:0", "--rate-limit", "off"]
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log)
        self.url = self.address()

    def address(self):
        """The address in its log."""
        end = time.monotonic() + 30
        while time.monotonic() < end and self.process.poll() is None:
            found = re.search(r"registry is at (http://[0-9.:]+)", self.text())
            if found:
                return found[1]
            time.sleep(0.1)
        sys.exit(f"the server did not start:\n{self.text()[-4000:]}")

    def text(self):
        self.log.seek(0)
        return self.log.read()

    def memory(self):
        """Resident memory in MB."""
        with open(f"/proc/{self.process.pid}/status", encoding="utf8") as status:
            kibibytes = re.search(r"VmRSS:\s+(\d+) kB", status.read())
        return round(int(kibibytes[1]) * 1024 / 1e6)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def addresses(url, folder):
    """The addresses of each kind of request."""

    def lines(name):
        with open(f"{folder}/{name}.txt", encoding="utf8") as file:
            return [urllib.parse.quote(line) for line in file.read().splitlines() if line]

    searches = [f"{url}/api/v1/search?q={query}" for query in lines("queries")]
    of = {
        "search": searches,
        "search with facets": [f"{it}&facets=format,protocol,auth" for it in searches],
        "agent": [f"{url}/agent/{agent}" for agent in lines("agents")],
        "site": [f"{url}/site/{agent.split('/')[0]}" for agent in lines("agents")],
        "suggest": [f"{url}/api/v1/suggest?q={start}" for start in lines("beginnings")],
        "home page": [f"{url}/"],
        "results": [f"{url}/search?q={query}" for query in lines("queries")],
        "conditional search": searches,
        # So many that hardly any is asked for twice, and none answered from memory.
        "new search": [f"{it}&per_site={limit}" for limit in range(2, 52) for it in searches],
    }
    files = {}
    for kind, urls in of.items():
        # The first of each must answer, so that nothing but errors is never measured.
        urllib.request.urlopen(urls[0]).close()
        files[kind] = f"{folder}/{kind}.urls"
        with open(files[kind], "w", encoding="utf8") as file:
            file.write("\n".join(urls))
    return files


def measure(oha, server, files, seconds):
    """Prints the tables."""
    print(f"\n{ALONE_ASKED} requests by one client, time to the first byte\n")
    print("| | p50 | p99 |\n|---|---|---|")
    for page in PAGES:
        row = Traffic(oha, files[page], 1, ["-n", str(ALONE_ASKED)]).result()
        print(f"| {page} | {milliseconds(row['first_p50'])} | {milliseconds(row['first_p99'])} |")
    started, memory = time.monotonic(), [("start", server.memory())]
    for_time = ["-z", f"{seconds}s", "--wait-ongoing-requests-after-deadline"]
    traffic = {kind: Traffic(oha, files[kind], connections, for_time, kind == "conditional search")
               for kind, connections in CONNECTIONS.items()}
    for minute in range(1, seconds // 60 + 1):
        time.sleep(max(0, started + 60 * minute - time.monotonic()))
        memory.append((f"{minute} min", server.memory()))
    rows = {kind: one.result() for kind, one in traffic.items()}
    memory.append(("end", server.memory()))
    print(f"\n{os.cpu_count()} cores, load generator included; {seconds} s over {sum(CONNECTIONS.values())} connections\n")
    table(rows)
    print("\nresident memory: " + ", ".join(f"{when} {megabytes} MB" for when, megabytes in memory) + "\n")
    most = sum(CONNECTIONS.values())
    for_time = ["-z", f"{max(1, seconds // ALONE)}s", "--wait-ongoing-requests-after-deadline"]
    alone = {
        name: Traffic(oha, files["new search"], most, for_time, is_conditional).result()
        for name, is_conditional in [("search alone, full answers", False), ("search alone, 304", True)]
    }
    table(alone)
    full, same = (row["rate"] for row in alone.values())
    print(f"\nanswers 304 at {same / full:.1f} times the rate of full ones")
    if any(row["errors"] for row in [*rows.values(), *alone.values()]):
        sys.exit("some requests failed")


class Traffic:
    """Requests of one kind by a load generator of their own, which runs beside the others."""

    def __init__(self, oha, file, connections, until, is_conditional=False):
        command = [oha, "--no-tui", "--output-format", "json", *until, "-c", str(connections)]
        command += ["--urls-from-file"]
        command += ["-H", ANY_TAG] if is_conditional else []
        self.expected = "304" if is_conditional else "200"
        self.process = subprocess.Popen([*command, file], stdout=subprocess.PIPE, text=True)
        # Read while it runs, so that it never waits for us.
        self.output = None
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        self.output, _ = self.process.communicate()

    def result(self):
        """Requests per second, times and errors."""
        self.reader.join()
        if self.process.returncode != 0:
            sys.exit(f"{self.process.args[0]} failed")
        found = json.loads(self.output)
        statuses = found["statusCodeDistribution"]
        errors = {status: count for status, count in statuses.items() if status != self.expected}
        return {
            "rate": found["summary"]["requestsPerSec"],
            "p50": found["latencyPercentiles"]["p50"],
            "p99": found["latencyPercentiles"]["p99"],
            "first_p50": found["firstBytePercentiles"]["p50"],
            "first_p99": found["firstBytePercentiles"]["p99"],
            "errors": {**errors, **found["errorDistribution"]},
        }


def milliseconds(seconds):
    return f"{1000 * (seconds or 0):.1f} ms"


def table(rows):
    print("| | requests/s | p50 | p99 | errors |\n|---|---|---|---|---|")
    for name, row in rows.items():
        times = " | ".join(milliseconds(row[it]) for it in ["p50", "p99"])
        errors = ", ".join(f"{count} × {what}" for what, count in row["errors"].items())
        print(f"| {name} | {row['rate']:,.0f} | {times} | {errors or 0} |")
    if len(rows) > 2:
        print(f"| all | {sum(row['rate'] for row in rows.values()):,.0f} | | | |")


if __name__ == "__main__":
    main()
