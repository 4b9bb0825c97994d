"""Values that fit the input schemas of tools."""

from jsonschema import validate

OF_FORMAT = {"date": "2026-12-24", "date-time": "2026-12-24T20:00:00Z", "uri": "https://caller.example"}
OF_TYPE = {"integer": 2026, "number": 1.5, "boolean": True, "array": [], "object": {}}


def example(schema):
    """Gives arguments for the required properties of a schema."""
    properties = schema.get("properties", {})
    arguments = {name: value(properties.get(name, {})) for name in schema.get("required", [])}
    validate(arguments, schema)
    return arguments


def value(schema):
    if "enum" in schema:
        return schema["enum"][0]
    return OF_TYPE.get(schema.get("type"), OF_FORMAT.get(schema.get("format"), "budgets"))
