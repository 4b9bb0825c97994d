"""A client of Agentic Resource Discovery: it asks what a test of conformance asks, and lets a validator by
others judge every answer with entries."""

import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

NAME = re.compile(r"urn:air:[A-Za-z0-9.-]+(:[A-Za-z0-9._-]+)+")
LONGEST_WAIT = 30
A2A = "application/a2a-agent-card+json"
MCP = "application/mcp-server-card+json"
# Media types of the discovery of agents (ARD 0.91).
TYPES = {
    A2A,
    MCP,
    "application/agent-card+json",
    "application/ai-catalog+json",
    "application/agent-skills+zip",
    "application/agent-skills+gzip",
    "application/ai-registry",
    "application/ai-registry+json",
}


def try_ard(url, folder, validator):
    """Asks a registry everything that a client of ARD may ask, and gives the number of entries that the
    validator accepted."""
    base = f"{url}/ard"
    for place in ["ard.json", "ai-catalog.json"]:
        for entry in ask(f"{url}/.well-known/{place}")["entries"]:
            check_entry(entry)
            assert entry["type"] in TYPES, entry
            # A registry of ARD indexes no entry without questions.
            assert place != "ard.json" or 2 <= len(entry["representativeQueries"]) <= 5, entry
    listed = list(all_entries(base))
    for entry in listed:
        check_entry(entry)
        # A name finds its entry, whichever signs of it are encoded.
        name = entry["identifier"]
        for quoted in [urllib.parse.quote(name, safe=""), name]:
            found = ask(f"{base}/agents/{quoted}")
            assert found["identifier"] == name, (name, found)
            assert not {"score", "source"} & set(found), found
    checked = 0
    for kind, need in [(A2A, "book a table"), (MCP, "translate a manual")]:
        query = {"text": need, "filter": {"type": [kind]}}
        answer = ask(f"{base}/search", {"query": query, "federation": "none", "pageSize": 100})
        for entry in answer["results"]:
            check_entry(entry)
            assert entry["type"] == kind, entry
            assert type(entry["score"]) is int and 0 <= entry["score"] <= 100, entry
            assert entry["source"], entry
        assert len(answer["results"]) >= 1, answer
        judge(answer, folder, validator)
        checked += len(answer["results"])
    facets = ask(f"{base}/explore", {"query": {"text": "table"}, "resultType": {"facets": [{"field": "type"}]}})
    assert facets["resultType"] == "facets" and facets["facets"]["type"], facets
    for name, status, code in [
        ("urn:air:nothing.invalid:agent:nothing", 404, "NOT_FOUND"),
        ("table", 400, "INVALID_ARGUMENT"),
    ]:
        refused = ask(f"{base}/agents/{urllib.parse.quote(name, safe='')}", refusal=status)
        assert refused["errorCode"] == code and refused["message"], refused
    return checked


def all_entries(base):
    """Gives all entries of a registry, page by page."""
    token = None
    while True:
        page = {"pageSize": 50} | ({"pageToken": token} if token else {})
        answer = ask(f"{base}/agents?{urllib.parse.urlencode(page)}")
        yield from answer["items"]
        token = answer.get("pageToken")
        if token is None:
            return


def check_entry(entry):
    """Fails if an entry lacks what each needs."""
    assert NAME.fullmatch(entry["identifier"]), entry
    assert entry["displayName"] and entry["type"], entry
    assert ("url" in entry) != ("data" in entry), entry
    if "url" in entry:
        assert urllib.parse.urlsplit(entry["url"]).scheme in ("http", "https"), entry
    else:
        assert entry["type"] in (A2A, MCP) and entry["data"]["name"], entry


def judge(answer, folder, validator):
    """Fails if the validator finds a fault in an answer."""
    path = os.path.join(folder, "ard.json")
    with open(path, "w", encoding="utf8") as file:
        json.dump(answer, file)
    ran = subprocess.run([validator, "validate", "--kind", "ard", path], capture_output=True, text=True)
    assert ran.returncode == 0 and ran.stdout.startswith("VALID"), (ran.stdout, ran.stderr)


def ask(url, body=None, refusal=None):
    """Gives the answer to a request, which has to be refused with a status if one is given."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as answer:
            assert refusal is None, url
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code == 429:
            # The registry says for how long a client waits.
            wait = int(error.headers["Retry-After"])
            assert wait <= LONGEST_WAIT, wait
            time.sleep(wait)
            return ask(url, body, refusal)
        assert error.code == refusal, (url, error.code)
        return json.load(error)
