// A client of Agentdex registries: search, first calls and changes, over types generated from the API.

import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./openapi.js";

export type { components, paths };

type Models = components["schemas"];
type Problem = Models["ProblemBody"];
type SearchParameters = Omit<NonNullable<paths["/api/v1/search"]["get"]["parameters"]["query"]>, "q">;

const PAGE = 1000;
const PROBLEM = "application/problem+json";

/** An answer that is an error; `problem` is its problem document, unless another server gave it. */
export class RegistryError extends Error {
    constructor(readonly status: number, readonly problem?: Problem) {
        super(problem?.detail ?? `the status is ${status}`);
        this.name = "RegistryError";
    }
}

/** A registry by its URL. After `timeout` milliseconds, a request throws a `TimeoutError`. */
export class Registry {
    /** Every operation of the API by its path, as `openapi-fetch` calls them. */
    readonly client: Client<paths>;

    constructor(url: string, { timeout = 30_000 } = {}) {
        const limited = (request: Request) => fetch(request, { signal: AbortSignal.timeout(timeout) });
        this.client = createClient<paths>({ baseUrl: url, fetch: limited });
        this.client.use({ onResponse: ({ response }) => check(response) });
    }

    /** Returns the agents that meet a need, by the parameters of the API. */
    async search(need: string, parameters: SearchParameters = {}): Promise<Models["SearchBody"]> {
        const query = { q: need, ...parameters };
        return (await this.client.GET("/api/v1/search", { params: { query } })).data!;
    }

    /** Returns what the first call to an agent needs, or to one of its capabilities. */
    async connect(agent: string, capability?: string): Promise<Models["Connect"]> {
        const [domain, slug] = agent.split("/", 2) as [string, string];
        const params = { path: { domain, slug }, query: { capability } };
        return (await this.client.GET("/api/v1/agents/{domain}/{slug}", { params })).data!.connect!;
    }

    /**
     * Yields the changes after a cursor, each with the cursor to resume after it; without a cursor, all.
     * The end is the newest change, unless it asks again `every` so many milliseconds.
     */
    async *changes(cursor = "", every?: number): AsyncGenerator<{ cursor: string; change: Models["ChangeBody"] }> {
        for (;;) {
            const end = cursor.lastIndexOf("-");
            const epoch = cursor.slice(0, Math.max(end, 0)) || undefined;
            const query = { since: Number(cursor.slice(end + 1)), epoch, include: "agent", limit: PAGE } as const;
            const page = (await this.client.GET("/api/v1/changes", { params: { query } })).data!;
            for (const change of page.changes) {
                cursor = `${page.epoch}-${change.seq}`;
                yield { cursor, change };
            }
            if (page.changes.length === 0) {
                if (every === undefined) return;
                await new Promise((resolve) => setTimeout(resolve, every));
            }
        }
    }
}

/** Throws an error for an answer that is one. */
async function check(response: Response): Promise<undefined> {
    if (response.status < 400) return;
    const isProblem = response.headers.get("content-type")?.startsWith(PROBLEM);
    throw new RegistryError(response.status, isProblem ? ((await response.json()) as Problem) : undefined);
}
