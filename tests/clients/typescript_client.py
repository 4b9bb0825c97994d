"""Writes calls as a program in TypeScript over the types of the installed package, which
openapi-typescript has generated."""

import json

HEAD = """import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { paths } from "agentdex";

const client = createClient<paths>({ baseUrl: %s });
const bytes = (it: unknown) => it as string;

function check(id: string, status: number, answer: { response: Response; data?: unknown; error?: unknown }) {
    assert.equal(answer.response.status, status, `${id}: ${JSON.stringify(answer.error)}`);
    const model = answer.data ?? answer.error;
    const size = typeof model === "string" ? model.length : Object.keys(model as object).length;
    assert.ok(size > 0, `${id}: the model is empty`);
}

"""


def program(url, document, calls):
    """Returns the program that makes calls of a description."""
    places = {
        operation["operationId"]: (path, method, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    }
    lines = [statement(call, *places[call["id"]]) for call in calls]
    end = f"console.log({json.dumps(f'openapi-typescript: {len(calls)} reads made')});\n"
    return HEAD % json.dumps(url) + "\n".join(lines) + "\n" + end


def statement(call, path, method, operation):
    """Returns the statement that makes a call and checks its answer; the compiler checks its types."""
    options = {"params": {"path": call["path"], "query": call["query"]}}
    options = {"params": {place: it for place, it in options["params"].items() if it}}
    more = []
    if call["body"] is not None:
        options["body"] = call["body"]
        types = list(operation["requestBody"]["content"])
        if types != ["application/json"]:
            more.append(f'headers: {{ "content-type": {json.dumps(types[0])} }}, bodySerializer: bytes')
    success = operation["responses"]["200"]["content"]
    if not any("json" in it for it in success):
        more.append('parseAs: "text"')
    written = json.dumps(options)[1:-1]
    written = ", ".join([written, *more])
    made = f"await client.{method.upper()}({json.dumps(path)}, {{ {written} }})"
    return f"check({json.dumps(call['id'])}, {call['status']}, {made});"
