"""Sends messages to the A2A agents of the demo with the official client in Python.

    demo_a2a.py AGENTS
"""

import asyncio
import importlib.metadata
import json
import sys

import httpx
from a2a.client import ClientConfig, ClientFactory
from a2a.client.card_resolver import parse_agent_card
from a2a.helpers.proto_helpers import new_text_message
from a2a.types import Role, SendMessageRequest


async def main():
    with open(sys.argv[1], encoding="utf8") as file:
        agents = [it for it in json.load(file) if it["a2a"]]
    used, streamed, skipped = 0, 0, []
    for agent in agents:
        for interface in agent["a2a"]:
            if interface["version"] == "0.1":
                skipped.append(agent["id"])
                continue
            await try_interface(agent, interface, streaming=False)
            used += 1
            if agent["streaming"]:
                await try_interface(agent, interface, streaming=True)
                streamed += 1
        if agent["needs_credential"]:
            await must_refuse(agent)
    assert len(agents) >= 25 and streamed >= 5, (len(agents), streamed)
    version = importlib.metadata.version("a2a-sdk")
    print(f"A2A in Python {version}: {used} interfaces of {len(agents)} agents of the demo used, {streamed} by streams")
    print(f"  skipped, as no official client speaks 0.1: {', '.join(skipped)}")


async def try_interface(agent, interface, streaming):
    async with httpx.AsyncClient(headers=agent["headers"]) as http:
        config = ClientConfig(
            streaming=streaming,
            httpx_client=http,
            supported_protocol_bindings=[interface["transport"]],
        )
        client = ClientFactory(config).create(card_of(agent, interface))
        message = new_text_message(agent["words"], role=Role.ROLE_USER)
        events = [it async for it in client.send_message(SendMessageRequest(message=message))]
    assert len(events) == 3 if streaming else 1, (agent, events)
    text = " ".join(part.text for it in events for part in parts_of(it))
    assert text.strip(), (agent, events)


def parts_of(event):
    """Gives the parts of the answer in an event."""
    if event.HasField("message"):
        return event.message.parts
    if event.HasField("artifact_update"):
        return event.artifact_update.artifact.parts
    return [part for artifact in event.task.artifacts for part in artifact.parts]


def card_of(agent, interface):
    """Makes a card of what `connect` states; one of the old form belongs to all versions before 1.0."""
    card = {
        "name": agent["id"],
        "description": agent["id"],
        "version": "1",
        "capabilities": {"streaming": agent["streaming"]},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [],
    }
    if not interface["version"].startswith("1"):
        return parse_agent_card(
            {**card, "url": interface["endpoint"], "preferredTransport": interface["transport"]}
        )
    stated = {
        "url": interface["endpoint"],
        "protocolBinding": interface["transport"],
        "protocolVersion": interface["version"],
        "tenant": agent["tenant"],
    }
    return parse_agent_card({**card, "supportedInterfaces": [stated]})


async def must_refuse(agent):
    """Without its credential, the agent answers 401."""
    interface = agent["a2a"][0]
    if interface["version"] == "0.1":
        return
    try:
        await try_interface({**agent, "headers": {}}, interface, streaming=False)
    except Exception as error:
        assert "401" in repr(error), repr(error)
        return
    raise AssertionError(f"{agent} needs no credential")


asyncio.run(main())
