"""Values compared with the JSON Schemas in schema/."""

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

_FOLDER = Path(__file__).parents[2] / "schema"


def schema_faults(name: str, value: Any) -> list[str]:
    """What is wrong with the value by the schema of this name."""
    schema = json.loads((_FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
    return [f"{fault.json_path}: {fault.message}" for fault in Draft202012Validator(schema).iter_errors(value)]
