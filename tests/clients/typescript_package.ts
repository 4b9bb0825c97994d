// Uses the installed package for TypeScript by the code that is written by hand.
//
//     node typescript_package.js URL COMMAND…
//
// COMMAND changes something in the registry.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Registry, RegistryError } from "agentdex";

const [url, ...command] = process.argv.slice(2) as [string, string];
const SECONDS_TO_CHANGE = 60;
const NEED = "book a table for four in Lisbon";

const registry = new Registry(url);
const [first] = (await registry.search(NEED, { limit: 1 })).results;
assert.ok((await registry.connect(first!.id)).example?.url);
const [server] = (await registry.search("", { protocol: ["mcp"], limit: 1 })).results;
assert.ok("mcpServers" in ((await registry.connect(server!.id)).client_config as object));

async function refused(ask: Promise<unknown>, status: number): Promise<RegistryError> {
    const error = await ask.then(
        (answer) => assert.fail(JSON.stringify(answer)),
        (error: unknown) => error,
    );
    assert.ok(error instanceof RegistryError, String(error));
    assert.equal(error.status, status, error.message);
    return error;
}

for (const [ask, status, code] of [
    [() => registry.connect("nothing.example/nothing"), 404, "not_found"],
    [() => registry.search(NEED, { limit: 0 }), 400, "bad_parameters"],
    [() => registry.changes("0000000000000000-1").next(), 410, "changes_gone"],
] as const) {
    const { problem } = await refused(ask(), status);
    assert.equal(problem?.errorCode, code);
}

async function beside(server: Server, use: (registry: Registry) => Promise<void>): Promise<void> {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await use(new Registry(`http://127.0.0.1:${port}`, { timeout: 200 }));
    server.closeAllConnections();
    server.close();
}
await beside(createServer((_, answer) => answer.writeHead(501).end("<p>no")), async (other) => {
    assert.equal((await refused(other.search(NEED), 501)).problem, undefined);
});
await beside(createServer(() => {}), async (silent) => {
    await assert.rejects(silent.search(NEED), { name: "TimeoutError" });
});

const seen = [];
for await (const it of registry.changes()) seen.push(it);
const middle = Math.floor(seen.length / 2);
const rest = [];
for await (const it of registry.changes(seen[middle - 1]!.cursor)) rest.push(it);
assert.deepEqual(rest, seen.slice(middle));
const { cursor, change: last } = seen.at(-1)!;
assert.equal((await registry.changes(cursor).next()).done, true);

const end = setTimeout(() => assert.fail("no change came"), 1000 * SECONDS_TO_CHANGE);
const [program, ...parameters] = command;
spawn(program!, parameters, { stdio: "ignore" });
const { value } = await registry.changes(cursor, 100).next();
clearTimeout(end);
assert.equal(value!.change.op, "remove");
assert.equal(value!.change.seq, last.seq + 1);
