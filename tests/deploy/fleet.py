"""A registry on PostgreSQL: the services of its compose file, and the units of its machines, run all at once
on a server that asks for their password."""

import contextlib
import json
import os
import re
import stat

import compose
import container
import postgres
import units
from support import (KEY_DIRECTORY, OFFLINE, get, known_variables, read, replaced, run, running, settings, sign_key,
                     wait_for, wait_until, write)

FILE = "compose.postgresql.yml"
PASSWORD = "a b:c/d@e"
MACHINE = ["agentdex-crawler@1.service", "agentdex-crawler@2.service", "agentdex@indexer.service",
           "agentdex@web.service"]


def check(programs, _tools, folder):
    services = compose.services(FILE)
    server = services["postgres"]
    environment = {name: compose.filled(value, {"POSTGRES_PASSWORD": PASSWORD})
                   for name, value in server["environment"].items()}
    health = server["healthcheck"]["test"]
    assert health.pop(0) == "CMD", health
    parts = [environment[f"POSTGRES_{it}"] for it in ["USER", "PASSWORD", "DB"]]
    with postgres.server(*parts, health) as (port, _):
        run_services(programs, services, port, os.path.join(folder, "containers"))
    with postgres.server("agentdex", PASSWORD, "agentdex", health) as (port, certificate):
        run_machine(programs, port, certificate, os.path.join(folder, "machine"))


def run_services(programs, services, port, folder):
    """Runs all programs of the compose file on a new database, and looks what the others know of them."""
    used = {it for service in services.values() for it in service["environment"] if it.startswith("AGENTDEX_")}
    unknown = used - known_variables(programs) - {"AGENTDEX_DOMAIN", "AGENTDEX_UPSTREAM"}
    assert not unknown, f"no program has {unknown}"
    ours = {name: it for name, it in services.items() if it["image"] == "agentdex"}
    given = {"AGENTDEX_DOMAIN": "agentdex.example", "AGENTDEX_CONTACT": "https://agentdex.example/bot",
             "AGENTDEX_SIGN_KEY": "./sign.pem", "AGENTDEX_CRAWLER_KEYS": "./keys.json",
             "POSTGRES_PASSWORD": PASSWORD}
    files(programs, folder)
    webs = []
    with contextlib.ExitStack() as all_of_them:
        started = {}
        for name, service in ours.items():
            variables = compose.variables(container.image(), service, given, folder)
            variables = {key: value.replace("@postgres/", f"@127.0.0.1:{port}/") for key, value in variables.items()}
            program, = service["entrypoint"]
            command = [os.path.join(programs, program), *service.get("command", [])]
            log = os.path.join(folder, f"log of {name}")
            process = all_of_them.enter_context(
                running(command, log, cwd=folder, env=os.environ | OFFLINE | variables))
            started[name] = (process, variables[units.ADMIN[program]])
            webs += [variables["AGENTDEX_LISTEN"]] if program == "web" else []
        for process, admin in started.values():
            wait_for(f"http://{admin}/readyz", process)
            # By its size, an alert tells a file from a server.
            assert "agentdex_database_size_bytes" not in get(f"http://{admin}/metrics")
        process, admin = started["crawler-1"]
        wait_for_fleet(2, admin, process)
        assert json.loads(get(f"http://{webs[0]}{KEY_DIRECTORY}"))["keys"]
        same_secrets(webs)
    upstreams = services["caddy"]["environment"]["AGENTDEX_UPSTREAM"].split()
    assert upstreams == [f"{it}:8080" for it in ours if it.startswith("web")], upstreams
    targets = re.findall('"(.*?)"', compose.load(FILE)["configs"]["targets"]["content"])
    assert targets == [f"{it}:9464" for it in ours], targets
    assert all("database" in it["networks"] for it in ours.values())
    print(f"PostgreSQL: the {len(ours)} programs of the compose file became ready, and the crawlers are one fleet")


def run_machine(programs, port, certificate, folder):
    """Runs the services of a machine with the settings of the example for a server."""
    text = read("systemd", "agentdex.env")
    text = replaced(text, "(?m)^#(?=(AGENTDEX_(DATABASE|SECRETS|EXPORT)|PGPASSFILE)=)", "")
    environment = units.settings_in(folder, text)
    url, host = environment["AGENTDEX_DATABASE"], f"127.0.0.1:{port}"
    assert url.endswith("?sslmode=verify-full"), url
    environment["AGENTDEX_DATABASE"] = url.replace("db.example", host) + f"&sslrootcert={certificate}"
    line = re.search("(?m)^.* (db[.]example:5432:agentdex:agentdex:)PASSWORD$", read("systemd", "agentdex.env"))[1]
    # A colon is one of the password if a backslash stands before it.
    password = PASSWORD.replace(":", r"\:")
    write(environment["PGPASSFILE"], line.replace("db.example:5432", host) + password + "\n")
    os.chmod(environment["PGPASSFILE"], stat.S_IRUSR | stat.S_IWUSR)
    keys = run(os.path.join(programs, "crawler"), "key-directory", env=environment)
    write(environment["AGENTDEX_CRAWLER_KEYS"], keys)
    with contextlib.ExitStack() as all_of_them:
        for service in MACHINE:
            process, admin = all_of_them.enter_context(units.service(programs, service, environment, folder))
            wait_for(f"http://{admin}/readyz", process)
            if service == MACHINE[1]:
                wait_for_fleet(2, admin, process)
    follow = replaced(text, "(?m)^#(?=AGENTDEX_FOLLOW=)", "")
    environment |= {"AGENTDEX_FOLLOW": settings(follow)["AGENTDEX_FOLLOW"],
                    "AGENTDEX_INDEX": os.path.join(folder, "another index")}
    units.start(programs, "agentdex@web.service", environment, folder)
    print("PostgreSQL: the units of a machine became ready with a password in a file, over TLS")


def files(programs, folder):
    """Makes the files that the compose file mounts and the folders of its volumes."""
    write(os.path.join(folder, "seeds.txt"), "shop.example\n")
    os.mkdir(os.path.join(folder, "data"))
    key = sign_key(folder)
    keys = run(os.path.join(programs, "crawler"), "key-directory", "--sign-key", key)
    write(os.path.join(folder, "keys.json"), keys)


def same_secrets(webs):
    """Compares the keys with which web nodes sign."""
    keys = {get(f"http://{it}/.well-known/jwks.json") for it in webs}
    assert len(webs) == 2 and len(keys) == 1, keys


def wait_for_fleet(number, admin, program):
    """Waits until a crawler is one of a number of them."""
    def is_known():
        return f"agentdex_crawler_fleet_members {number}\n" in get(f"http://{admin}/metrics")
    wait_until(is_known, program, f"there are not {number} crawlers")
