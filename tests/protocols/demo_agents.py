"""Lets official clients use every agent of the demo, by nothing but what the registry states of it."""

import base64
import json
import os
import socket
import socketserver
import subprocess
import threading
import urllib.request
from contextlib import contextmanager

from registry_of_demo import agents_of_demo, web_of_demo

HERE = os.path.dirname(os.path.abspath(__file__))
# The credentials that `agentdex --demo` names at its start.
SECRETS = {
    "{access_token}": "token-of-the-demo",
    "{api_key}": "key of the demo",
    "{credentials}": base64.b64encode(b"demo:secret").decode(),
}
# The bindings of A2A that are requests of HTTP.
BINDINGS = ("JSONRPC", "HTTP+JSON")


def try_agents(url, folder, pythons, packages):
    """Runs the clients, each of which reads the agents from a file and prints what it did."""
    agents = [known(url, it) for it in agents_of_demo()]
    path = os.path.join(folder, "agents.json")
    with open(path, "w", encoding="utf8") as file:
        json.dump([it for it in agents if it["config"] or it["a2a"]], file)
    newest, oldest = pythons
    commands = [
        [newest, os.path.join(HERE, "demo_mcp.py"), path],
        [oldest, os.path.join(HERE, "demo_mcp.py"), path],
        [newest, os.path.join(HERE, "demo_fastmcp.py"), path],
        ["node", os.path.join(HERE, "demo_mcp.mjs"), path],
        [newest, os.path.join(HERE, "demo_a2a.py"), path],
        ["node", os.path.join(HERE, "demo_a2a.mjs"), path],
    ]
    with way_to_demo(folder, packages) as environment:
        for command in commands:
            subprocess.run(command, check=True, env=environment)


def known(url, agent):
    """Gives what a client needs of an agent, with the credentials filled in."""
    with urllib.request.urlopen(f"{url}/api/v1/agents/{agent}") as answer:
        record = filled(json.load(answer))
    connect = record.get("connect") or {}
    capabilities = record.get("specified", {}).get("capabilities")
    interfaces = [
        {**it, "version": it["protocol"].removeprefix("a2a/")}
        for it in connect.get("interfaces", [])
        if it["protocol"].startswith("a2a/") and it.get("transport") in BINDINGS
    ]
    call = connect.get("example") or {}
    return {
        "id": agent,
        "config": connect.get("client_config"),
        "needs_headers": needs_headers(record),
        "a2a": interfaces,
        "tenant": connect.get("tenant", ""),
        "streaming": isinstance(capabilities, dict) and capabilities.get("streaming") is True,
        "headers": own_headers(connect, call),
        "needs_credential": "value" in connect.get("auth", {}),
        "words": record.get("description") or record["name"],
    }


def filled(value):
    """Replaces the placeholders of credentials."""
    return json.loads(filled_text(json.dumps(value)))


def filled_text(text):
    """Replaces the placeholders of credentials in a text."""
    for placeholder, secret in SECRETS.items():
        text = text.replace(placeholder, secret)
    return text


def needs_headers(record):
    """Tells whether the MCP server of a record refuses calls without its headers."""
    params = [
        param
        for interface in record["interfaces"]
        if interface["protocol"] == "mcp"
        for param in interface.get("params", [])
    ]
    return any(it["required"] for it in params)


def own_headers(connect, call):
    """Gives the credential of an agent, and the headers of its protocol that no client adds."""
    names = ("a2a-extensions", "x-a2a-extensions")
    headers = {k: v for k, v in call.get("headers", {}).items() if k.lower() in names}
    auth = connect.get("auth", {})
    if auth.get("in") == "header":
        headers[auth["name"]] = auth["value"]
    return headers


@contextmanager
def way_to_demo(folder, packages):
    """Starts a proxy to the demo's sites, whose names no resolver knows, and gives the environment in
    which clients use it, trust the demo's certificates and find their packages of Node."""
    authority, port = web_of_demo(folder)
    Tunnel.port = port
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Tunnel) as proxy:
        proxy.daemon_threads = True
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{proxy.server_address[1]}"
        yield {
            **os.environ,
            "HTTPS_PROXY": address,
            "SSL_CERT_FILE": authority,
            "NODE_EXTRA_CA_CERTS": authority,
            "NODE_PACKAGES": packages,
        }
        proxy.shutdown()


class Tunnel(socketserver.StreamRequestHandler):
    """A connection through the proxy: every host is on the demo's port of https."""

    port = 0

    def handle(self):
        request = self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        if not request.startswith(b"CONNECT "):
            self.wfile.write(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n")
            return
        with socket.create_connection(("127.0.0.1", self.port)) as site:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            back = threading.Thread(target=copy, args=(site, self.connection), daemon=True)
            back.start()
            copy(self.connection, site)
            back.join()


def copy(source, target):
    """Copies bytes until either side ends."""
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        # The other direction ends too.
        for side in (source, target):
            try:
                side.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
