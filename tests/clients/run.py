"""Builds the packages for Python and TypeScript from the description of a registry of the demo's sites, and
uses them as installed.

    tests/clients/run.py BINARIES PYTHON_ENVIRONMENT NODE_PACKAGES FOLDER

The description is checked by openapi-spec-validator. The packages are built in FOLDER and installed in
fresh environments below it. Each makes every call of `calls.py` by what is generated, and is used by what
is written by hand, as its README says.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = os.path.join(HERE, "../../clients")
sys.path[:0] = [os.path.join(HERE, ".."), PACKAGES]

from build import build, run, write
from calls import all_calls, check_complete, read
from openapi_spec_validator import validate
from registry_of_demo import agents_of_demo, registry
from typescript_client import program

# The registry of the examples.
EXAMPLE = "http://127.0.0.1:8080"
COMPILER = {
    "strict": True,
    "noUncheckedIndexedAccess": True,
    "module": "nodenext",
    "target": "es2022",
    "lib": ["es2022", "dom", "dom.iterable"],
    "types": ["node"],
    "outDir": "made",
}


def main():
    binaries, environment, packages, folder = [os.path.abspath(it) for it in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as data:
        database = f"sqlite:{data}/agentdex.db"
        arguments = ["--rate-limit", "off", "--database", database]
        with registry(os.path.join(binaries, "agentdex"), data, *arguments) as url:
            document = read(url, "/openapi.json")
            validate(document)
            print("openapi-spec-validator: the description is valid")
            calls = all_calls(url)
            check_complete(document, calls)
            description = os.path.join(data, "openapi.json")
            write(data, "openapi.json", json.dumps(document))
            wheel, package = build(description, environment, packages, folder)
            sites = sorted({it.split("/")[0] for it in agents_of_demo()})
            changes = [
                [os.path.join(binaries, "crawler"), "exclude", site, "--reason", "a test", "--database", database]
                for site in sites[:2]
            ]
            version = document["info"]["version"]
            in_python(environment, wheel, folder, url, calls, version, changes[0])
            in_typescript(packages, package, folder, url, document, calls, changes[1])


def in_python(environment, wheel, folder, url, calls, version, change):
    """Installs the wheel in a fresh environment, and uses it there."""
    fresh = os.path.join(folder, "python-environment")
    python = os.path.join(fresh, "bin", "python")
    run([os.path.join(environment, "bin", "python"), "-m", "venv", fresh], folder)
    # The packages that it needs were fetched with the tools.
    wheels = os.path.join(environment, "wheels")
    run([python, "-m", "pip", "install", "--quiet", "--no-index", "--find-links", wheels, wheel], folder)
    write(folder, "calls.json", json.dumps(calls))
    readme = os.path.join(PACKAGES, "python/README.md")
    for script, *arguments in [
        ("python_client.py", os.path.join(folder, "calls.json")),
        ("python_package.py", version, readme, *change),
    ]:
        subprocess.run([python, os.path.join(HERE, script), url, *arguments], check=True)


def in_typescript(packages, package, folder, url, document, calls, change):
    """Installs the package for npm in a fresh folder, checks programs by its types, and runs them."""
    fresh = os.path.join(folder, "typescript-folder")
    os.mkdir(fresh)
    modules = os.path.join(packages, "node_modules")
    write(fresh, "package.json", json.dumps({"type": "module"}))
    # The packages that it needs were fetched with the tools.
    needed = [os.path.join(modules, it) for it in ("openapi-fetch", "openapi-typescript-helpers")]
    run(["npm", "install", "--offline", "--install-links", "--no-audit", "--no-fund", package, *needed], fresh)
    with open(os.path.join(PACKAGES, "typescript/README.md"), encoding="utf8") as file:
        [example] = re.findall("```typescript\n(.*?)```", file.read(), re.DOTALL)
    with open(os.path.join(HERE, "typescript_package.ts"), encoding="utf8") as file:
        by_hand = file.read()
    programs = {
        "calls.ts": program(url, document, calls),
        "example.ts": example.replace(EXAMPLE, url),
        "package.ts": by_hand,
    }
    for name, text in programs.items():
        write(fresh, name, text)
    options = {**COMPILER, "typeRoots": [os.path.join(modules, "@types")]}
    write(fresh, "tsconfig.json", json.dumps({"compilerOptions": options, "files": list(programs)}))
    run([os.path.join(modules, ".bin", "tsc"), "--project", "."], fresh)
    subprocess.run(["node", "made/calls.js"], cwd=fresh, check=True)
    run(["node", "made/example.js"], fresh)
    subprocess.run(["node", "made/package.js", url, *change], cwd=fresh, check=True)
    print(f"{os.path.basename(package)} for TypeScript: used, the example of its README run")


if __name__ == "__main__":
    main()
