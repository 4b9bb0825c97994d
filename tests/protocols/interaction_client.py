"""A client that knows only the text of the Interaction API, with nothing but the standard library: it
walks from the discovery to a hand-off, and then does what no client should. The record of its session
is verified by code that shares nothing with the registry's."""

import base64
import copy
import hashlib
import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

DISCOVERY = "/.well-known/agents.json"
# A client waits as long as it is told to (Retry-After), but not for ever.
MOST_WAITS = 5
LONGEST_WAIT = 30
SITE = "walk.example"


class Client:
    """Reads agents.json, and calls capabilities by name."""

    def __init__(self, origin):
        self.origin = origin
        status, headers, manifest = self.patient("GET", DISCOVERY)
        assert status == 200 and headers["content-type"] == "application/json; charset=utf-8"
        self.manifest = manifest
        self.capabilities = {it["name"]: it for it in manifest["capabilities"]}
        self.token = None

    def call(self, name, **params):
        """Calls a capability as agents.json describes it, and gives the status and the data."""
        capability = self.capabilities[name]
        method, path = capability["method"], capability["endpoint"]
        for param in list(params):
            if f":{param}" in path:
                path = path.replace(f":{param}", urllib.parse.quote(params.pop(param), safe=""))
        body = None
        if method == "GET":
            path += "?" + urllib.parse.urlencode(params) if params else ""
        else:
            body = params
        headers = {"X-Agent-Session": self.token} if capability["requires_session"] else {}
        return self.request(method, path, body, headers)

    def request(self, method, path, body=None, headers=None):
        """Sends a request, and gives the status and the data of the envelope, or its error."""
        data = None if body is None else json.dumps(body).encode()
        headers = dict(headers or {}, **({"Content-Type": "application/json"} if body is not None else {}))
        status, received, envelope = self.patient(method, path, data, headers)
        return status, opened(status, received, envelope)

    def patient(self, method, path, data=None, headers=None):
        """Sends a request, and again after each refusal that says how long to wait."""
        for _ in range(MOST_WAITS):
            status, received, envelope = self.send(method, path, data, headers)
            if status != 429 or int(received["retry-after"]) > LONGEST_WAIT:
                break
            time.sleep(int(received["retry-after"]))
        return status, received, envelope

    def send(self, method, path, data=None, headers=None):
        request = urllib.request.Request(self.origin + path, data, dict(headers or {}), method=method)
        # The library would add a media type of its own.
        if data is not None and "Content-Type" not in request.headers and "Content-type" not in request.headers:
            request.add_unredirected_header("Content-Type", "")
        try:
            answer = urllib.request.urlopen(request)
        except urllib.error.HTTPError as error:
            answer = error
        except urllib.error.URLError as error:
            if not isinstance(error.reason, BrokenPipeError):
                raise
            answer = answered_early(request)
        with answer:
            text = answer.read().decode()
            headers = {name.lower(): value for name, value in answer.headers.items()}
            return answer.status, headers, json.loads(text) if text else None


def answered_early(request):
    """Sends a request whose body is refused before all of it is sent, and gives the answer, which is there to read."""
    connection = http.client.HTTPConnection(request.host)
    try:
        connection.request(request.method, request.selector, request.data, dict(request.header_items()))
    except BrokenPipeError:
        pass
    return connection.getresponse()


def fetched(url):
    """Gives the text at an address, after waiting as long as the registry says."""
    for _ in range(MOST_WAITS):
        try:
            with urllib.request.urlopen(url) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            assert error.code == 429, (url, error.code)
            time.sleep(int(error.headers["retry-after"]))
    raise AssertionError(f"{url} is refused again and again")


def opened(status, headers, envelope):
    """Gives what an envelope holds, after checking it."""
    assert headers["content-type"] == "application/json; charset=utf-8", headers
    assert headers["access-control-allow-origin"] == "*", headers
    if status < 300:
        assert envelope["ok"] is True and "error" not in envelope, envelope
        return envelope["data"]
    assert envelope["ok"] is False and "data" not in envelope, envelope
    assert isinstance(envelope["error"], str) and len(envelope["error"]) > 10, envelope
    return envelope["error"]


