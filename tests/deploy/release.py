"""The release: its workflow linted, and its steps run with the programs built here.

Two steps are only linted, since they compile for hours on a machine of the gate: the build, and the list of
materials. Releases of a forge are made by its own program, which is replaced by one that keeps what it is given.
"""

import os
import re
import subprocess
import tarfile

from ruamel.yaml import YAML
from support import WORKSPACE, copy_tracked, run, write

WORKFLOW = os.path.join(WORKSPACE, ".github/workflows/release.yml")
SCRIPTS = os.path.join(WORKSPACE, "deploy/release")
TARGET = "x86_64-unknown-linux-musl"
COMPILING = ["Install the C compiler", "Build", "List the materials"]
PROGRAMS = ["agentdex", "crawler", "indexer", "web"]
FORGE = '#!/bin/sh\nprintf "%s\\n" "$@" >forge.txt\n'


def check(programs, tools, folder):
    with open(WORKFLOW, encoding="utf8") as file:
        jobs = YAML(typ="safe").load(file)["jobs"]
    steps = [step for job in jobs.values() for step in job["steps"]]
    lint(tools, steps, folder)
    version = run(os.path.join(programs, "agentdex"), "--version").split()[1]
    place = os.path.join(folder, "source")
    stage(programs, place)
    follow(steps, place, version)
    name = f"agentdex-{version}-{TARGET}"
    files = look_into(os.path.join(place, "packed"), name)
    notes(place, version)
    print(f"release: linted; {name}.tar.gz has {len(files)} files, and its checksum holds")


def lint(tools, steps, folder):
    run(os.path.join(tools, "check-jsonschema"), "--builtin-schema", "vendor.github-workflows", WORKFLOW)
    run(os.path.join(tools, "zizmor"), "--offline", "--no-progress", WORKFLOW)
    texts = [step["run"] for step in steps if "run" in step]
    assert len(texts) >= 6, texts
    paths = [os.path.join(SCRIPTS, name) for name in sorted(os.listdir(SCRIPTS))]
    for number, text in enumerate(texts):
        paths.append(os.path.join(folder, f"step-{number}"))
        write(paths[-1], f"#!/usr/bin/env bash\n{text}\n")
    run(os.path.join(tools, "shellcheck"), *paths)


def stage(programs, place):
    """Lays out the repository with the programs where the build puts them."""
    copy_tracked(place, lambda path: True)
    built = os.path.join(place, "target", TARGET, "release")
    os.makedirs(built)
    # Packing programs of a debug build would take minutes: scripts that call them are packed.
    for program in PROGRAMS:
        executable(os.path.join(built, program), f'#!/bin/sh\nexec "{os.path.join(programs, program)}" "$@"\n')
    executable(os.path.join(place, "bin/gh"), FORGE)
    author = ["-c", "user.name=a", "-c", "user.email=a@agentdex.example"]
    run("git", "init", "--quiet", cwd=place)
    run("git", *author, "commit", "--quiet", "--allow-empty", "--message", "A commit", cwd=place)


def executable(path, text):
    write(path, text)
    os.chmod(path, 0o755)


def follow(steps, place, version):
    """Runs the steps as the runner does; packing twice gives the same bytes."""
    environment = os.environ | {"TARGET": TARGET, "TAG": f"v{version}",
                                "PATH": f"{os.path.join(place, 'bin')}:{os.environ['PATH']}"}
    wanted = [step for step in steps if "run" in step and step["name"] not in COMPILING]
    assert [step["name"] for step in wanted] == ["Pack", "Sum", "Publish"], wanted
    for step in wanted:
        run("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"], cwd=place, env=environment)
    archive = os.path.join(place, "packed", f"agentdex-{version}-{TARGET}.tar.gz")
    with open(archive, "rb") as file:
        before = file.read()
    pack = next(step["run"] for step in wanted if step["name"] == "Pack")
    run("bash", "-eo", "pipefail", "-c", pack, cwd=place, env=environment)
    with open(archive, "rb") as file:
        assert file.read() == before, "another archive of the same programs"


def look_into(packed, name):
    """Unpacks the archive, runs its programs, and gives the names of its files."""
    run("sha256sum", "--check", "SHA256SUMS", cwd=packed)
    with tarfile.open(os.path.join(packed, f"{name}.tar.gz")) as archive:
        files = [member.name.removeprefix(f"{name}/") for member in archive if member.isfile()]
        owners = {(member.uid, member.gid) for member in archive}
        archive.extractall(packed, filter="data")
    assert owners == {(0, 0)}, owners
    for program in PROGRAMS:
        assert f"man/man1/{program}.1" in files and f"completions/{program}.bash" in files, files
        run(os.path.join(packed, name, program), "--version")
        run("bash", "-n", os.path.join(packed, name, f"completions/{program}.bash"))
    for path in ["README.md", "LICENSE-MIT", "deploy/systemd/agentdex.service", "docs/getting-started.md",
                 "deploy/agentdex-backup-daily", "deploy/as-agentdex"]:
        assert path in files, f"{path} is not in the archive"
    return files


def notes(place, version):
    """Compares what was published with the changelog."""
    with open(os.path.join(place, "forge.txt"), encoding="utf8") as file:
        given = file.read()
    assert given.startswith(f"release\ncreate\nv{version}\n") and "packed/SHA256SUMS" in given, given
    with open(os.path.join(place, "notes.md"), encoding="utf8") as file:
        assert re.search("(?m)^- ", file.read()), "no changes are listed"
    unknown = subprocess.run(["deploy/release/notes", "99.0.0"], cwd=place, text=True, capture_output=True)
    assert unknown.returncode == 1 and "99.0.0" in unknown.stderr, unknown
