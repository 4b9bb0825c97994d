"""Generates clients from the description of a registry of the demo's sites, and reads everything with them.

    tests/clients/run.py AGENTDEX PYTHON_ENVIRONMENT NODE_PACKAGES FOLDER

The description is checked by openapi-spec-validator. The clients are generated in FOLDER by
openapi-python-client and by openapi-typescript, and each makes every call of `calls.py`.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))

from calls import all_calls, check_complete, read
from openapi_spec_validator import validate
from python_client import PACKAGE
from registry_of_demo import registry
from typescript_client import program

HERE = os.path.dirname(os.path.abspath(__file__))
# The generator knows no compressed files.
SETTINGS = {"content_type_overrides": {"application/zstd": "application/octet-stream"}, "post_hooks": []}
COMPILER = {
    "strict": True,
    "module": "nodenext",
    "target": "es2022",
    "lib": ["es2022", "dom"],
    "types": ["node"],
    "skipLibCheck": True,
    "outDir": "made",
}


def main():
    agentdex, environment, packages, folder = [os.path.abspath(it) for it in sys.argv[1:]]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    with tempfile.TemporaryDirectory() as data, registry(agentdex, data, "--rate-limit", "off") as url:
        document = read(url, "/openapi.json")
        validate(document)
        print("openapi-spec-validator: the description is valid")
        calls = all_calls(url)
        check_complete(document, calls)
        for name, content in [("openapi.json", document), ("calls.json", calls), ("settings.json", SETTINGS)]:
            write(folder, name, json.dumps(content))
        in_python(environment, folder, url)
        in_typescript(packages, folder, url, document, calls)


def in_python(environment, folder, url):
    """Generates the client in Python, without a warning, and makes the calls."""
    place = os.path.join(folder, PACKAGE)
    command = ["openapi-python-client", "generate", "--meta", "none", "--fail-on-warning"]
    command += ["--path", "openapi.json", "--output-path", place, "--config", "settings.json"]
    run([os.path.join(environment, "bin", command[0]), *command[1:]], folder)
    script = os.path.join(HERE, "python_client.py")
    subprocess.run([os.path.join(environment, "bin", "python"), script, folder, url, f"{folder}/calls.json"], check=True)


def in_typescript(packages, folder, url, document, calls):
    """Generates the types in TypeScript, checks the calls by them, and makes the calls."""
    os.symlink(os.path.join(packages, "node_modules"), os.path.join(folder, "node_modules"))
    write(folder, "package.json", json.dumps({"type": "module"}))
    write(folder, "tsconfig.json", json.dumps({"compilerOptions": COMPILER, "files": ["calls.ts"]}))
    write(folder, "calls.ts", program(url, document, calls))
    tools = os.path.join(packages, "node_modules", ".bin")
    run([os.path.join(tools, "openapi-typescript"), "openapi.json", "--output", "types.ts"], folder)
    run([os.path.join(tools, "tsc"), "--project", "."], folder)
    subprocess.run(["node", "made/calls.js"], cwd=folder, check=True)


def run(command, folder):
    """Runs a tool, and shows what it says only if it fails."""
    ran = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ran.returncode != 0:
        sys.exit(f"{os.path.basename(command[0])} failed:\n{ran.stdout[-8000:]}")


def write(folder, name, text):
    """Writes a file."""
    with open(os.path.join(folder, name), "w", encoding="utf8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