def try_interaction(url):
    """Walks as the text does: discover, search, detail, session, submit, hand-off, delete."""
    client = Client(url)
    status, found = client.call("search", q="book a table for four in Lisbon", limit=3)
    assert status == 200 and len(found["results"]) == 3 and found["page"] == 1, found
    assert found["total"] >= 3 and found["limit"] == 3, found
    status, page = client.request("GET", found["next"])
    assert (status, page["page"]) == (200, 2), page
    both = [it["id"] for it in found["results"] + page["results"]]
    assert len(set(both)) == len(both), both
    first = found["results"][0]["id"]
    status, detail = client.call("detail", id=first)
    assert (status, detail["id"]) == (200, first), detail
    endpoint = client.capabilities["detail"]["endpoint"].removesuffix("/:id")
    assert client.request("GET", f"{endpoint}?id={first}") == (200, detail)
    status, browsed = client.call("browse", protocol="mcp", sort="name")
    assert status == 200 and browsed["results"], browsed
    status, names = client.call("capabilities", prefix="book")
    assert status == 200 and names["results"], names
    status, report = client.call("check", domain=found["results"][0]["site"])
    assert status == 200 and report["domain"] == found["results"][0]["site"], report

    status, session = client.request("POST", client.manifest["session"]["create"])
    assert status == 201 and len(session["session_token"]) >= 32, session
    assert session["expires_at"].endswith("Z"), session
    needing = [name for name, it in client.capabilities.items() if it["requires_session"]]
    assert sorted(session["capabilities"]) == sorted(needing), session
    client.token = session["session_token"]
    status, submitted = client.call("submit", domain=SITE)
    assert status == 201 and submitted["domain"] == SITE, submitted
    handoffs = [name for name, it in client.capabilities.items() if it["human_handoff"]]
    assert handoffs == ["leave"], handoffs
    status, handoff = client.call("leave", domain=SITE)
    assert status == 200 and {"handoff_url", "expires_at", "message"} <= set(handoff), handoff
    assert SITE in fetched(handoff["handoff_url"])
    # The search is free; within the session it is part of the record.
    headers = {"X-Agent-Session": client.token}
    path = client.capabilities["search"]["endpoint"] + "?q=table"
    assert client.request("GET", path, headers=headers)[0] == 200

    audit = client.manifest["audit"]["endpoint"].replace(":session_id", session["session_id"])
    assert client.request("GET", audit)[0] == 409
    deleted = client.request("DELETE", client.manifest["session"]["delete"], headers=headers)
    assert deleted[0] == 200 and deleted[1]["ended_at"].endswith("Z"), deleted
    assert client.request("DELETE", client.manifest["session"]["delete"], headers=headers)[0] == 401
    assert client.call("submit", domain=SITE)[0] == 401
    status, record = client.request("GET", audit)
    assert status == 200, record
    try_record(url, record)


def try_record(url, record):
    """Verifies a record, and that no changed one is accepted."""
    # A call that was told to wait is in the record too.
    denied = [it["response_status"] for it in record["events"] if it["policy_result"] == "denied"]
    assert set(denied) <= {429}, record
    allowed = [it for it in record["events"] if it["policy_result"] == "allowed"]
    called = [(it["capability"], it["response_status"]) for it in allowed]
    assert called == [("submit", 201), ("leave", 200), ("search", 200)], called
    assert "table" not in json.dumps(allowed[2]["params"]), record
    keys = json.loads(fetched(f"{url}/.well-known/jwks.json"))["keys"]
    keys = {it["kid"]: it["x"] for it in keys}
    verify(record, keys)
    for change in [
        lambda it: it["events"][0].update(response_status=500),
        lambda it: it["events"].pop(),
        lambda it: it["events"].reverse(),
        lambda it: it.update(ended_at="2030-01-01T00:00:00Z"),
        lambda it: it.update(agent={"agent_name": "Another"}),
        lambda it: it.update(root_hash="00" * 32),
        lambda it: it.update(signature="A" * 86),
    ]:
        changed = copy.deepcopy(record)
        change(changed)
        try:
            verify(changed, keys)
        except (AssertionError, InvalidSignature):
            continue
        raise AssertionError(f"a changed record was accepted: {changed}")


