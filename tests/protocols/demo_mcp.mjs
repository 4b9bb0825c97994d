// Uses the MCP servers of the demo with the official client in TypeScript.
//
//     node tests/protocols/demo_mcp.mjs AGENTS

import assert from "node:assert/strict";
import { all, require, versionOf } from "./demo_web.mjs";

const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
const Ajv = require("ajv").default;

const OF_FORMAT = { date: "2026-12-24", "date-time": "2026-12-24T20:00:00Z", uri: "https://caller.example" };
const OF_TYPE = { integer: 2026, number: 1.5, boolean: true, array: [], object: {} };

// Gives arguments for the required properties of a schema.
function example(schema) {
    const value = (it) => it.enum?.[0] ?? OF_TYPE[it.type] ?? OF_FORMAT[it.format] ?? "budgets";
    const args = Object.fromEntries((schema.required ?? []).map((name) => [name, value(schema.properties?.[name] ?? {})]));
    assert.ok(new Ajv({ strict: false, validateFormats: false }).validate(schema, args), JSON.stringify(args));
    return args;
}

async function connected({ url, headers }) {
    const client = new Client({ name: "a test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    return client;
}

const agents = all.filter((it) => it.config);
for (const agent of agents) {
    for (const server of Object.values(agent.config.mcpServers)) {
        const client = await connected(server);
        assert.ok(client.getServerVersion().name);
        const { tools } = await client.listTools();
        assert.ok(tools.length, agent.id);
        for (const { name, inputSchema } of tools) {
            const result = await client.callTool({ name, arguments: example(inputSchema) });
            assert.ok(!result.isError && result.structuredContent, JSON.stringify(result));
        }
        await client.close();
        if (agent.needs_headers) {
            await assert.rejects(connected({ url: server.url }), { code: 401 });
        }
    }
}
assert.ok(agents.length >= 6);
console.log(`MCP in TypeScript ${versionOf("@modelcontextprotocol/sdk")}: ${agents.length} agents of the demo used`);
