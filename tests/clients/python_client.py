"""Makes calls with the operations of the installed package, which openapi-python-client has generated.

    tests/clients/python_client.py URL CALLS

CALLS is a file of `calls.py`.
"""

import importlib
import inspect
import io
import json
import pkgutil
import re
import sys

PACKAGE = "agentdex.openapi"


def main():
    url, path = sys.argv[1:]
    package = importlib.import_module(PACKAGE)
    operations = modules()
    with open(path, encoding="utf8") as file:
        calls = json.load(file)
    with package.Client(base_url=url, raise_on_unexpected_status=True) as client:
        for call in calls:
            make(operations[snake(call["id"])], client, call)
            if call["why"]:
                print(f"  {call['id']}: answered with {call['status']}, as {call['why']}")
    print(f"openapi-python-client: {len(calls)} reads made")


def modules():
    """Returns the generated modules of operations by name."""
    api = importlib.import_module(f"{PACKAGE}.api")
    found = pkgutil.walk_packages(api.__path__, f"{api.__name__}.")
    found = [it.name for it in found if not it.ispkg]
    return {name.rsplit(".", 1)[1]: importlib.import_module(name) for name in found}


def snake(name):
    """Returns the id of an operation as the generator writes it."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def make(module, client, call):
    """Makes a call, and checks the status and the model of the answer."""
    function = module.sync_detailed
    types = inspect.get_annotations(function)
    given = {**call["path"], **call["query"]}
    arguments = {}
    for name, value in given.items():
        name = snake(name)
        # The generator ends names with an underscore that Python has itself.
        name = name if name in types else f"{name}_"
        arguments[name] = typed(types[name], value)
    if call["body"] is not None:
        arguments["body"] = body(types["body"], call["body"])
    answer = function(client=client, **arguments)
    what = f"{call['id']} {given}"
    assert answer.status_code == call["status"], f"{what}: {answer.status_code}\n{answer.content[:500]}"
    if "json" not in answer.headers["content-type"]:
        assert answer.content, f"{what}: nothing"
        return
    parsed = answer.parsed
    assert hasattr(parsed, "to_dict"), f"{what}: {parsed!r} is no model"
    members = parsed.to_dict()
    # The model has kept every member and value of the answer.
    assert members and members == json.loads(answer.content), f"{what}: {members}"


def typed(annotation, value):
    """Returns a value as the enumeration that a parameter takes, if it takes one."""
    if isinstance(value, list):
        return [typed(annotation, it) for it in value]
    enums = [it for it in members(annotation) if inspect.isclass(it) and hasattr(it, "__members__")]
    return enums[0](value) if enums else value


def body(annotation, value):
    """Returns a body as the model that an operation takes."""
    models = [it for it in members(annotation) if hasattr(it, "from_dict")]
    if models:
        return models[0].from_dict(value)
    [file] = [it for it in members(annotation) if getattr(it, "__name__", "") == "File"]
    return file(payload=io.BytesIO(value.encode()))


def members(annotation):
    """Returns the types of which an annotation consists."""
    parts = getattr(annotation, "__args__", ())
    return [annotation, *(inner for part in parts for inner in members(part))]


if __name__ == "__main__":
    main()
