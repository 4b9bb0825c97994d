"""Lighthouse over the demo, as a phone: the median of three runs for the main pages.

    tests/lighthouse.py BINARIES

It is no part of the gate: its figures depend on the machine. It installs Lighthouse below
target/tools with npm, and needs Node 18.16 or newer and chromium.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

from registry_of_demo import registry

LIGHTHOUSE = "12.8.2"
RUNS = 3
PAGES = {
    "home": "/",
    # Search engines are to leave out the results of other needs.
    "results": "/search?category=food",
    "agent": None,  # The first result.
    "site": None,  # The site of it.
    "browse": "/browse",
    "stats": "/stats",
    "docs": "/docs/search",
    "validate": "/validate",
}
# What each category must reach.
WANTED = {"accessibility": 100, "best-practices": 100, "seo": 100, "performance": 100}
CHROME = " ".join(
    (
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        # The browser calls its maker otherwise.
        "'--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'",
    )
)


def installed():
    """The program, which is installed once."""
    place = os.path.join("target", "tools", f"lighthouse-{LIGHTHOUSE}")
    program = os.path.join(place, "node_modules", ".bin", "lighthouse")
    if not os.path.exists(program):
        npm = ["npm", "install", "--prefix", place, "--silent", "--no-audit", "--no-fund"]
        subprocess.run([*npm, f"lighthouse@{LIGHTHOUSE}"], check=True, stdout=sys.stderr)
    return os.path.abspath(program)


def report(program, address):
    """Runs Lighthouse once; gives its report."""
    command = [program, address, "--output=json", "--quiet", f"--chrome-flags={CHROME}"]
    # It refuses fields that RFC 9309, section 2.2.4, permits; those of a registry name its manifests.
    command.append("--skip-audits=robots-txt")
    command.append("--only-categories=" + ",".join(WANTED))
    environment = os.environ | {"CHROME_PATH": "/usr/bin/chromium"}
    ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    if ran.returncode != 0:
        sys.exit(f"Lighthouse failed on {address}:\n{ran.stderr[-4000:]}")
    return json.loads(ran.stdout)


def shortfalls(found):
    """The audits of a report that cost points, with their titles."""
    for name in WANTED:
        for part in found["categories"][name]["auditRefs"]:
            audit = found["audits"][part["id"]]
            if part["weight"] and audit["score"] is not None and audit["score"] < 0.9:
                yield f"{name}: {audit['title']} {audit.get('displayValue', '')}".rstrip()


def first_result(url):
    """Paths of the first result's agent and site."""
    command = ["curl", "-sS", "--fail", f"{url}/api/v1/search?q=book+a+table&limit=1"]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    agent = answer["results"][0]["id"]
    return f"/agent/{agent}", f"/site/{agent.split('/')[0]}"


def main():
    agentdex = os.path.abspath(os.path.join(sys.argv[1], "agentdex"))
    program = installed()
    is_short = False
    limits = ["--rate-limit", "off", "--admin-listen", "off"]
    with tempfile.TemporaryDirectory() as folder, registry(agentdex, folder, *limits) as url:
        pages = dict(PAGES)
        pages["agent"], pages["site"] = first_result(url)
        print(f"{'page':10}" + "".join(f"{name:>16}" for name in WANTED))
        for name, path in pages.items():
            reports = [report(program, url + path) for _ in range(RUNS)]
            scores = {
                category: statistics.median(round(100 * it["categories"][category]["score"]) for it in reports)
                for category in WANTED
            }
            print(f"{name:10}" + "".join(f"{score:16}" for score in scores.values()), flush=True)
            if any(scores[category] < least for category, least in WANTED.items()):
                is_short = True
                for line in sorted(set(shortfalls(reports[-1]))):
                    print(f"    {line}")
    return 1 if is_short else 0


if __name__ == "__main__":
    sys.exit(main())
