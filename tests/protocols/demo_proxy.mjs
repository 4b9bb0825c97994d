// Lets `fetch` of Node, which knows no proxy by itself, reach the demo's sites.

import { createRequire } from "node:module";

export const packages = process.env.NODE_PACKAGES;
export const require = createRequire(`${packages}/`);

const { ProxyAgent, setGlobalDispatcher } = require("undici");
setGlobalDispatcher(new ProxyAgent(process.env.HTTPS_PROXY));
