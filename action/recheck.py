#!/usr/bin/env python3
"""Has a registry visit a site again after a deploy, and fails if the listing has lost something.

    recheck.py save FILE      before the deploy: stores what the registry lists
    recheck.py check          after it: asks for a visit, waits for its result, and compares

An endpoint, a capability or a way to authenticate that was listed before and is listed no more is lost. The
listing of before is that of --before, or else that of the moment at which the visit is asked for.

Exit codes: 0 if nothing is lost, 1 if something is, 2 if the listings could not be compared. Needs nothing
but Python 3.9.
"""

import argparse
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timezone

# Seconds between two looks at the state of a visit.
PAUSE = 3
# Longest time for one answer of the registry, in seconds.
TIMEOUT = 30
# Most bytes that are read of an answer.
MAX_BYTES = 32 * 1024 * 1024
# Most agents in one request.
BATCH = 100
# Kinds of facts, in the order in which they are shown.
KINDS = ("agent", "endpoint", "capability", "authentication")


class Failed(Exception):
    """A reason why the listings cannot be compared."""


class Refused(Exception):
    """An answer of the registry that is an error, with its problem document."""

    def __init__(self, status, problem):
        super().__init__(problem.get("detail") or problem.get("title") or f"status {status}")
        self.status = status
        self.problem = problem


