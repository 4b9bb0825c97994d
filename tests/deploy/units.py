"""The units of systemd: verified, their exposure measured, and run with the example of settings."""

import contextlib
import json
import os
import re
import shutil
import stat
import subprocess
import time

from support import (DEPLOY, KEY_DIRECTORY, OFFLINE, free_port, get, known_variables, read, replaced, run, running,
                     settings, sign_key, wait_for, write)

# Of 10, which is a service without any hardening.
MAX_EXPOSURE = 2.5
FILES = ["agentdex.service", "agentdex@.service", "agentdex-crawler@.service", "agentdex-backup.service"]
# Those of a registry in a file, and those that a server needs.
REGISTRY = ["agentdex.service", "agentdex@crawler.service", "agentdex@indexer.service", "agentdex@web.service"]
SERVICES = [*REGISTRY, "agentdex-crawler@1.service", "agentdex-backup.service"]
ADMIN = {"agentdex": "AGENTDEX_ADMIN_LISTEN", "web": "AGENTDEX_ADMIN_LISTEN",
         "crawler": "AGENTDEX_CRAWLER_ADMIN_LISTEN", "indexer": "AGENTDEX_INDEXER_ADMIN_LISTEN"}


def check(programs, tools, folder):
    root = os.path.join(folder, "root")
    install(root)
    same_everywhere()
    said = run("systemd-analyze", "verify", "--man=no", f"--root={root}", *SERVICES, "agentdex-backup.timer")
    # An option that it does not understand is ignored with a warning only.
    assert not said, said
    for service in SERVICES:
        print(f"systemd: exposure of {service} is {exposure(root, service)}")
    scripts = [os.path.join(DEPLOY, it) for it in ["agentdex-backup-daily", "as-agentdex"]]
    run(os.path.join(tools, "shellcheck"), *scripts)
    example = read("systemd", "agentdex.env")
    unknown = set(re.findall(r"(?m)^#?(AGENTDEX_\w+)=", example)) - known_variables(programs)
    assert not unknown, f"no program has {unknown}"
    environment = settings_in(folder, example)
    keys = run(os.path.join(programs, "crawler"), "key-directory", env=environment)
    write(environment["AGENTDEX_CRAWLER_KEYS"], keys)
    for it in REGISTRY:
        start(programs, it, environment, folder)
    back_up(programs, environment, folder)
    command_has_settings(folder)


def install(root):
    """Installs the units in an empty root beside those of this system, as the guide says."""
    units = os.path.join(root, "etc/systemd/system")
    shutil.copytree(os.path.join(DEPLOY, "systemd"), units, symlinks=True)
    shutil.copytree("/lib/systemd/system", os.path.join(root, "lib/systemd/system"), symlinks=True)
    # It is only looked whether they are there.
    for program in ["agentdex", "crawler", "indexer", "web", "agentdex-backup-daily"]:
        path = os.path.join(root, "usr/local/bin", program)
        write(path, "#!/bin/sh\n")
        os.chmod(path, stat.S_IRWXU)


def same_everywhere():
    """Compares what all units have in common: a unit that is copied alone has to be safe."""
    texts = [read("systemd", it) for it in FILES]
    parts = {re.search(r"(?s)# From here on.*?(?=\n\[Install\]|$)", text)[0].rstrip() for text in texts}
    assert len(parts) == 1 and "User=agentdex" in parts.pop(), "the units differ in their common part"


def exposure(root, service):
    """Measures the exposure of a service, which has a limit."""
    output = run("systemd-analyze", "security", "--offline=true", f"--root={root}", "--no-pager",
                 f"--threshold={MAX_EXPOSURE * 10:.0f}", service)
    return re.search(r"Overall exposure level for \S+: ([0-9.]+)", output)[1]


def settings_in(folder, text):
    """Gives the settings of a text, with the folders and ports of a test."""
    text = replaced(text, "/var/lib/agentdex", os.path.join(folder, "data"))
    text = replaced(text, "/etc/agentdex", folder)
    text = replaced(text, r"(?<=127.0.0.1:)\d+", lambda _: str(free_port()))
    # With a key, as the guide says.
    text = replaced(text, "(?m)^#(?=AGENTDEX_(SIGN|CRAWLER_KEYS))", "")
    # A comment is a line of its own: systemd takes any other for a part of the value.
    assert "#" not in re.sub("(?m)^#.*$", "", text), text
    write(os.path.join(folder, "seeds.txt"), "shop.example\n")
    os.makedirs(os.path.join(folder, "data"), exist_ok=True)
    sign_key(folder)
    return os.environ | OFFLINE | settings(text)


