"""The image and its compose files: linted; the steps of the Dockerfile up to its build, and the program with its
settings and its health check.

The build itself is not run: it needs a daemon, and takes long. Its context is laid out in a clean folder, where
Cargo has to accept the workspace, and every file must be that went into the programs built here.
"""

import json
import os
import re
import shlex
import shutil
import subprocess

import compose
from support import (DEPLOY, KEY_DIRECTORY, OFFLINE, WORKSPACE, copy_tracked, get, read, replaced, run, running,
                     sign_key, wait_for, write)

PROGRAMS = ["agentdex", "crawler", "indexer", "web"]


def check(programs, tools, folder):
    run(os.path.join(tools, "hadolint"), os.path.join(DEPLOY, "Dockerfile"))
    for name in compose.FILES:
        run(os.path.join(tools, "check-jsonschema"), "--builtin-schema", "vendor.compose-spec",
            os.path.join(DEPLOY, name))
    instructions = parsed()
    context, source = os.path.join(folder, "context"), os.path.join(folder, "source")
    copy_context(context)
    copy_sources(instructions, context, source)
    build_would_find_its_files(programs, instructions, source)
    mounted = sum(compose.mounts(name, {}) for name in compose.FILES)
    print(f"container: linted; every file of the build is in its context, and the {mounted} files of compose exist")
    start(programs, instructions, folder)


def parsed():
    """Gives the instructions of the Dockerfile, with lines that go on joined."""
    text = re.sub(r"\\\n", " ", re.sub("(?m)^#.*\n", "", read("Dockerfile")))
    return [line.split(None, 1) for line in text.splitlines() if line]


def values(instructions, name):
    """Gives the arguments of all instructions of a name."""
    return [rest for instruction, rest in instructions if instruction == name]


def copy_context(context):
    """Copies what the ignore file leaves of the files that are tracked."""
    patterns = read("Dockerfile.dockerignore").splitlines()
    assert "*" in patterns, "everything is ignored that is not named"
    kept = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    copy_tracked(context, lambda path: any(path == it or path.startswith(f"{it}/") for it in kept))


def copy_sources(instructions, context, source):
    """Follows the COPY instructions from the context."""
    for rest in values(instructions, "COPY"):
        *paths, target = shlex.split(rest)
        if paths[0].startswith("--from="):
            continue
        for path in paths:
            place = os.path.join(context, path)
            assert os.path.exists(place), f"COPY {path}: it is not in the context"
            if target.startswith("/"):
                continue
            if os.path.isdir(place):
                shutil.copytree(place, os.path.join(source, target))
            else:
                write(os.path.join(source, path), open(place, encoding="utf8").read())


def build_would_find_its_files(programs, instructions, source):
    """Compares the files that went into our programs with those of the build, which must build the same ones."""
    build = next(it for it in values(instructions, "RUN") if "cargo build" in it)
    assert re.findall(r"--bin (\S+)", build) == PROGRAMS, build
    run("cargo", "tree", "--workspace", "--locked", "--offline", cwd=source)
    for program in PROGRAMS:
        with open(os.path.join(programs, f"{program}.d"), encoding="utf8") as file:
            files = file.read().split(": ", 1)[1].split()
        inside = [os.path.relpath(it, WORKSPACE) for it in files if it.startswith(f"{WORKSPACE}/")]
        inside = [it for it in inside if not it.startswith("target/")]
        assert len(inside) > 100, inside
        missing = [it for it in inside if not os.path.exists(os.path.join(source, it))]
        assert not missing, f"not in the context of the build: {missing}"


def image():
    """Gives the variables of the image."""
    return dict(pair.split("=", 1) for it in values(parsed(), "ENV") for pair in it.split())


def start(programs, instructions, folder):
    """Runs the image's command with the settings of image and compose file, and its health check."""
    given = {"AGENTDEX_DOMAIN": "agentdex.example", "AGENTDEX_CONTACT": "https://agentdex.example/bot",
             "AGENTDEX_SIGN_KEY": "./sign.pem"}
    variables = compose.variables(image(), compose.services("compose.yml")["agentdex"], given, folder)
    write(os.path.join(folder, "seeds.txt"), "shop.example\n")
    sign_key(folder)
    program = shlex.split(values(instructions, "ENTRYPOINT")[0].strip("[]"))[0]
    health = shlex.split(values(instructions, "HEALTHCHECK")[0].split("CMD", 1)[1].strip(" []").replace(",", " "))
    # Alpine's wget is that of BusyBox.
    admin = variables["AGENTDEX_ADMIN_LISTEN"]
    health = ["busybox", *(replaced(it, "127.0.0.1:9464/", f"{admin}/") if "://" in it else it for it in health)]
    command = [os.path.join(programs, program)]
    with running(command, os.path.join(folder, "log"), cwd=folder, env=OFFLINE | variables) as process:
        wait_for(f"http://{admin}/readyz", process)
        run(*health)
        assert json.loads(get(f"http://{variables['AGENTDEX_LISTEN']}{KEY_DIRECTORY}"))["keys"]
    failed = subprocess.run(health, stderr=subprocess.DEVNULL).returncode
    assert failed != 0, "the health check passes without a program"
    print("container: the program became ready with the settings of the image and a key, and its health check saw it")
