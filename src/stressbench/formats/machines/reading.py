"""Reading of a JSON file of one record with `type` and `schema_version`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import orjson
from pydantic import ValidationError

from stressbench.formats.complaints import first_error, json_excerpt
from stressbench.formats.errors import MachineFileError, reason_of
from stressbench.formats.files import BoundedValidator, limits, parse_json, read_bytes

Record = TypeVar("Record")
SCHEMA_VERSION = 1


def parse_file(path: Path, model: type[Record], *, type_: str) -> tuple[Record, Mapping[str, Any]]:
    """The record of this type in a file, and the same as a mapping. Raises MachineFileError, which names key and value.

    A key that the model does not know is an error.
    """
    try:
        text = read_bytes(path, limit=limits.PROFILE)
    except OSError as fault:
        raise MachineFileError(reason_of(fault), path=path) from fault
    try:
        raw = parse_json(text)
    except orjson.JSONDecodeError as fault:
        raise MachineFileError(f"no JSON: {fault.msg}", path=path, line=fault.lineno) from fault
    found = raw.get("type") if isinstance(raw, dict) else raw
    if not isinstance(raw, dict) or found != type_:
        raise MachineFileError(f'type {json_excerpt(found)}: expected an object with "type": "{type_}"', path=path)
    version = raw.get("schema_version")
    if version is True or version != SCHEMA_VERSION:
        raise MachineFileError(
            f"schema_version {json_excerpt(version)}: this StressBench reads version {SCHEMA_VERSION}", path=path
        )
    validator: BoundedValidator[Record] = BoundedValidator(model, max_keys=limits.KEYS)
    try:
        record = validator.validate_json(text, strict=True)
    except ValidationError as fault:
        raise MachineFileError(first_error(fault, show_value=True), path=path) from fault
    return record, raw