def option(unit, name):
    """Gives the value of an option of a unit, in which its instance may stand; none if it has no such option."""
    instance = re.search("@(.*)[.]service", unit)
    text = read("systemd", unit.replace(instance[1], "") if instance else unit)
    value = re.search(f"(?m)^{name}=(.*)$", text)
    return value and value[1].replace("%i", instance[1] if instance else "%i")


@contextlib.contextmanager
def service(programs, unit, environment, folder):
    """Runs the command of a service, and gives the program with the address of its health."""
    name, *arguments = option(unit, "ExecStart").removeprefix("/usr/local/bin/").split()
    # One on the command line takes precedence.
    admin = f"127.0.0.1:{free_port()}" if "--admin-listen" in arguments else environment[ADMIN[name]]
    arguments = [re.sub(r"127[.]0[.]0[.]1:\d{4}$", admin, it) for it in arguments]
    environment = environment | settings(option(unit, "Environment") or "")
    command = [os.path.join(programs, name), *arguments]
    with running(command, os.path.join(folder, f"log of {unit}"), cwd=folder, env=environment) as program:
        yield program, admin


def start(programs, unit, environment, folder):
    """Runs a service until it is ready, and stops it within the time of the unit."""
    with service(programs, unit, environment, folder) as (program, admin):
        wait_for(f"http://{admin}/readyz", program)
        if unit in ["agentdex.service", "agentdex@web.service"]:
            assert json.loads(get(f"http://{environment['AGENTDEX_LISTEN']}{KEY_DIRECTORY}"))["keys"]
        program.terminate()
        begun = time.monotonic()
        program.wait()
    seconds, allowed = time.monotonic() - begun, int(option(unit, "TimeoutStopSec"))
    assert seconds < allowed, f"{unit} stopped in {seconds} s of {allowed} s"
    print(f"systemd: {unit} became ready, and stopped in {seconds:.1f} s")


def back_up(programs, environment, folder):
    """Runs the command of the backup, beside backups of former days."""
    backups = os.path.join(folder, "backups")
    for day in range(1, 9):
        write(os.path.join(backups, f"agentdex-2026-01-{day:02}.backup.tar.zst"), "")
    write(os.path.join(backups, "notes.txt"), "")
    command, _, number = option("agentdex-backup.service", "ExecStart").split()
    path = f"{programs}{os.pathsep}{environment['PATH']}"
    run(os.path.join(DEPLOY, os.path.basename(command)), backups, number, env=environment | {"PATH": path})
    left = sorted(os.listdir(backups))
    assert left.pop() == "notes.txt", left
    assert len(left) == int(number) and left[0] == "agentdex-2026-01-03.backup.tar.zst", left
    assert os.path.getsize(os.path.join(backups, left[-1])) > 0, left
    print(f"systemd: a backup was verified, and the newest {number} were kept")


def command_has_settings(folder):
    """Runs commands with settings that a shell would read in another way than systemd."""
    place = os.path.join(folder, "command")
    script = os.path.join(place, "as-agentdex")
    write(script, replaced(read("as-agentdex"), "/etc/agentdex", place))
    # Runs the command as the present user: the one of the service is none here.
    write(os.path.join(place, "runuser"), '#!/bin/sh\nshift 3\nexec "$@"\n')
    for path in [script, os.path.join(place, "runuser")]:
        os.chmod(path, stat.S_IRWXU)
    expected = {"AGENTDEX_CONTACT": "A & B <a@b.example>; $HOME `id` it's #1", "AGENTDEX_SEEDS": " a b ",
                "AGENTDEX_INDEX": "", "AGENTDEX_DATABASE": "sqlite:/a?b=c"}
    text = "".join(f"{name}={value}\n" for name, value in (expected | {"AGENTDEX_SEEDS": '" a b "'}).items())
    environment = {"PATH": f"{place}{os.pathsep}{os.environ['PATH']}"}
    lines = f"# A comment\n\n{read('systemd', 'agentdex.env')}; another one\n{text}"
    for end in ["", "AGENTDEX_LISTEN=8080"]:
        write(os.path.join(place, "agentdex.env"), lines + end)
        found = settings(run(script, "env", env=environment))
        wrong = {name: found.get(name) for name, value in expected.items() if found.get(name) != value}
        assert not wrong and found["AGENTDEX_LISTEN"] == (end.partition("=")[2] or "127.0.0.1:8080"), (wrong, found)
    for line in ["A=a\\b", 'A="a', "A='a' 'b'", "A= a", "a b"]:
        write(os.path.join(place, "agentdex.env"), f"{line}\n")
        refused = subprocess.run([script, "env"], env=environment, text=True, capture_output=True)
        assert refused.returncode == 1 and "agentdex.env: " in refused.stderr and not refused.stdout, refused
    print("systemd: as-agentdex gives commands the settings of the services")