class Registry:
    """The API of a registry."""

    def __init__(self, url, token=None):
        self.url = url.rstrip("/")
        self.token = token

    def get(self, path):
        return self.request("GET", path)

    def request(self, method, path):
        headers = {"Accept": "application/json", "User-Agent": "agentdex-recheck"}
        if method == "POST" and self.token:
            headers["Owner-Token"] = self.token
        request = urllib.request.Request(self.url + path, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                return parsed(answer)
        except urllib.error.HTTPError as error:
            with error:
                raise Refused(error.code, parsed(error)) from None
        except OSError as error:
            raise Failed(f"{self.url} cannot be reached: {error}") from None

    def listing(self, domain):
        """Returns the facts that are listed of a domain, by agent; none if it is not known."""
        try:
            site = self.get(f"/api/v1/sites/{quoted(domain)}")
        except Refused as refused:
            if refused.status in (404, 410):
                return {}
            raise
        ids = [agent["id"] for agent in site["agents"]]
        facts = {}
        for start in range(0, len(ids), BATCH):
            wanted = [("id", it) for it in ids[start : start + BATCH]] + [("include", "agent")]
            found = self.get(f"/api/v1/agents?{urllib.parse.urlencode(wanted)}")
            for agent in found["agents"]:
                facts[agent["id"]] = facts_of(agent.get("agent", agent))
        return facts

    def visited(self, domain, deadline):
        """Asks for a visit and returns its state once the documents are read."""
        state = self.asked(domain, deadline)
        path = state["links"]["submission"]
        while True:
            if state["state"] == "refused":
                raise Failed(f"the visit was refused: {state.get('detail')}")
            if state["state"] == "visited" and state.get("after"):
                return state
            if state.get("no_crawler_since"):
                raise Failed(f"the registry has had no crawler since {state['no_crawler_since']}")
            wait(PAUSE, deadline, f"the visit is {state['state']}")
            state = self.get(path)

    def asked(self, domain, deadline):
        """Asks for a visit, again when the registry says that it is too early."""
        while True:
            try:
                return self.request("POST", f"/api/v1/sites/{quoted(domain)}/recheck")
            except Refused as refused:
                if refused.status == 404:
                    message = f"{domain} is not listed yet: submit it at {self.url}/submit"
                    raise Failed(message) from None
                after = refused.problem.get("next_allowed")
                if refused.status != 429 or after is None:
                    raise
                print(f"{refused}", flush=True)
                wait(seconds_until(after), deadline, f"the next visit is allowed at {after}")


def parsed(answer):
    text = answer.read(MAX_BYTES)
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Failed(f"{answer.url} answers with something else than JSON")
    return value


def quoted(text):
    return urllib.parse.quote(text, safe="")


def seconds_until(moment):
    at = datetime.fromisoformat(moment.replace("Z", "+00:00"))
    return max(1, (at - datetime.now(timezone.utc)).total_seconds() + 1)


def wait(seconds, deadline, reason):
    """Waits, unless that takes longer than the caller wants."""
    if time.monotonic() + seconds > deadline:
        raise Failed(f"{reason}, which is later than --wait permits")
    time.sleep(seconds)


def facts_of(agent):
    """Returns the facts of an agent whose loss a caller would notice."""
    endpoints = {f"{it['protocol']} {it['url']}" for it in agent.get("interfaces", [])}
    endpoints |= {it["command"] for it in agent.get("programs", []) if it.get("command")}
    capabilities = agent.get("capabilities", [])
    endpoints |= {call_of(it) for it in capabilities if it.get("url")}
    ways = [[it["scheme"], it.get("in"), it.get("name")] for it in agent.get("auth", [])]
    return {
        "endpoint": sorted(endpoints),
        "capability": {it["id"]: call_of(it) for it in capabilities},
        "authentication": sorted({" ".join(filter(None, way)) for way in ways}),
    }


def call_of(capability):
    """Returns the method and the address of a capability; empty if it has no address of its own."""
    url = capability.get("url")
    return f"{capability.get('method') or 'GET'} {url}" if url else ""


def difference(before, after):
    """Returns what is in one listing and not in the other, as lines: lost, and added."""
    return missing(before, after), missing(after, before)


def missing(of, others):
    lines = []
    for agent, facts in sorted(of.items()):
        known = others.get(agent)
        if known is None:
            lines.append(("agent", agent, agent))
            continue
        for kind in KINDS[1:]:
            lost = set(facts[kind]) - set(known[kind])
            if kind == "capability":
                # Under another name at the same address, it is called as before.
                kept = {call for call in known[kind].values() if call}
                lost = {it for it in lost if facts[kind][it] not in kept}
            lines += [(kind, agent, fact) for fact in sorted(lost)]
    return sorted(lines, key=lambda it: (it[1], KINDS.index(it[0]), it[2]))


def shown(line):
    kind, agent, fact = line
    return f"agent {agent}" if kind == "agent" else f"{kind} of {agent}: {fact}"


def report(domain, state, lost, added):
    """Prints the result; a workflow on GitHub gets it as annotations and as a summary too."""
    lines = [f"{domain}: {state['outcome']}, {len(lost)} lost, {len(added)} added"]
    lines += [f"- lost: {shown(it)}" for it in lost]
    lines += [f"- added: {shown(it)}" for it in added]
    print("\n".join(lines))
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in lost:
            print(f"::error title=Lost from the listing::{escaped(shown(line))}")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with open(summary, "a", encoding="utf8") as file:
            file.write("\n".join(["", *lines, ""]))


def escaped(text):
    """Escapes the message of a command of a workflow."""
    for sign, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
        text = text.replace(sign, code)
    return text


def save(options):
    listing = Registry(options.registry).listing(options.domain)
    with open(options.file, "w", encoding="utf8") as file:
        json.dump(listing, file, indent=1)
    print(f"{options.domain}: {len(listing)} agents in {options.file}")
    return 0


def read(path):
    """Returns a listing that `save` has written."""
    with open(path, encoding="utf8") as file:
        try:
            listing = json.load(file)
            return {
                agent: {
                    "endpoint": list(facts["endpoint"]),
                    "capability": dict(facts["capability"]),
                    "authentication": list(facts["authentication"]),
                }
                for agent, facts in listing.items()
            }
        except (AttributeError, KeyError, TypeError, ValueError):
            raise Failed(f"{path} is no file that save has written") from None


def check(options):
    deadline = time.monotonic() + options.wait * 60
    registry = Registry(options.registry, os.environ.get("AGENTDEX_OWNER_TOKEN"))
    before = read(options.before) if options.before else registry.listing(options.domain)
    state = registry.visited(options.domain, deadline)
    lost, added = difference(before, registry.listing(options.domain))
    report(options.domain, state, lost, added)
    return 1 if lost else 0


def options_of(arguments):
    about = (__doc__ or "").split("\n\n", maxsplit=1)[0]
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--registry", required=True, metavar="URL", help="address of the registry")
    parser.add_argument("--domain", required=True, help="domain of the site")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    of_save = commands.add_parser("save", help="store what is listed, before a deploy")
    of_save.add_argument("file", metavar="FILE", help="file to write")
    of_check = commands.add_parser(
        "check",
        help="have the site visited, after a deploy, and compare",
        epilog="The token of a proved domain, which shortens the waits between visits, is read from the"
        " environment: AGENTDEX_OWNER_TOKEN.",
    )
    of_check.add_argument("--before", metavar="FILE", help="what was listed before, written by save")
    of_check.add_argument(
        "--wait", type=float, default=15, metavar="MINUTES", help="longest wait for the visit [15]"
    )
    return parser.parse_args(arguments)


def main(arguments):
    options = options_of(arguments)
    try:
        return save(options) if options.command == "save" else check(options)
    except Refused as refused:
        print(f"the registry refuses ({refused.status}): {refused}", file=sys.stderr)
    except (Failed, OSError) as failed:
        print(failed, file=sys.stderr)
    except (KeyError, TypeError, ValueError) as unexpected:
        print(f"an answer of the registry is not as expected: {unexpected!r}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
