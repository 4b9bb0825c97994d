"""The compose files: services as Compose puts them together, and the variables of their programs here."""

import os
import re

from ruamel.yaml import YAML
from support import DEPLOY, free_port, read, replaced

FILES = ["compose.yml", "compose.postgresql.yml"]
SETTING = re.compile(r"\$\{(\w+)(?::([-+?])([^${}]*))?\}")


def services(name):
    """Gives the services of a file, with what they take from another one."""
    return {service: extended(text) for service, text in load(name)["services"].items()}


def load(name):
    return YAML(typ="safe").load(read(name))


def extended(service):
    """Adds what a service takes from another one: variables one by one, lists at their end."""
    if "extends" not in service:
        return service
    base = services(service["extends"]["file"])[service["extends"]["service"]]
    merged = base | service
    for key in base.keys() & service.keys() & {"environment", "volumes", "networks"}:
        merged[key] = base[key] | service[key] if isinstance(base[key], dict) else [*base[key], *service[key]]
    return merged


def filled(text, settings):
    """Gives a text with settings in the place of their names."""
    def value(found):
        name, operator, word = found.groups()
        setting = settings.get(name, "")
        if operator == "+":
            return word if setting else ""
        if operator == "-":
            return setting or word
        assert setting, f"{name} has no value"
        return setting
    while SETTING.search(text):
        text = SETTING.sub(value, text)
    return text


def mounts(name, settings):
    """Looks for the files that a compose file mounts, and gives their number."""
    volumes = [volume for it in services(name).values() for volume in it.get("volumes", [])]
    paths = [filled(it, settings).rsplit(":", 2)[0] for it in volumes if it.endswith(":ro")]
    for path in paths:
        # Not a folder: Docker makes one in the place of a file that is missing.
        place = os.path.join(DEPLOY, path)
        assert os.path.exists(place) and not os.path.isdir(place), path
    return len(paths)


def variables(image, service, settings, folder):
    """Gives the variables of a service with those of its image, with the folders and ports of a test."""
    own = {name: filled(str(value), settings) for name, value in service["environment"].items()}
    text = "\n".join(f"{name}={value}" for name, value in (image | own).items())
    text = replaced(text, "(?<=[:=])/data(?=/)|/etc/agentdex", folder)
    text = replaced(text, r"0\.0\.0\.0:\d+", lambda _: f"127.0.0.1:{free_port()}")
    return dict(line.split("=", 1) for line in text.splitlines())
