// The demo's agents for clients in Node, whose `fetch` knows no proxy by itself.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [agents, packages] = process.argv.slice(2);

export const require = createRequire(`${packages}/`);
const { ProxyAgent, setGlobalDispatcher } = require("undici");
setGlobalDispatcher(new ProxyAgent(process.env.HTTPS_PROXY));

export const all = JSON.parse(readFileSync(agents, "utf8"));

export const versionOf = (name) =>
    JSON.parse(readFileSync(`${packages}/node_modules/${name}/package.json`, "utf8")).version;
