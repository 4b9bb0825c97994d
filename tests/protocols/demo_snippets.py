"""Runs every snippet of every agent of the demo as its page gives it: nothing is filled in but credentials."""

import base64
import json
import os
import subprocess
import sys
import urllib.request
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor

from client_configs import servers_of
from demo_agents import HERE, filled_text, way_to_demo
from page_snippets import CONFIGURATION, LANGUAGES, snippets_of
from registry_of_demo import agents_of_demo, curl_home_of_demo

MOST_SECONDS = 60
AT_A_TIME = 4
# Each request of curl writes its status, as the other languages' recorders do.
WRITES_STATUS = 'write-out = "%{stderr}STATUS %{http_code}\\n"\n'


def try_snippets(url, folder, packages):
    """Runs all snippets, and prints what became of them by what agents say of their first call."""
    runs = defaultdict(Counter)
    unrun, faults, configs = [], [], []
    with way_to_demo(folder, packages) as environment, ThreadPoolExecutor(AT_A_TIME) as pool:
        runner = Runner(environment, folder)
        for agent in agents_of_demo():
            with urllib.request.urlopen(f"{url}/api/v1/agents/{agent}") as answer:
                connect = json.load(answer)["connect"]
            snippets, installs = snippets_of(url, agent)
            kind = connect["callable"]
            sources = {it: filled(snippets[it], connect) for it in LANGUAGES if it in snippets}
            assert bool(sources) == (kind == "call"), (agent, kind, sources)
            assert len(sources) in (0, len(LANGUAGES)), (agent, list(sources))
            if not sources:
                unrun.append(f"  {agent} ({kind}): {connect['callable_because']}")
                runs[kind]["without source code"] += 1
            results = pool.map(lambda it: (it[0], runner.run(*it)), sources.items())
            for language, fault in results:
                runs[kind][language] += fault is None
                if fault:
                    faults.append(f"{agent}, {language}: {fault}")
            for heading, text in snippets.items():
                if heading.startswith(CONFIGURATION):
                    servers = servers_of(text, installs.get(heading))
                    configs += [{"id": agent, "config": {"mcpServers": it}} for it in servers]
                    runs[kind]["configurations"] += len(servers)
        assert not faults, "\n\n".join(faults)
        use_configurations(configs, folder, environment)
    print_table(runs, unrun)


def filled(source, connect):
    """Fills in the credentials of a source; a payment is one, made for the price that the agent states."""
    if "{payment}" in source:
        price = connect["payments"][0]
        payment = {
            "x402Version": 1,
            "scheme": price["scheme"],
            "network": price["network"],
            "payload": {"signature": "0x00"},
        }
        source = source.replace("{payment}", base64.b64encode(json.dumps(payment).encode()).decode())
    return filled_text(source)


class Runner:
    """Runs sources, and judges the answers that they got."""

    def __init__(self, environment, folder):
        self.environment = {
            **environment,
            "REQUESTS_CA_BUNDLE": environment["SSL_CERT_FILE"],
            "CURL_HOME": os.path.join(folder, "curl"),
        }
        os.makedirs(self.environment["CURL_HOME"], exist_ok=True)
        with open(os.path.join(curl_home_of_demo(folder), ".curlrc"), encoding="utf8") as file:
            settings = file.read()
        with open(os.path.join(folder, "curl", ".curlrc"), "w", encoding="utf8") as file:
            file.write(settings + WRITES_STATUS)

    def run(self, language, source):
        """Runs a source; gives the fault, if there is one."""
        done = subprocess.run(
            self.command(language),
            input=source,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=MOST_SECONDS,
            check=False,
        )
        statuses = [int(it.split()[1]) for it in done.stderr.splitlines() if it.startswith("STATUS ")]
        refusals = [it for it in messages(done.stdout) if is_refusal(it)]
        if done.returncode or refusals or not are_good(statuses):
            return f"{done.returncode} {statuses}\n{source}\n{done.stdout}\n{done.stderr}"
        return None

    def command(self, language):
        """Gives the program that runs a source from its standard input."""
        if language == "curl":
            return ["sh", "-eu"]
        if language == "Python":
            return [sys.executable, os.path.join(HERE, "record_requests.py")]
        recorder = os.path.join(HERE, "record_fetch.mjs")
        return ["node", "--input-type=module", "--import", recorder]


def are_good(statuses):
    """Tells whether every request succeeded; that a price is asked is part of paying it."""
    paid = len(statuses) > 1 and statuses[0] == 402
    return bool(statuses) and all(200 <= it < 300 for it in statuses[paid:])


def messages(text):
    """Lists the JSON objects in an output."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
            yield value
        except json.JSONDecodeError:
            end = at + 1
        at = text.find("{", end)


def is_refusal(message):
    """Tells whether a message is an error of JSON-RPC, or of a tool of MCP."""
    result = message.get("result")
    return "error" in message or (isinstance(result, dict) and result.get("isError") is True)


def use_configurations(configs, folder, environment):
    """Lets a client use every configuration."""
    path = os.path.join(folder, "configurations.json")
    with open(path, "w", encoding="utf8") as file:
        json.dump(configs, file)
    command = [sys.executable, os.path.join(HERE, "demo_fastmcp.py"), path]
    subprocess.run(command, check=True, env=environment)


def print_table(runs, unrun):
    """Prints how many snippets ran, by the kind of their agents, and why others have none."""
    columns = (*LANGUAGES, "configurations", "without source code")
    print("Snippets of the demo's agents, run as copied from their pages:")
    print(f"  {'callable':<12}" + "".join(f"{it:>21}" for it in columns))
    for kind in sorted(runs):
        print(f"  {kind:<12}" + "".join(f"{runs[kind][it]:>21}" for it in columns))
    print("Agents without source code, and why:\n" + "\n".join(unrun))
