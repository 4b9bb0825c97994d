"""Calls a registry of the demo's sites with the official clients of MCP, also by way of the bridge, and
of A2A, and with plain ones of ARD and the Interaction API; and the agents of the demo, as the registry says.

    tests/protocols/run.py AGENTDEX NODE_PACKAGES OLDER_PYTHON ARD_VALIDATOR

OLDER_PYTHON is an interpreter with an older generation of the client of MCP.
"""

import asyncio
import json
import os
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from a2a_client import try_a2a
from ard_client import try_ard
from demo_agents import try_agents
from demo_snippets import try_snippets
from interaction_client import try_interaction, try_misuse
from mcp_client import try_mcp
from registry_of_demo import registry

HERE = os.path.dirname(os.path.abspath(__file__))
# The registry of the examples.
REGISTRY = "http://127.0.0.1:8080"


def main():
    agentdex, packages, older, validator = sys.argv[1:]
    packages = os.path.abspath(packages)
    script = os.path.join(HERE, "mcp_client.mjs")
    with tempfile.TemporaryDirectory() as folder, registry(agentdex, folder) as url:
        # The first, since it reads every agent.
        try_agents(url, folder, [sys.executable, older], packages)
        try_snippets(url, folder, packages)
        asyncio.run(try_mcp(f"{url}/mcp"))
        print("MCP in Python: all tools called")
        subprocess.run(["node", script, f"{url}/mcp", packages], check=True)
        try_bridge(agentdex, url, folder, [sys.executable, older], packages)
        asyncio.run(try_a2a(url))
        print("A2A in Python: card verified, messages answered")
        print(f"docs/protocols.md: {try_examples(url)} examples answered")
        print(f"ARD: all entries looked up, {try_ard(url, folder, validator)} judged valid")
        try_interaction(url)
        print("Interaction API: walked, record verified")
        # The last, since it uses up what the client may send.
        try_misuse(url)
        print("Interaction API: misuse refused")


def try_bridge(agentdex, url, folder, pythons, packages):
    """Uses the registry with clients that start a command, by the configuration in the documentation."""
    [text] = [it for it in documented() if it.startswith('{"mcpServers"') and "command" in it]
    config = json.loads(text.replace(REGISTRY, url))
    for server in config["mcpServers"].values():
        server["command"] = os.path.abspath(agentdex)
    path = os.path.join(folder, "bridge.json")
    with open(path, "w", encoding="utf8") as file:
        json.dump(config, file)
    for python in pythons:
        subprocess.run([python, os.path.join(HERE, "bridge_client.py"), path], check=True)
    subprocess.run(["node", os.path.join(HERE, "bridge_client.mjs"), path, packages], check=True)


def documented():
    """Gives the lines of the documentation of the protocols."""
    with open(os.path.join(HERE, "../../docs/protocols.md"), encoding="utf8") as file:
        return file.readlines()


def try_examples(url):
    """Runs the examples of MCP and A2A in the documentation, and gives their number."""
    examples = [it for it in documented() if it.startswith("curl ") and "jsonrpc" in it]
    assert len(examples) >= 3, examples
    for example in examples:
        command = shlex.split(example.replace(REGISTRY, url))
        answer = json.loads(subprocess.check_output([*command, "--silent"]))
        assert "result" in answer and not answer["result"].get("isError"), (example, answer)
    return len(examples)


if __name__ == "__main__":
    main()