def verify(record, keys):
    """Checks the chain, the root and the signature of a record."""
    previous = ""
    for event in record["events"]:
        assert event["prev_hash"] == previous, event
        previous = hashlib.sha256(canonical(event)).hexdigest()
    assert record["root_hash"] == previous, record
    assert keys[record["key_id"]] == record["public_key"], record
    signed = {name: value for name, value in record.items() if name != "signature"}
    key = Ed25519PublicKey.from_public_bytes(decoded(record["public_key"]))
    key.verify(decoded(record["signature"]), canonical(signed))


def canonical(value):
    """The form of RFC 8785, for values without fractions."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def try_misuse(url):
    """Does what no client should; each answer is an envelope with the right status."""
    client = Client(url)
    base = "/.well-known/agents/api"
    create = client.manifest["session"]["create"]
    json_type = {"Content-Type": "application/json"}
    forged = {"X-Agent-Session": "f" * 32, **json_type}
    basic = {"Authorization": "Basic YTpi", **json_type}
    two = {"Authorization": f"Bearer {'a' * 32}", "X-Session-Token": "b" * 32, **json_type}
    site = json.dumps({"domain": SITE}).encode()
    for method, path, data, headers, expected in [
        ("POST", f"{base}/submit", site, json_type, 401),
        ("POST", f"{base}/submit", site, forged, 401),
        ("POST", f"{base}/submit", site, basic, 401),
        ("POST", f"{base}/submit", site, two, 400),
        ("DELETE", create, None, {}, 401),
        ("DELETE", create, None, forged, 401),
        ("POST", create, b"{", json_type, 400),
        ("POST", create, b"[]", json_type, 400),
        ("POST", create, b'{"agent_name": 7}', json_type, 400),
        ("POST", create, b"{}", {"Content-Type": "text/plain"}, 415),
        ("POST", create, b" " * (65 << 10), json_type, 413),
        ("POST", create, b" " * (2 << 20), json_type, 413),
        ("GET", f"{base}/search", None, {}, 400),
        ("GET", f"{base}/search?q=a&limit=no", None, {}, 400),
        ("GET", f"{base}/search?q=a&format=none", None, {}, 400),
        ("GET", f"{base}/search?q=a&cursor=forged", None, {}, 400),
        ("GET", f"{base}/detail/none.example%2Fnone", None, {}, 404),
        ("GET", f"{base}/none", None, {}, 404),
        ("GET", base, None, {}, 404),
        ("GET", f"{base}/audit/none", None, {}, 404),
        ("GET", f"{base}/submit", None, {}, 405),
        ("DELETE", f"{base}/search", None, {}, 405),
        # What is unknown or not needed is ignored.
        ("GET", f"{base}/search?q=a&colour=red", None, forged, 200),
    ]:
        status, received, envelope = client.patient(method, path, data, headers)
        assert status == expected, (method, path, status, envelope)
        opened(status, received, envelope)
        if status == 401:
            assert received["www-authenticate"] == "Bearer", received
        if status == 405:
            assert received["allow"], received
    status, received, _ = client.patient("OPTIONS", f"{base}/submit")
    assert status == 204 and "DELETE" in received["access-control-allow-methods"], received
    assert "X-Agent-Session" in received["access-control-allow-headers"], received

    # A thousand sessions: those of one network are few, and the rest is told to wait.
    tokens = []
    for _ in range(1_000):
        status, received, envelope = client.send("POST", create)
        data = opened(status, received, envelope)
        if status == 201:
            tokens.append(data["session_token"])
            continue
        wait = int(received["retry-after"])
        assert status == 429 and wait >= 1 and f"{wait} seconds" in data, (status, data)
        if "x-ratelimit-reset" in received:
            assert int(received["x-ratelimit-reset"]) >= int(time.time()), received
    assert 1 <= len(tokens) <= 50, len(tokens)
