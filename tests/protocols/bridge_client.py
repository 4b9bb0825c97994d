"""Uses a registry over standard input and output, with the official client in Python of either
generation, and with FastMCP if it is installed.

    bridge_client.py CONFIG

CONFIG is a file with the configuration of a client, whose one server is the bridge.
"""

import asyncio
import contextlib
import importlib.metadata
import json
import sys

import mcp
from mcp.client.stdio import StdioServerParameters, stdio_client

VERSION = importlib.metadata.version("mcp")
# From 2 on, a client knows the protocol with the handshake and the one without.
MODES = ["legacy", "auto"] if VERSION.split(".")[0] != "1" else ["legacy"]


async def main():
    with open(sys.argv[1], encoding="utf8") as file:
        config = json.load(file)
    [server] = config["mcpServers"].values()
    for mode in MODES:
        async with client_of(server, mode) as client:
            await try_tools(client)
    print(f"MCP in Python {VERSION}: the bridge used")
    with contextlib.suppress(ImportError):
        import fastmcp

        async with fastmcp.Client(config) as client:
            await try_tools(client)
        print(f"FastMCP {fastmcp.__version__}: the bridge used")


@contextlib.asynccontextmanager
async def client_of(server, mode):
    transport = stdio_client(StdioServerParameters(command=server["command"], args=server["args"]))
    if VERSION.split(".")[0] != "1":
        async with mcp.Client(transport, mode=mode) as client:
            assert "search_agents" in client.instructions, client.instructions
            yield client
        return
    async with transport as (read, write), mcp.ClientSession(read, write) as client:
        started = await client.initialize()
        assert started.serverInfo.name == "agentdex", started
        assert "search_agents" in started.instructions, started
        yield client


async def try_tools(client):
    listed = await client.list_tools()
    # FastMCP returns the list itself.
    names = {it.name for it in getattr(listed, "tools", listed)}
    assert {"search_agents", "get_agent"} <= names, names
    # The client checks each answer against the schema of its tool.
    found = await call(client, "search_agents", q="book a table for four in Lisbon", limit=3)
    first = found["results"][0]
    agent = await call(client, "get_agent", id=first["id"], budget_chars=5_000)
    assert agent["id"] == first["id"], agent


async def call(client, name, **arguments):
    result = await client.call_tool(name, arguments)
    structured = getattr(result, "structuredContent", None) or result.structured_content
    assert structured, result
    return structured


asyncio.run(main())
