"""Asks the API of a registry of the demo's sites what its own description allows, and what it does not.

    tests/api.py AGENTDEX SCHEMATHESIS

Fails on a server error, an undocumented status, an answer that breaks its schema, and an invalid
request that is accepted. One check of the tool is left out: `positive_data_acceptance` takes each
text that fits its schema for acceptable, but a domain that no site can have, a forged cursor and a
manifest that no format can be made of are answered with 400 and 422. One address is left out as well:
`/api/v1/changes/stream` is an event stream, which goes on for as long as its client listens.
"""

import os
import re
import subprocess
import sys
import tempfile

from registry_of_demo import registry

# Cases that the run must reach, and those generated for each operation at most.
MIN_CASES = 2_000
MAX_EXAMPLES = 250


# A body above the limit is refused as such, which the tool does not count as a refusal by itself.
SETTINGS = """
hooks = "hooks.py"

[checks]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429]
"""

# In a query, an empty object is sent as an empty value, which `allowEmptyValue` of the parameter permits.
HOOKS = """
import schemathesis


@schemathesis.hook
def filter_query(context, query):
    return {} not in (query or {}).values()
"""


def main():
    agentdex, schemathesis = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder, registry(agentdex, folder, "--rate-limit", "off") as url:
        return judge(os.path.abspath(schemathesis), url, folder)


def judge(schemathesis, url, folder):
    """Runs the tool in a folder, where it keeps notes; the status is its own, unless it generated too few cases."""
    with open(f"{folder}/schemathesis.toml", "w", encoding="utf8") as settings:
        settings.write(SETTINGS)
    with open(f"{folder}/hooks.py", "w", encoding="utf8") as hooks:
        hooks.write(HOOKS)
    arguments = ["run", f"{url}/openapi.json", "--url", url, "--no-color"]
    arguments += ["--checks", "all", "--exclude-checks", "positive_data_acceptance"]
    arguments += ["--exclude-path", "/api/v1/changes/stream"]
    # With more workers, the tool's own cache of syntax trees fails now and then.
    arguments += ["--phases", "examples,coverage,fuzzing", "--workers", "1"]
    arguments += ["--max-examples", str(MAX_EXAMPLES), "--generation-deterministic"]
    ran = subprocess.run([schemathesis, *arguments], capture_output=True, text=True, cwd=folder)
    print("\n".join(line[:400] for line in ran.stdout.splitlines()))
    print(ran.stderr[-4000:], file=sys.stderr)
    cases = re.search(r"([\d,]+) generated", ran.stdout)
    count = int(cases[1].replace(",", "")) if cases else 0
    if ran.returncode == 0 and count < MIN_CASES:
        print(f"only {count} cases were generated, not {MIN_CASES}", file=sys.stderr)
        return 1
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
