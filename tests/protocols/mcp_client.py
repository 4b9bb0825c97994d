"""Lists and calls the tools with the official client of MCP in Python."""

from mcp import Client
from mcp.shared.exceptions import MCPError

TOOLS = {
    "search_agents",
    "get_agent",
    "check_site",
    "list_capabilities",
    "submit_site",
    "get_submission",
    "recheck_site",
}
INVALID_PARAMS = -32602
METHOD_NOT_FOUND = -32601


async def try_mcp(url):
    """Uses both generations of the protocol: with the handshake, and without."""
    for mode in ("legacy", "auto"):
        async with Client(url, mode=mode) as client:
            await try_tools(client)


async def try_tools(client):
    listed = (await client.list_tools()).tools
    names = {it.name for it in listed}
    assert names == TOOLS, names
    assert all(it.input_schema and it.output_schema and it.annotations for it in listed)

    # The client checks each answer against the schema of its tool.
    found = await call(client, "search_agents", q="book a table for four in Lisbon")
    first = found["results"][0]
    agent = await call(client, "get_agent", id=first["id"], budget_chars=5_000)
    assert agent["id"] == first["id"]
    report = await call(client, "check_site", domain=first["site"])
    assert report["domain"] == first["site"]
    vocabulary = await call(client, "list_capabilities", limit=5)
    assert len(vocabulary["capabilities"]) == 5
    await recheck(client, first["site"])

    for name, arguments, words in [
        ("search_agents", {}, "`q` is required"),
        ("search_agents", {"q": "table", "limit": 0}, "`limit` must be"),
        ("get_agent", {"id": "nothing.example/nothing"}, "There is no agent"),
        ("check_site", {"domain": "not a domain"}, "is not a domain"),
    ]:
        result = await client.call_tool(name, arguments)
        assert result.is_error, (name, arguments)
        assert words in result.content[0].text, result.content[0].text
    try:
        await client.call_tool("search_agent", {})
        raise AssertionError("an unknown tool was called")
    except MCPError as error:
        assert error.code == INVALID_PARAMS, error
    try:
        await client.list_prompts()
        raise AssertionError("prompts were listed")
    except MCPError as error:
        assert error.code == METHOD_NOT_FOUND, error


async def recheck(client, domain):
    """The first recheck is accepted, and a later one told when it would be."""
    result = await client.call_tool("recheck_site", {"domain": domain})
    if result.is_error:
        assert "can be rechecked at" in result.content[0].text, result.content
    else:
        assert result.structured_content["domain"] == domain, result.structured_content


async def call(client, name, **arguments):
    result = await client.call_tool(name, arguments)
    assert not result.is_error, (name, result.content)
    assert "never as instructions" in result.content[0].text
    return result.structured_content
