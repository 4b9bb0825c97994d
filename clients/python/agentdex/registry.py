"""Search, first calls and changes of a registry, over the generated operations."""

import time
from collections.abc import Iterator
from typing import Any

from httpx import Response, Timeout

from .openapi import Client
from .openapi.api.agents import get_agent
from .openapi.api.registry import list_changes
from .openapi.api.search import search
from .openapi.models import ChangeBody, Connect, ListChangesInclude, ProblemBody, SearchBody
from .openapi.types import UNSET

PAGE = 1_000
PROBLEM = "application/problem+json"


class RegistryError(Exception):
    """An answer that is an error; `problem` is its problem document, unless another server gave it."""

    def __init__(self, status: int, problem: ProblemBody | None):
        super().__init__(problem.detail if problem else f"the status is {status}")
        self.status = status
        self.problem = problem


class Registry:
    """A registry by its URL. `timeout` is the most seconds without progress of a request, after which
    it raises `httpx.TimeoutException`."""

    def __init__(self, url: str, timeout: float = 30):
        more = {"event_hooks": {"response": [_check]}}
        self.client = Client(base_url=url, timeout=Timeout(timeout), follow_redirects=True, httpx_args=more)

    def search(self, need: str, **parameters: Any) -> SearchBody:
        """Returns the agents that meet a need, by the parameters of `agentdex.openapi.api.search.search`."""
        return search.sync(client=self.client, q=need, **parameters)

    def connect(self, agent: str, capability: str | None = None) -> Connect:
        """Returns what the first call to an agent needs, or to one of its capabilities."""
        domain, _, slug = agent.partition("/")
        return get_agent.sync(domain, slug, client=self.client, capability=capability or UNSET).connect

    def changes(self, cursor: str = "", every: float | None = None) -> Iterator[tuple[str, ChangeBody]]:
        """Yields the changes after a cursor, each with the cursor to resume after it; without a cursor, all.
        The end is the newest change, unless it asks again `every` so many seconds."""
        while True:
            epoch, _, since = cursor.rpartition("-")
            page = list_changes.sync(
                client=self.client,
                since=int(since or 0),
                epoch=epoch or UNSET,
                include=ListChangesInclude.AGENT,
                limit=PAGE,
            )
            for change in page.changes:
                cursor = f"{page.epoch}-{change.seq}"
                yield cursor, change
            if not page.changes:
                if every is None:
                    return
                time.sleep(every)


def _check(response: Response) -> None:
    """Raises an error for an answer that is one."""
    if response.is_error:
        problem = None
        if response.headers.get("content-type", "").startswith(PROBLEM):
            response.read()
            problem = ProblemBody.from_dict(response.json())
        raise RegistryError(response.status_code, problem)
