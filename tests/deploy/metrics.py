"""Alerts and dashboard: checked by promtool, and shown by a real Prometheus that asks a new registry.

A metric that appears only later, such as with the first visit, is an alert that cannot fire until then.
"""

import json
import os
import re
import shutil
import time
import urllib.parse

from ruamel.yaml import YAML
from support import DEPLOY, WORKSPACE, free_port, get, read, registry, replaced, run, running, wait_for, write

NAME = "registry.example"
SECONDS_TO_SCRAPE = 30
# A rate needs two scrapes.
SCRAPES = 3
SELECTOR = re.compile(r"\b((?:agentdex|process)_\w+|up\b)(\{[^}]*\})?")


def check(programs, _tools, folder):
    files = os.path.join(folder, "prometheus")
    shutil.copytree(os.path.join(DEPLOY, "prometheus"), files)
    run("promtool", "check", "config", "prometheus.yml", cwd=files)
    run("promtool", "test", "rules", "alerts_test.yml", cwd=files)
    rules = [rule for group in yaml("alerts.yml")["groups"] for rule in group["rules"]]
    explained(rules)
    dashboard = json.loads(read("grafana", "agentdex.json"))
    panels = arranged(dashboard)
    for name in ["datasource.yml", "dashboards.yml"]:
        assert YAML(typ="safe").load(read("grafana", name))["apiVersion"] == 1
    port = free_port()
    config = replaced(read("prometheus", "prometheus.yml"), "interval: 15s", "interval: 1s")
    write(os.path.join(files, "prometheus.yml"), config)
    prometheus = ["prometheus", f"--config.file={files}/prometheus.yml", f"--storage.tsdb.path={folder}/metrics",
                  f"--web.listen-address=127.0.0.1:{port}",
                  # As Prometheus 3 does by itself.
                  "--enable-feature=expand-external-labels"]
    url = f"http://127.0.0.1:{port}"
    with (registry(programs, folder) as (_, admin),
          running(prometheus, os.path.join(folder, "log of prometheus"),
                  env=os.environ | {"AGENTDEX_DOMAIN": NAME}) as program):
        wait_for(f"{url}/-/ready", program)
        leads_to(f"https://{NAME}", url)
        # Read again whenever it changes.
        write(os.path.join(files, "agentdex.targets.yml"), f'- targets: ["127.0.0.1:{admin}"]\n')
        wait_for_scrapes(url)
        shown(url, rules, panels)


def leads_to(registry, url):
    """Looks where links of alerts begin, without a replacement in the file."""
    in_force = YAML(typ="safe").load(json.loads(get(f"{url}/api/v1/status/config"))["data"]["yaml"])
    labels = in_force["global"]["external_labels"]
    assert labels == {"registry": registry}, labels


def yaml(name):
    return YAML(typ="safe").load(read("prometheus", name))


def explained(rules):
    """Looks for the explanation of each alert, and for its test, in which it fires once and waits once."""
    with open(os.path.join(WORKSPACE, "docs/operating.md"), encoding="utf8") as file:
        headings = re.findall(r"(?m)^#+ (.*)$", file.read())
    names = [rule["alert"] for rule in rules]
    for rule in rules:
        place = f"/docs/operating#{rule['alert'].lower()}"
        assert rule["annotations"]["runbook_url"].endswith(place), rule
        assert {"summary", "description"} <= set(rule["annotations"]) and rule["labels"]["severity"], rule
        assert rule["alert"] in headings, f"docs/operating.md does not explain {rule['alert']}"
    explained_only = [it for it in headings if it.startswith("Agentdex") and it not in names]
    assert not explained_only, explained_only
    tests = {test["name"]: test["promql_expr_test"] for test in yaml("alerts_test.yml")["tests"]}
    assert list(tests) == names, "each alert has one test, in the order of the alerts"
    for name, (before, after) in tests.items():
        assert before["exp_samples"] == [] and len(after["exp_samples"]) == 1, name
        assert f'alertname="{name}",instance="bad"' in after["exp_samples"][0]["labels"], name
    print(f"alerts: {len(names)} alerts are explained, and fire where they should")


def arranged(dashboard):
    """Checks that panels have what a reader needs and do not overlap, and gives those with queries."""
    taken, ids = set(), set()
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                 for y in range(place["y"], place["y"] + place["h"])}
        assert not cells & taken and place["x"] + place["w"] <= 24, f"{panel['title']} overlaps"
        assert panel["id"] not in ids, panel["id"]
        taken |= cells
        ids.add(panel["id"])
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    for panel in panels:
        assert panel["description"] and panel["fieldConfig"]["defaults"]["unit"], panel["title"]
        for source in [panel, *panel["targets"], dashboard["annotations"]["list"][0]]:
            assert source["datasource"]["uid"] == "${datasource}", panel["title"]
    return panels


def query(url, kind, parameter, value):
    """Gives the data of a query to Prometheus, or fails with its message."""
    answer = json.loads(get(f"{url}/api/v1/{kind}?{urllib.parse.urlencode({parameter: value})}"))
    assert answer["status"] == "success", answer
    return answer["data"]


def wait_for_scrapes(url):
    end = time.monotonic() + SECONDS_TO_SCRAPE
    while time.monotonic() < end:
        result = query(url, "query", "query", 'count_over_time((up{job="agentdex"} == 1)[1m:1s])')["result"]
        if result and int(result[0]["value"][1]) >= SCRAPES:
            return
        time.sleep(0.2)
    raise AssertionError(query(url, "targets", "state", "active"))


def shown(url, rules, panels):
    """Runs every expression: what it selects is there, dashboards show something, and no alert fires."""
    alerts = [rule["expr"] for rule in rules]
    graphs = [target["expr"] for panel in panels for target in panel["targets"]]
    graphs = [it.replace("$instance", ".*").replace("$__rate_interval", "1m") for it in graphs]
    selectors = {"".join(found) for text in alerts + graphs for found in SELECTOR.findall(text)}
    missing = sorted(it for it in selectors if not query(url, "series", "match[]", it))
    assert not missing, f"a new registry does not have {missing}"
    empty = [it for it in graphs if not query(url, "query", "query", it)["result"]]
    assert not empty, f"nothing to show: {empty}"
    judged = [rule for group in query(url, "rules", "type", "alert")["groups"] for rule in group["rules"]]
    assert len(judged) == len(rules) and all(it["health"] == "ok" for it in judged), judged
    firing = [it["name"] for it in judged if it["state"] == "firing"]
    assert not firing, f"a new registry fires {firing}"
    print(f"dashboard: all {len(selectors)} selected series are there, and all {len(graphs)} queries show something")
