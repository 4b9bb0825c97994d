// Uses a registry over standard input and output, with the official client of MCP in TypeScript.
//
//     node tests/protocols/bridge_client.mjs CONFIG NODE_PACKAGES
//
// CONFIG is a file with the configuration of a client, whose one server is the bridge.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [config, packages] = process.argv.slice(2);
const require = createRequire(`${packages}/`);
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");

const [server] = Object.values(JSON.parse(readFileSync(config, "utf8")).mcpServers);
const client = new Client({ name: "a test", version: "1" });
await client.connect(new StdioClientTransport({ command: server.command, args: server.args }));
assert.equal(client.getServerVersion().name, "agentdex");
assert.match(client.getInstructions(), /search_agents/);
await client.ping();

// The client checks each answer against the schema of its tool.
const { tools } = await client.listTools();
assert.ok(tools.some((it) => it.name === "search_agents"));
const found = await client.callTool({ name: "search_agents", arguments: { q: "book a table for four in Lisbon" } });
const [first] = found.structuredContent.results;
const agent = await client.callTool({ name: "get_agent", arguments: { id: first.id, budget_chars: 5000 } });
assert.equal(agent.structuredContent.id, first.id);
await assert.rejects(client.callTool({ name: "search_agent", arguments: {} }), { code: -32602 });
await client.close();
console.log("MCP in TypeScript: the bridge used");
