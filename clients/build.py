"""Builds the packages for Python and TypeScript: the code in this folder over code generated from a
description of the API.

    clients/build.py DESCRIPTION PYTHON_ENVIRONMENT NODE_PACKAGES FOLDER

DESCRIPTION is the `/openapi.json` of a registry, which gives the packages their version. The environment
has openapi-python-client and setuptools, the folder of packages openapi-typescript, openapi-fetch and
typescript; `tests/run clients` installs both, and builds the packages in `target/clients`. FOLDER gets
`agentdex-VERSION-py3-none-any.whl` and `agentdex-VERSION.tgz`.
"""

import glob
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# The generator knows no compressed files.
SETTINGS = {"content_type_overrides": {"application/zstd": "application/octet-stream"}, "post_hooks": []}


def main():
    description, environment, packages, folder = [os.path.abspath(it) for it in sys.argv[1:]]
    for package in build(description, environment, packages, folder):
        print(package)


def build(description, environment, packages, folder):
    """Builds both packages, and returns their paths."""
    with open(description, encoding="utf8") as file:
        version = json.load(file)["info"]["version"]
    shutil.rmtree(folder, ignore_errors=True)
    wheel = in_python(description, version, environment, folder)
    return wheel, in_typescript(description, version, packages, folder)


def in_python(description, version, environment, folder):
    """Builds the wheel; the generator must have nothing to warn about."""
    place = staged("python", folder)
    write(place, "VERSION", version)
    write(place, "settings.json", json.dumps(SETTINGS))
    command = ["openapi-python-client", "generate", "--meta", "none", "--fail-on-warning"]
    command += ["--path", description, "--output-path", "agentdex/openapi", "--config", "settings.json"]
    run([os.path.join(environment, "bin", command[0]), *command[1:]], place)
    pip = [os.path.join(environment, "bin", "python"), "-m", "pip", "wheel", "--quiet"]
    # The environment has what a build needs.
    run([*pip, "--no-build-isolation", "--no-deps", "--wheel-dir", folder, "."], place)
    return only(folder, "whl")


def in_typescript(description, version, packages, folder):
    """Builds the package for npm."""
    place = staged("typescript", folder)
    modules = os.path.join(packages, "node_modules")
    os.symlink(modules, os.path.join(place, "node_modules"))
    with open(os.path.join(place, "package.json"), encoding="utf8") as file:
        stated = json.load(file)
    write(place, "package.json", json.dumps({**stated, "version": version}, indent=4))
    tools = os.path.join(modules, ".bin")
    run([os.path.join(tools, "openapi-typescript"), description, "--output", "src/openapi.ts"], place)
    run([os.path.join(tools, "tsc"), "--project", "."], place)
    run(["npm", "pack", "--silent", "--pack-destination", folder], place)
    return only(folder, "tgz")


def staged(language, folder):
    """Copies the code of a language, with the licences, to a folder of its own; returns that."""
    place = os.path.join(folder, language)
    shutil.copytree(os.path.join(HERE, language), place)
    for licence in glob.glob(os.path.join(HERE, "..", "LICENSE-*")):
        shutil.copy(licence, place)
    return place


def only(folder, extension):
    """Returns the one file with an extension in a folder."""
    [path] = glob.glob(os.path.join(folder, f"*.{extension}"))
    return path


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
