// Sends messages to the A2A agents of the demo with the official client in TypeScript.
//
//     node tests/protocols/demo_a2a.mjs AGENTS

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { all, require, versionOf } from "./demo_web.mjs";

const sdk = require("@a2a-js/sdk/client");
const { Role } = require("@a2a-js/sdk");

// Makes a card of what `connect` states; one of the old form belongs to all versions before 1.0.
function cardOf(agent, { endpoint, transport, version }) {
    const card = {
        name: agent.id,
        description: agent.id,
        version: "1",
        capabilities: { streaming: agent.streaming },
        defaultInputModes: ["text/plain"],
        defaultOutputModes: ["text/plain"],
        skills: [],
    };
    if (!version.startsWith("1")) {
        return { ...card, protocolVersion: "0.3.0", url: endpoint, preferredTransport: transport };
    }
    const stated = { url: endpoint, protocolBinding: transport, protocolVersion: version, tenant: agent.tenant };
    return { ...card, supportedInterfaces: [stated] };
}

async function clientOf(agent, stated, headers) {
    const handler = { headers: async () => headers, shouldRetryWithHeaders: async () => undefined };
    const options = {
        fetchImpl: sdk.createAuthenticatingFetchWithRetry(fetch, handler),
        legacyCompat: { enabled: true },
    };
    const factory = new sdk.ClientFactory({
        transports: [new sdk.JsonRpcTransportFactory(options), new sdk.RestTransportFactory(options)],
        cardResolver: new sdk.DefaultAgentCardResolver(options),
    });
    return factory.createFromAgentCard(cardOf(agent, stated));
}

function request(agent) {
    const part = { content: { $case: "text", value: agent.words }, filename: "", mediaType: "text/plain" };
    const message = { messageId: randomUUID(), role: Role.ROLE_USER, parts: [part], contextId: "", taskId: "" };
    return { tenant: "", message: { ...message, extensions: [], referenceTaskIds: [] } };
}

// Gives the text of a message, of a task, or of an event.
function textOf(answer) {
    const parts = answer.parts ?? answer.artifact?.parts ?? (answer.artifacts ?? []).flatMap((it) => it.parts);
    return parts.map((it) => it.content.value).join(" ");
}

const agents = all.filter((it) => it.a2a.length);
const skipped = [];
let [used, streamed] = [0, 0];
for (const agent of agents) {
    for (const stated of agent.a2a) {
        if (stated.version === "0.1") {
            skipped.push(agent.id);
            continue;
        }
        const client = await clientOf(agent, stated, agent.headers);
        const answer = await client.sendMessage(request(agent));
        assert.ok(textOf(answer).trim(), `${agent.id}: ${JSON.stringify(answer)}`);
        used += 1;
        if (agent.streaming) {
            const texts = [];
            for await (const event of client.sendMessageStream(request(agent))) {
                texts.push(textOf(event.payload.value));
            }
            assert.ok(texts.length === 3 && texts.join("").trim(), `${agent.id}: ${texts}`);
            streamed += 1;
        }
        if (agent.needs_credential) {
            const stranger = await clientOf(agent, stated, {});
            await assert.rejects(stranger.sendMessage(request(agent)), /401/);
        }
    }
}
assert.ok(agents.length >= 25 && streamed >= 5);
const version = versionOf("@a2a-js/sdk");
console.log(`A2A in TypeScript ${version}: ${used} interfaces of ${agents.length} agents of the demo used, ${streamed} by streams`);
console.log(`  skipped, as no official client speaks 0.1: ${skipped.join(", ")}`);
