"""Calls a registry of the demo's sites with the official clients of MCP and A2A, and with a plain one
of the Interaction API; then the agents of the demo, as the registry says.

    tests/protocols/run.py AGENTDEX NODE_PACKAGES OLDER_PYTHON

The last is an interpreter with an older generation of the client of MCP.
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
from demo_agents import try_agents
from demo_snippets import try_snippets
from interaction_client import try_interaction, try_misuse
from mcp_client import try_mcp
from registry_of_demo import registry


def main():
    agentdex, packages, older = sys.argv[1:]
    packages = os.path.abspath(packages)
    script = os.path.join(os.path.dirname(__file__), "mcp_client.mjs")
    with tempfile.TemporaryDirectory() as folder, registry(agentdex, folder) as url:
        # The first, since it reads every agent.
        try_agents(url, folder, [sys.executable, older], packages)
        try_snippets(url, folder, packages)
        asyncio.run(try_mcp(f"{url}/mcp"))
        print("MCP in Python: all tools called")
        subprocess.run(["node", script, f"{url}/mcp", packages], check=True)
        asyncio.run(try_a2a(url))
        print("A2A in Python: card verified, messages answered")
        print(f"docs/protocols.md: {try_examples(url)} examples answered")
        try_interaction(url)
        print("Interaction API: walked, record verified")
        # The last, since it uses up what the client may send.
        try_misuse(url)
        print("Interaction API: misuse refused")


def try_examples(url):
    """Runs the examples of MCP and A2A in the documentation, and gives their number."""
    path = os.path.join(os.path.dirname(__file__), "../../docs/protocols.md")
    with open(path, encoding="utf8") as file:
        examples = [it for it in file if it.startswith("curl ") and "jsonrpc" in it]
    assert len(examples) >= 3, examples
    for example in examples:
        command = shlex.split(example.replace("http://127.0.0.1:8080", url))
        answer = json.loads(subprocess.check_output([*command, "--silent"]))
        assert "result" in answer and not answer["result"].get("isError"), (example, answer)
    return len(examples)


if __name__ == "__main__":
    main()
