// Writes the status of each answer to `fetch` to standard error.

import "./demo_proxy.mjs";

const original = globalThis.fetch;
globalThis.fetch = async (...parameters) => {
    const answer = await original(...parameters);
    console.error("STATUS", answer.status);
    return answer;
};
