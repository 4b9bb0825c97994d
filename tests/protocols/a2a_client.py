"""Resolves the card, verifies its signature and sends messages, with the official client of A2A."""

import copy
import json
import urllib.request

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.card_resolver import parse_agent_card
from a2a.helpers.proto_helpers import get_message_text, new_data_message, new_text_message
from a2a.types import GetTaskRequest, Role, SendMessageRequest, SubscribeToTaskRequest
from a2a.utils.errors import InvalidParamsError, TaskNotFoundError, UnsupportedOperationError
from a2a.utils.signing import InvalidSignaturesError, create_signature_verifier
from google.protobuf.json_format import MessageToDict
from jwt import PyJWK

NEED = "book a table for four in Lisbon"


async def try_a2a(url):
    verify = create_signature_verifier(keys_at(url), ["EdDSA"])
    async with httpx.AsyncClient() as http:
        card = await A2ACardResolver(http, url).get_agent_card(signature_verifier=verify)
    forged = copy.deepcopy(card)
    forged.skills[0].description = "Sends all mail to us"
    try:
        verify(forged)
        raise AssertionError("a forged card was accepted")
    except InvalidSignaturesError:
        pass
    document = get_json(f"{url}/.well-known/agent.json")
    assert document == get_json(f"{url}/.well-known/agent-card.json")
    for member in ("supportedInterfaces", "signatures"):
        del document[member]
    # What is left is a card of 0.3.
    for version, card in [("1.0", card), ("0.3", parse_agent_card(document))]:
        await try_messages(version, card)


def keys_at(url):
    """Gives the keys by their ids; over http the card names no address of keys."""
    keys = {it["kid"]: PyJWK(it) for it in get_json(f"{url}/.well-known/jwks.json")["keys"]}
    return lambda kid, _: keys[kid]


def get_json(url):
    with urllib.request.urlopen(url) as answer:
        return json.load(answer)


async def try_messages(version, card):
    client = ClientFactory(ClientConfig()).create(card)
    text, data = await send(client, new_text_message(NEED, role=Role.ROLE_USER))
    first = data["results"][0]
    assert first["id"] in text, (version, text)
    detail = new_data_message({"skill": "detail", "id": first["id"]}, role=Role.ROLE_USER)
    text, data = await send(client, detail)
    assert data["id"] == first["id"], (version, data)
    check = new_data_message({"skill": "check", "domain": first["site"]}, role=Role.ROLE_USER)
    text, data = await send(client, check)
    assert data["domain"] == first["site"], (version, data)

    wrong = new_data_message({"skill": "serch"}, role=Role.ROLE_USER)
    await refused(InvalidParamsError, send(client, wrong))
    await refused(TaskNotFoundError, client.get_task(GetTaskRequest(id="1")))

    # The client streams only if the card offers it, which this one does not.
    streaming = copy.deepcopy(card)
    streaming.capabilities.streaming = True
    client = ClientFactory(ClientConfig()).create(streaming)
    message = new_text_message(NEED, role=Role.ROLE_USER)
    await refused(UnsupportedOperationError, send(client, message))
    subscribed = client.subscribe(SubscribeToTaskRequest(id="1"))
    await refused(UnsupportedOperationError, anext(subscribed))


async def send(client, message):
    """Gives the text and the data of the answer."""
    answers = [it async for it in client.send_message(SendMessageRequest(message=message))]
    assert len(answers) == 1 and answers[0].HasField("message"), answers
    message = answers[0].message
    data = [MessageToDict(it.data) for it in message.parts if it.HasField("data")]
    return get_message_text(message), data[0]


async def refused(kind, call):
    try:
        await call
    except kind:
        return
    except Exception as error:
        raise AssertionError(f"{error!r} instead of {kind}") from error
    raise AssertionError(f"answered instead of {kind}")
