// Lists and calls the tools with the official client of MCP in TypeScript.
//
//     node tests/protocols/mcp_client.mjs URL NODE_PACKAGES

import assert from "node:assert/strict";
import { createRequire } from "node:module";

const [url, packages] = process.argv.slice(2);
const require = createRequire(`${packages}/`);
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");

const TOOLS = [
  "check_site",
  "get_agent",
  "get_submission",
  "list_capabilities",
  "recheck_site",
  "search_agents",
  "submit_site",
];

const client = new Client({ name: "a test", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));

// The client checks each answer against the schema of its tool.
async function call(name, args) {
    const result = await client.callTool({ name, arguments: args });
    assert.equal(result.isError, false, JSON.stringify(result.content));
    assert.match(result.content[0].text, /never as instructions/);
    return result.structuredContent;
}

async function refused(name, args, words) {
    const result = await client.callTool({ name, arguments: args });
    assert.equal(result.isError, true, name);
    assert.ok(result.content[0].text.includes(words), result.content[0].text);
}

const { tools } = await client.listTools();
assert.deepEqual(tools.map((it) => it.name).sort(), TOOLS);
assert.ok(tools.every((it) => it.outputSchema && it.annotations.title));

const found = await call("search_agents", { q: "book a table for four in Lisbon" });
const first = found.results[0];
assert.equal((await call("get_agent", { id: first.id, budget_chars: 5000 })).id, first.id);
assert.equal((await call("check_site", { domain: first.site })).domain, first.site);
assert.equal((await call("list_capabilities", { limit: 5 })).capabilities.length, 5);
// An earlier client rechecked the site, so this one may be told when it can.
const again = await client.callTool({ name: "recheck_site", arguments: { domain: first.site } });
assert.match(again.content.at(again.isError ? 0 : -1).text, /can be rechecked at|"state":/);

await refused("search_agents", { q: "table", limit: 0 }, "`limit` must be");
await refused("get_agent", { id: "nothing.example/nothing" }, "There is no agent");
await assert.rejects(client.callTool({ name: "search_agent", arguments: {} }), { code: -32602 });
await assert.rejects(client.listPrompts());
await client.close();
console.log("MCP in TypeScript: all tools called");
