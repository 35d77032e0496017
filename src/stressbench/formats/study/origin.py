"""`study-N.json` in a study's directory: original location of a study file, and checksums of its workloads."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import orjson
from pydantic import AfterValidator, ValidationError

from stressbench.formats.complaints import first_error
from stressbench.formats.errors import reason_of
from stressbench.formats.files import BoundedValidator, limits, read_bytes
from stressbench.formats.study.errors import StudyMistake

_MAX_PATH_BYTES, _MAX_NAME_BYTES = 4000, 255


def _check_file_name(name: str) -> str:
    parts = (len(part.encode(errors="replace")) for part in name.split("/"))
    if "\0" in name or len(name.encode(errors="replace")) > _MAX_PATH_BYTES or max(parts) > _MAX_NAME_BYTES:
        raise ValueError("no file can have this name")
    return name


_Name = Annotated[str, AfterValidator(_check_file_name)]


@dataclass(frozen=True, kw_only=True)
class Origin:
    """Original folder of a study file, relative to the study's directory, and SHA-256 of files by path in it."""

    folder: _Name
    workloads: Mapping[_Name, str]
    includes: Mapping[_Name, str] = field(default_factory=dict)


_VALIDATOR: BoundedValidator[Origin] = BoundedValidator(Origin)


def origin_file(directory: Path, number: int) -> Path:
    """Path of the origin of the study file `study-NUMBER.toml`."""
    return directory / f"study-{number}.json"


def read_origin(directory: Path, number: int) -> Origin:
    """The origin of the directory's study file of that number. Raises StudyMistake."""
    file = origin_file(directory, number)
    try:
        return _VALIDATOR.validate_json(read_bytes(file, limit=limits.JOURNAL))
    except OSError as fault:
        raise StudyMistake(f"{file}: {reason_of(fault)}; is a part of the copy missing?") from fault
    except ValidationError as fault:
        raise StudyMistake(f"{file}: {first_error(fault)}; is a part of the copy missing?") from fault


def origin_json(origin: Origin) -> bytes:
    """Content of the file; the inverse of `read_origin`."""
    return orjson.dumps(origin, option=orjson.OPT_INDENT_2)
