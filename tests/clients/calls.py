"""Calls of every read of the API, with real ids of a registry of the demo's sites.

A call has the id of its operation, its parameters by place, its body, and the status of its answer;
`why` gives the reason if that is not 200.
"""

import json
import time
import urllib.error
import urllib.parse
import urllib.request

# Requests with a body that only read.
READ_BY_POST = {"validate", "convert", "ardSearch", "ardExplore"}
# The first export is written about a minute after the start.
SECONDS_TO_EXPORT = 120
MANIFEST = "/.well-known/agents.json"


def all_calls(url):
    """Returns the calls of all reads of a registry."""
    found = read(url, "/api/v1/search?q=book+a+table&limit=3")
    agent, domain = found["results"][0]["id"], found["results"][0]["site"]
    slug = agent.split("/")[1]
    server = read(url, "/v0.1/servers?limit=1")["servers"][0]["server"]["name"]
    entry = read(url, "/ard/agents?pageSize=1")["items"][0]["identifier"]
    rule = read(url, "/api/v1/rules")["rules"][0]["id"]
    submission = send(url, "/api/v1/submit", {"domain": "nobody.example"})["id"]
    leave = send(url, "/api/v1/leave", {"domain": domain})["id"]
    own = send(url, "/api/v1/own", {"domain": domain})["id"]
    of_agent = {"domain": domain, "slug": slug}
    need = {"q": "book a table"}
    manifest = open_manifest(url)
    calls = [
        call("search", query={**need, "limit": 3, "sort": "relevance", "facets": ["format"], "include": ["connect"]}),
        call("suggest", query={"q": "bo", "limit": 5}),
        call("listAgents", query={"id": [agent], "include": "agent"}),
        call("getAgent", of_agent),
        call("getHistory", of_agent),
        call("getDiff", of_agent, query={"to": version(url, agent)}),
        call("getRaw", of_agent),
        call("getEvidence", of_agent),
        call("getSimilar", of_agent),
        call("listSites", query={"limit": 5}),
        call("getSite", {"domain": domain}),
        call("getReport", {"domain": domain}),
        call("getCrawl", {"domain": domain}),
        call("listCapabilities", query={"limit": 5}),
        call("listChanges", query={"since": 0, "limit": 5, "include": "agent"}),
        call("streamChanges", query={"since": 0, "wait": 0}),
        call("getLatestExport"),
        call("getExport", {"file": exported(url)}),
        call("listFacets"),
        call("getInfo"),
        call("getStats", query={"days": 7}),
        call("listModeration", query={"limit": 5}),
        call("getLeave", {"id": leave}),
        call("getReturn", {"id": "none"}, status=404, why="no site of the demo has left, so none can return"),
        call("getOwn", {"id": own}),
        call("getSubmission", {"id": submission}),
        call("listRules"),
        call("getRule", {"id": rule}),
        call("validate", query={"path": MANIFEST}, body=manifest),
        call("convert", query={"to": "agents-json", "origin": "https://ferry.example"}, body=manifest),
        call("interaction_search", query={**need, "limit": 3}),
        call("interaction_browse", query={"sort": "name", "limit": 3}),
        call("interaction_detail", query={"id": agent}),
        call("interaction_detailById", {"id": agent}),
        call("interaction_capabilities", query={"limit": 5}),
        call("interaction_check", query={"domain": domain}),
        call("interaction_checkByDomain", {"domain": domain}),
        call("interaction_submission", query={"id": submission}),
        call("interaction_submissionById", {"id": submission}),
        call("interaction_getAudit", {"session_id": ended_session(url)}),
        call("ardSearch", body={"query": {"text": "book a table"}, "pageSize": 3}),
        call("ardExplore", body={"resultType": {"facets": [{"field": "type"}]}}),
        call("ardListAgents", query={"orderBy": "displayName ASC", "pageSize": 3}),
        call("ardGetAgent", {"identifier": entry}),
        call("listServers", query={"limit": 3, "version": "latest"}),
        call("listServerVersions", {"name": server}),
        call("getServer", {"name": server, "version": "latest"}),
    ]
    return calls


def call(operation, path=None, query=None, body=None, status=200, why=None):
    """Returns a call as an object that both clients read."""
    parameters = {"path": path or {}, "query": query or {}}
    return {"id": operation, **parameters, "body": body, "status": status, "why": why}


def check_complete(document, calls):
    """Fails unless the calls are those of all reads of the description."""
    reads = set()
    for item in document["paths"].values():
        for method, operation in item.items():
            if method == "get" or operation["operationId"] in READ_BY_POST:
                reads.add(operation["operationId"])
    called = {it["id"] for it in calls}
    assert called == reads, f"without a call: {reads - called}; unknown: {called - reads}"


def read(url, path):
    """Reads an answer in JSON."""
    with urllib.request.urlopen(f"{url}{path}") as answer:
        return json.load(answer)


def send(url, path, body=None, method="POST", headers=None):
    """Sends a body, and reads the answer in JSON."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json", **(headers or {})}
    request = urllib.request.Request(f"{url}{path}", data, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def open_manifest(url):
    """Returns the registry's own manifest as a text."""
    with urllib.request.urlopen(f"{url}{MANIFEST}") as answer:
        return answer.read().decode()


def version(url, agent):
    """Returns the hash of a version of a document of an agent."""
    return read(url, f"/api/v1/agents/{agent}/history")["documents"][0]["versions"][0]["hash"]


def ended_session(url):
    """Opens and ends a session of the Interaction API, and returns its id."""
    base = "/.well-known/agents/api/session"
    session = send(url, base, {"agent_name": "a test"})["data"]
    send(url, base, method="DELETE", headers={"authorization": f"Bearer {session['session_token']}"})
    return session["session_id"]


def exported(url):
    """Waits for the first export, and returns the name of a file of it."""
    end = time.monotonic() + SECONDS_TO_EXPORT
    while True:
        try:
            return read(url, "/api/v1/export/latest.json")["files"][0]["name"]
        except urllib.error.HTTPError as error:
            if error.code != 404 or time.monotonic() > end:
                raise
        time.sleep(1)
