"""The kind of a file that StressBench or its engine wrote, from the file's own keys."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import orjson

from stressbench.errors import UserError
from stressbench.formats.errors import reason_of
from stressbench.formats.files import limits, open_regular, parse_json
from stressbench.formats.files.studies import LAUNCHES, MANIFEST
from stressbench.formats.machines import FILE as MACHINE_FILE
from stressbench.formats.trace.records import TRACE_FORMAT


class Kind(StrEnum):
    """A kind of file or directory."""

    run = "a run file"
    trace = "a trace"
    profile = "a profile of an MPI program"
    sensitivity = "a sensitivity profile"
    b_eff = "a protocol of b_eff"
    b_eff_io = "a protocol of b_eff_io"
    machine = "the result of a machine"
    study = "the directory of a study"
    rate_launches = "the directory of a program's launches at several rates"
    rail_launches = "the directory of a program's launches under several rail policies"
    coruns = "the directory of programs that ran at the same time"


_BY_TYPE = {"sensitivity": Kind.sensitivity, "b_eff": Kind.b_eff, "b_eff_io": Kind.b_eff_io, "machine": Kind.machine}
_FIRST_LINE = 1 << 20
_PROFILE_KEYS = frozenset({"facts", "operations", "ranks"})


def kind_of(path: Path) -> Kind:
    """The kind of a file, or of the directory of a study or of launches. Raises UserError.

    A file whose first line cannot be read as JSON counts as a run file, whose reader says what is wrong with it.
    """
    if path.is_dir():
        return _kind_of_directory(path)
    first = _first_value(path)
    if not isinstance(first, Mapping):
        return Kind.run
    kind = _kind_of_record(first)
    if kind is None:
        found = first.get("type")
        word = "no type" if not isinstance(found, str) else f'type "{found[:40]}"'
        raise UserError(f"{path}: {word}; expected {', '.join(Kind)}")
    return kind


def _kind_of_directory(path: Path) -> Kind:
    if (path / MANIFEST).is_file():
        return Kind.study
    if (path / MACHINE_FILE).is_file():
        return Kind.machine
    if (path / LAUNCHES).is_file():
        plan = _first_value(path / LAUNCHES)
        if isinstance(plan, Mapping) and "rates" in plan:
            return Kind.rate_launches
        if isinstance(plan, Mapping) and "policies" in plan:
            return Kind.rail_launches
        if isinstance(plan, Mapping) and "groups" in plan:
            return Kind.coruns
    raise UserError(f"{path}: is neither {Kind.study} nor one of launches of `degrade run`, `rails run` or `corun`")


def _kind_of_record(first: Mapping[str, Any]) -> Kind | None:
    if first.get("type") == "header":
        return Kind.trace if first.get("format") == TRACE_FORMAT else Kind.run
    if "type" not in first:
        return Kind.profile if first.keys() >= _PROFILE_KEYS else None
    return _BY_TYPE.get(str(first["type"]))


def _first_value(path: Path) -> Any:
    """The JSON value on the first line, or else in the whole file, at most as long as a profile; None without one.

    Raises UserError for a file that cannot be read.
    """
    try:
        with open_regular(path, limit=limits.FILE) as file:
            line = file.readline(_FIRST_LINE)
            try:
                return parse_json(line)
            except orjson.JSONDecodeError:
                rest = file.read(limits.PROFILE - len(line) + 1)
    except OSError as fault:
        raise UserError(f"{path}: {reason_of(fault)}") from fault
    if len(line) + len(rest) > limits.PROFILE:
        return None
    try:
        return parse_json(line + rest)
    except orjson.JSONDecodeError:
        return None
