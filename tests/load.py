"""Measures the server: the first byte of pages for one client, mixed traffic over 64 connections, and
searches with full answers against 304.

    tests/load.py [--agents N] [--seconds S] [--profile PROFILE]

Fills a registry with generated agents (crates/search/benches/scale), starts `web` without its rate limit,
and sends requests. docs/scale.md explains the tables. Needs Rust and Linux, and installs `oha` below
target/.
"""

import argparse
import collections
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

OHA = "1.16.0"
CONNECTIONS = 64
# Requests of each kind, of a hundred.
SHARES = {
    "search": 20,
    "search with facets": 10,
    "results": 10,
    "suggest": 20,
    "agent": 20,
    "site": 10,
    "home page": 10,
}
# Addresses that the load generator chooses from.
MIXED = 200_000
# Pages that one client asks for, and how many of each.
PAGES = ["home page", "results", "agent", "site"]
ALONE_ASKED = 2_000
# Parts of the time for the mixed traffic that each search alone gets.
ALONE = 5
MINUTE = 60
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
        """Returns the resident memory in MB."""
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

    queries, agents = lines("queries"), lines("agents")
    searches = [f"{url}/api/v1/search?q={query}" for query in queries]
    of = {
        "search": searches,
        "search with facets": [f"{it}&facets=format,protocol,auth" for it in searches],
        "results": [f"{url}/search?q={query}" for query in queries],
        "suggest": [f"{url}/api/v1/suggest?q={start}" for start in lines("beginnings")],
        "agent": [f"{url}/agent/{agent}" for agent in agents],
        "site": [f"{url}/site/{agent.split('/')[0]}" for agent in agents],
        "home page": [f"{url}/"],
        # So many that hardly any is asked for twice, and none answered from memory.
        "new search": [f"{it}&per_site={limit}" for limit in range(2, 52) for it in searches],
    }
    for urls in of.values():
        # The first of each must answer, so that nothing but errors is never measured.
        urllib.request.urlopen(urls[0]).close()
    return of


def mixed(of):
    """Addresses of all kinds by their shares. In each kind, the second is asked for half as often as
    the first, the third a third as often, and so on (Zipf's law), as queries of search engines are."""
    chance = random.Random(1)
    urls = []
    for kind, share in SHARES.items():
        some = chance.sample(of[kind], len(of[kind]))
        weights = [1 / rank for rank in range(1, len(some) + 1)]
        urls += chance.choices(some, weights, k=MIXED * share // 100)
    return urls


def measure(oha, server, of, seconds):
    """Prints the tables."""
    print(f"\n{ALONE_ASKED} requests by one client, time to the first byte\n")
    print("| | p50 | p99 |\n|---|---|---|")
    for page in PAGES:
        first = Traffic(oha, of[page], 1, ["-n", str(ALONE_ASKED)]).summary()["firstBytePercentiles"]
        print(f"| {page} | {milliseconds(first['p50'])} | {milliseconds(first['p99'])} |")
    for_time = ["-z", f"{seconds}s", "--wait-ongoing-requests-after-deadline"]
    traffic = Traffic(oha, mixed(of), CONNECTIONS, for_time)
    started, memory = time.monotonic(), {0: server.memory()}
    for end in [*range(MINUTE, seconds, MINUTE), seconds]:
        time.sleep(max(0, started + end - time.monotonic()))
        memory[end] = server.memory()
    answers = traffic.answers()
    print(f"\n{os.cpu_count()} cores, load generator included; {seconds} s over {CONNECTIONS} connections\n")
    print("| | requests/s | p50 | p99 |\n|---|---|---|---|")
    kinds = {address: kind for kind in SHARES for address in map(path, of[kind])}
    for kind in SHARES:
        row(kind, [it for it in answers if kinds[it.path] == kind], seconds)
    row("all", answers, seconds)
    print(f"\n| resident memory: {memory.pop(0)} MB | requests/s | p50 | p99 |\n|---|---|---|---|")
    start = 0
    for end, megabytes in memory.items():
        row(f"until {end} s: {megabytes} MB", [it for it in answers if start <= it.start < end], end - start)
        start = end
    alone = ["-z", f"{max(1, seconds // ALONE)}s", "--wait-ongoing-requests-after-deadline"]
    full = Traffic(oha, of["new search"], CONNECTIONS, alone).rate("200")
    same = Traffic(oha, of["new search"], CONNECTIONS, alone, ["-H", ANY_TAG]).rate("304")
    print(f"\nsearches alone: {full:,.0f} full answers a second, {same:,.0f} of 304 ({same / full:.1f} times)")


# One answer: the path and query that was asked for, the time since the start, and that until its end.
Answer = collections.namedtuple("Answer", "path start duration")


class Traffic:
    """Requests to some addresses, chosen at random."""

    def __init__(self, oha, urls, connections, until, more=()):
        self.folder = tempfile.TemporaryDirectory(dir="target")
        file = f"{self.folder.name}/urls"
        with open(file, "w", encoding="utf8") as out:
            out.write("\n".join(urls))
        self.answered = f"{self.folder.name}/answers.db"
        command = [oha, "--no-tui", "--output-format", "json", *until, *more, "-c", str(connections)]
        command += ["--db-url", self.answered, "--urls-from-file", file]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def summary(self, expected="200"):
        """Waits for its end, and returns the summary of the load generator; every answer must have the
        expected status."""
        output, _ = self.process.communicate()
        if self.process.returncode != 0:
            sys.exit(f"{self.process.args[0]} failed")
        found = json.loads(output)
        statuses = found["statusCodeDistribution"]
        errors = {status: count for status, count in statuses.items() if status != expected}
        errors.update(found["errorDistribution"])
        if errors:
            sys.exit(f"some requests failed: {errors}")
        return found

    def rate(self, expected):
        """Returns the answers per second."""
        return self.summary(expected)["summary"]["requestsPerSec"]

    def answers(self):
        """Returns each answer."""
        self.summary()
        with sqlite3.connect(self.answered) as answered:
            rows = answered.execute("SELECT url, start, duration FROM oha").fetchall()
        return [Answer(path(url), start, duration) for url, start, duration in rows]


def path(url):
    """The path and query of an address."""
    return re.sub(r"^https?://[^/]+", "", url)


def milliseconds(seconds):
    return f"{1000 * seconds:.1f} ms"


def row(name, answers, seconds):
    """Prints the rate and the times of some answers."""
    durations = sorted(it.duration for it in answers)
    times = " | ".join(milliseconds(durations[int(len(durations) * it)]) for it in [0.5, 0.99])
    print(f"| {name} | {len(durations) / seconds:,.0f} | {times} |")


if __name__ == "__main__":
    main()
