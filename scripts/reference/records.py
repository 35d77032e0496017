"""Pages of the files that StressBench reads and writes, from their JSON Schemas."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from reference.markdown import cell, table

_INTRODUCTION = """\
# Records and files

Look up the keys of every file and of every `--json` output. The pages are generated from the JSON Schemas in `schema/`,
against which the tests check what is written; editors can use the schemas directly. The rules that a schema cannot
express are on the pages about [run files](../../records.md), [trace files](../../trace-format.md) and
[limits](../../limits.md).
"""

Schema = dict[str, Any]


def pages(root: Path) -> dict[str, str]:
    """A page for each schema of the checkout `root`."""
    page_by_path = {}
    rows = []
    for path in sorted((root / "schema").glob("*.schema.json")):
        name = path.name.removesuffix(".schema.json")
        schema: Schema = json.loads(path.read_text(encoding="utf-8"))
        page_by_path[f"records/{name}"] = "\n".join(_page(name, schema))
        rows.append((f"[{name}]({name}.md)", cell(str(schema.get("title", name))), f"`schema/{path.name}`"))
    overview = "\n".join([_INTRODUCTION, *table(["page", "content", "schema"], rows)])
    return {"records/index": overview} | page_by_path


def _page(name: str, schema: Schema) -> Iterator[str]:
    yield f"# {name.capitalize()}\n"
    title = cell(str(schema.get("title", name)))
    yield f"Look up the keys of {title[0].lower()}{title[1:]} (`schema/{name}.schema.json`).\n"
    yield from _object(schema)
    definitions: Schema = schema.get("$defs", {})
    for key, one in definitions.items():
        yield f"## {key}\n"
        yield from _object(one)


def _object(schema: Schema) -> Iterator[str]:
    if text := schema.get("description"):
        yield "\n\n".join(cell(paragraph) for paragraph in str(text).split("\n\n")) + "\n"
    properties: Schema = schema.get("properties", {})
    required = schema.get("required", [])
    if properties:
        rows = [
            (f"`{key}`", _type(one), "yes" if key in required else "", _meaning(one)) for key, one in properties.items()
        ]
        yield from table(["key", "type", "required", "meaning"], rows)
    elif not text or set(schema) - {"description", "title", "$schema", "$id", "$defs"}:
        yield f"{_type(schema)}\n"


def _meaning(schema: Schema) -> str:
    parts = [cell(str(schema.get("description", "")))]
    if schema.get("default") is not None and schema["default"] != "":
        parts.append(f"Default: `{json.dumps(schema['default'])}`.")
    return " ".join(filter(None, parts))


def _type(schema: Schema) -> str:
    """A schema in a few words: `string or null`, `list of node`, `one of a, b`."""
    if reference := schema.get("$ref"):
        name = str(reference).rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return " or ".join(dict.fromkeys(_type(one) for one in schema[key]))
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return "one of " + ", ".join(f"`{json.dumps(one)}`" for one in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}" if isinstance(schema.get("items"), dict) else "list"
    if schema.get("type") == "object":
        values = schema.get("additionalProperties")
        return f"table of {_type(values)}" if isinstance(values, dict) and values else "table"
    kind = schema.get("type", "any")
    return cell(str(kind if isinstance(kind, str) else " or ".join(kind)) + _bounds(schema))


def _bounds(schema: Schema) -> str:
    words = {"minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most", "exclusiveMaximum": "below"}
    return "".join(f", {word} {schema[key]}" for key, word in words.items() if key in schema)
