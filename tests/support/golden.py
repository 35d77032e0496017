"""Everything that users script against, in tests/golden/data. `pytest tests/golden --update-golden` rewrites it."""

import difflib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from operator import eq
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parents[1] / "golden" / "data"
KEPT = DATA / "v0.1.0"
"""Files that version 0.1.0 wrote."""
_RELATIVE_TOLERANCE = 1e-6
_MOST_LINES = 80
_ADVICE = """\

Users script against this. If the change is meant, run

    pytest tests/golden --update-golden

look at what `git diff tests/golden/data` says, and add a line to CHANGELOG.md. Files in tests/golden/data/v0.1.0 were
written by that version and are never written anew."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write files of tests/golden/data that differ anew")


@dataclass(frozen=True)
class Golden:
    """Compares results with the files of a folder, or rewrites these."""

    folder: Path
    is_updating: bool

    def text(self, name: str, found: str) -> None:
        """The same text, line by line."""
        self._compare(name, found, agree=eq)

    def json(self, name: str, found: object) -> None:
        """The same value; numbers may differ by rounding (1e-6) between numpy versions."""
        self._compare(name, pretty(found), agree=lambda kept, text: is_close(json.loads(kept), json.loads(text)))

    def structure(self, name: str, found: object) -> None:
        """The same keys and types; null (unknown) matches any type."""
        self._compare(name, pretty(found), agree=lambda kept, text: is_like(json.loads(kept), json.loads(text)))

    def _compare(self, name: str, found: str, *, agree: Callable[[str, str], bool]) -> None:
        """Fail if the file does not agree with what was found; when updating, write only such files anew."""
        path = self.folder / name
        kept = path.read_text(encoding="utf-8") if path.is_file() else None
        if kept is not None and agree(kept, found):
            return
        if self.is_updating:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(found, encoding="utf-8")
        elif kept is None:
            pytest.fail(f"{path} is not there; `pytest tests/golden --update-golden` writes it", pytrace=False)
        else:
            self._fail(name, kept, found)

    def _fail(self, name: str, kept: str, found: str) -> None:
        lines = list(
            difflib.unified_diff(
                kept.splitlines(), found.splitlines(), f"tests/golden/data/{name}", "this code", lineterm=""
            )
        )
        more = [f"... and {len(lines) - _MOST_LINES} lines more"] if len(lines) > _MOST_LINES else []
        pytest.fail("\n".join((*lines[:_MOST_LINES], *more)) + "\n" + _ADVICE, pytrace=False)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(DATA, is_updating=request.config.getoption("--update-golden"))


def pretty(value: object) -> str:
    """JSON text in which every short value is on one line."""
    return _pretty(json.loads(json.dumps(value)), "") + "\n"


def _pretty(value: Any, indent: str) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or not value or len(indent) + len(flat) <= 110:
        return flat
    deeper = indent + " "
    if isinstance(value, dict):
        parts = [f"{deeper}{json.dumps(key, ensure_ascii=False)}: {_pretty(one, deeper)}" for key, one in value.items()]
    else:
        parts = [deeper + _pretty(one, deeper) for one in value]
    return f"{'{['[isinstance(value, list)]}\n" + ",\n".join(parts) + f"\n{indent}{'}]'[isinstance(value, list)]}"


def is_close(kept: Any, found: Any) -> bool:
    """Whether both values are equal, numbers except for rounding; the order of keys counts."""
    if isinstance(kept, dict) and isinstance(found, dict):
        return list(kept) == list(found) and all(is_close(kept[key], found[key]) for key in kept)
    if isinstance(kept, list) and isinstance(found, list):
        return len(kept) == len(found) and all(map(is_close, kept, found))
    if isinstance(kept, float | int) and isinstance(found, float | int) and bool not in (type(kept), type(found)):
        return math.isclose(kept, found, rel_tol=_RELATIVE_TOLERANCE, abs_tol=1e-15)
    return type(kept) is type(found) and kept == found


def is_like(kept: Any, found: Any) -> bool:
    """Whether both structures have the same keys and compatible types."""
    if "null" in (kept, found):
        return True
    if isinstance(kept, dict) and isinstance(found, dict):
        return kept.keys() == found.keys() and all(is_like(kept[key], found[key]) for key in kept)
    if isinstance(kept, list) and isinstance(found, list):
        return not kept or not found or (len(kept) == len(found) and all(map(is_like, kept, found)))
    return type(kept) is type(found) and kept == found


def structure_of(value: Any, *, named: frozenset[str] = frozenset()) -> Any:
    """Keys and types. The structure of a list merges those of its elements.

    Keys of the objects in `named` are user-defined names, written as `*`.
    """
    if isinstance(value, dict):
        return {
            key: _named(one, named) if key in named else structure_of(one, named=named) for key, one in value.items()
        }
    if isinstance(value, list):
        return [_merged([structure_of(one, named=named) for one in value])] if value else []
    return {bool: "boolean", str: "string", int: "number", float: "number", type(None): "null"}[type(value)]


def _named(value: Any, named: frozenset[str]) -> Any:
    if not isinstance(value, dict):
        return structure_of(value, named=named)
    return {"*": _merged([structure_of(one, named=named) for one in value.values()])}


def records_of(records: list[dict[str, Any]], *, named: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Structure of each type of record, ordered by type."""
    found: dict[str, list[Any]] = {}
    for record in records:
        found.setdefault(record["type"], []).append(structure_of(record, named=named))
    return {kind: _merged(found[kind]) for kind in sorted(found)}


def _merged(structures: list[Any]) -> Any:
    """Merged structure of several values: all keys, one structure for all lists, known types over unknown ones."""
    known = [part for one in structures for part in _parts(one)]
    objects = [one for one in known if isinstance(one, dict)]
    lists = [element for one in known if isinstance(one, list) for element in one]
    found: list[Any] = sorted({one for one in known if isinstance(one, str)} - {"null"})
    if objects:
        keys = dict.fromkeys(key for one in objects for key in one)
        found.append({key: _merged([one[key] for one in objects if key in one]) for key in keys})
    if any(isinstance(one, list) for one in known):
        found.append([_merged(lists)] if lists else [])
    return "null" if not found else found[0] if len(found) == 1 else {"one of": found}


def _parts(structure: Any) -> list[Any]:
    is_choice = isinstance(structure, dict) and structure.keys() == {"one of"}
    return list(structure["one of"]) if is_choice else [structure]
