"""Configurations of MCP clients, read as each client reads its own."""

import base64
import json
import re
import urllib.parse

from demo_agents import SECRETS, filled

# A value for which VS Code asks its user.
PROMPT = re.compile(r"\$\{input:([^}]+)\}")


def servers_of(text, install):
    """Gives the servers of a configuration, and those of the link that installs it, if there is one, with the
    credentials filled in."""
    config = json.loads(text)
    found = [config["mcpServers"] if "mcpServers" in config else of_vscode(config)]
    if install:
        found.append(of_install(install))
    return filled(found)


def of_vscode(config):
    """Gives the servers of VS Code, with the answers to its prompts."""
    return answered(config["servers"], config.get("inputs", []))


def of_install(link):
    """Gives the server that a link installs in Cursor or in VS Code."""
    address = urllib.parse.urlsplit(link)
    if address.scheme == "cursor":
        query = urllib.parse.parse_qs(address.query)
        return {query["name"][0]: json.loads(base64.b64decode(query["config"][0]))}
    assert address.scheme == "vscode" and address.path == "mcp/install", link
    server = json.loads(urllib.parse.unquote(address.query))
    name = server.pop("name")
    return answered({name: server}, server.pop("inputs", []))


def answered(servers, inputs):
    """Gives servers with the answers to the prompts that a configuration declares."""
    declared = {it["id"]: it for it in inputs}

    def answer(prompt):
        asked = declared[prompt[1]]
        assert asked["type"] == "promptString" and asked["password"], asked
        return SECRETS[f"{{{prompt[1]}}}"]

    return json.loads(PROMPT.sub(answer, json.dumps(servers)))
