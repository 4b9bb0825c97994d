"""Uses the MCP servers of the demo with the official client in Python, of either generation.

    demo_mcp.py AGENTS
"""

import asyncio
import contextlib
import importlib.metadata
import json
import logging
import sys

import mcp
from example_of_schema import example
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

# The servers end a session with 202, of which the client warns.
logging.getLogger("mcp").setLevel(logging.ERROR)
VERSION = importlib.metadata.version("mcp")
# From 2 on, a client knows the protocol with the handshake and the one without.
MODES = ["legacy", "auto"] if VERSION.split(".")[0] != "1" else ["legacy"]


async def main():
    with open(sys.argv[1], encoding="utf8") as file:
        agents = [it for it in json.load(file) if it["config"]]
    for agent in agents:
        for server in agent["config"]["mcpServers"].values():
            for mode in MODES:
                await try_server(server, mode)
            if agent["needs_headers"]:
                await must_refuse({"url": server["url"]})
    assert len(agents) >= 6, agents
    print(f"MCP in Python {VERSION}: {len(agents)} agents of the demo used")


async def try_server(server, mode):
    async with client_of(server, mode) as client:
        tools = (await client.list_tools()).tools
        assert tools, server
        for tool in tools:
            described = tool.model_dump(by_alias=True)
            result = await client.call_tool(tool.name, example(described["inputSchema"]))
            answer = result.model_dump(by_alias=True)
            assert not answer["isError"] and answer["structuredContent"], (server, answer)
        wrong = await client.call_tool(tools[0].name, {})
        assert wrong.model_dump(by_alias=True)["isError"], (server, wrong)


@contextlib.asynccontextmanager
async def client_of(server, mode):
    http = create_mcp_http_client(headers=server.get("headers"))
    transport = streamable_http_client(server["url"], http_client=http)
    if VERSION.split(".")[0] != "1":
        async with http, mcp.Client(transport, mode=mode) as client:
            yield client
        return
    async with http, transport as (read, write, _), mcp.ClientSession(read, write) as client:
        started = await client.initialize()
        assert started.serverInfo.name, started
        yield client


async def must_refuse(server):
    """Without its headers, the server is not reached."""
    async with create_mcp_http_client() as http:
        answer = await http.post(server["url"], json={})
        assert answer.status_code == 401 and answer.headers["www-authenticate"], answer
    try:
        await try_server(server, "legacy")
    except BaseExceptionGroup:
        return
    raise AssertionError(f"{server} needs no credential")


asyncio.run(main())
