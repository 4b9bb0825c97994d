"""Uses the MCP servers of the demo with FastMCP, which takes `client_config` as it is.

    demo_fastmcp.py AGENTS
"""

import asyncio
import json
import sys

import fastmcp
from example_of_schema import example


async def main():
    with open(sys.argv[1], encoding="utf8") as file:
        configs = [it["config"] for it in json.load(file) if it["config"]]
    for config in configs:
        async with fastmcp.Client(config) as client:
            tools = await client.list_tools()
            assert tools, config
            for tool in tools:
                schema = tool.model_dump(by_alias=True)["inputSchema"]
                result = await client.call_tool(tool.name, example(schema))
                assert result.structured_content, (config, result)
    print(f"FastMCP {fastmcp.__version__}: {len(configs)} configurations used")


asyncio.run(main())
