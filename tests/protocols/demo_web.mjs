// The demo's agents, as clients in Node read them.

import { readFileSync } from "node:fs";
import { packages, require } from "./demo_proxy.mjs";

export { require };
export const all = JSON.parse(readFileSync(process.argv[2], "utf8"));

export const versionOf = (name) =>
    JSON.parse(readFileSync(`${packages}/node_modules/${name}/package.json`, "utf8")).version;
