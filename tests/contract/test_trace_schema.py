"""The trace file's three descriptions agree: docs/trace-format.md, schema/trace.schema.json and the model's records."""

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter, ValidationError
from traces import MadeRank, MadeTrace, allreduce, call, irecv, isend, waitall

from stressbench.model import trace_records as records
from stressbench.trace.profile import Profile

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "schema/trace.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
LINES: dict[str, type[Any]] = {
    "header": records.TraceHeader,
    "rank": records.RankTrace,
    "symbols": records.Symbols,
    "end": records.TraceEnd,
}
PARTS: dict[str, type[Any]] = {
    "total": records.Total,
    "objects": records.ObjectCount,
    "sizes": records.SizeCounts,
    "timeline": records.Timeline,
    "communicator": records.Communicator,
    "call": records.Call,
    "lost": records.Lost,
    "stream": records.Stream,
}


def example_lines() -> list[dict[str, Any]]:
    calls = [
        irecv(1, any="source"),
        isend(1, request=1),
        waitall(0, 1),
        allreduce(),
        call("Cart_create", comm=0, made=1, dims=[2], periods=[True]),
        call("Alltoallv", comm=0, bytes=8, counts=[4, 4], receive_counts=[4, 4]),
    ]
    rules = [[[-1, 3], [4, 1], [5, 1]], [[0, 1], [1, 1], [2, 1], [3, 1]]]
    extra = {
        "lost": [{"what": "gaps", "after_calls": 9, "why": "too many"}],
        "objects": [{"kind": "requests", "made": 6, "released": 6}],
    }
    made = MadeTrace([MadeRank(calls, rules, extra=extra)] * 2, symbols={"cg+0x1000": "main (cg.c:12)"})
    return [{**record, "crc32": "0123abcd"} for record in made.records()]


EXAMPLES = {record["type"]: record for record in example_lines()}


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("record", example_lines(), ids=lambda record: str(record["type"]))
def test_made_up_lines_are_valid(record: dict[str, Any]) -> None:
    assert [fault.message for fault in VALIDATOR.iter_errors(record)] == []


@pytest.mark.parametrize(("name", "record"), [*LINES.items(), *PARTS.items()])
def test_schema_and_model_have_the_same_keys(name: str, record: type[Any]) -> None:
    ours = TypeAdapter(record).json_schema()
    theirs = SCHEMA["$defs"][name]
    line = {"type", "crc32"} if name in LINES else set()

    assert set(theirs["properties"]) == set(ours["properties"]) | line
    assert set(theirs["required"]) == set(ours.get("required", ())) | line


def test_the_page_documents_the_keys_of_calls_and_ranks() -> None:
    page = (ROOT / "docs/trace-format.md").read_text(encoding="utf-8")
    first_cells = " ".join(re.findall(r"^\| (.*?) \|", page, re.MULTILINE))
    documented = set(re.findall(r"`(\w+)`", first_cells))

    in_schema = {key for name in ("header", "rank", "call") for key in SCHEMA["$defs"][name]["properties"]}
    assert in_schema <= set(re.findall(r"`(\w+)`", page))
    assert documented <= in_schema


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of everything within `value`."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, part in inside for found in ((*path, key), *places(part, (*path, key)))]


ODD = st.sampled_from([None, True, -1, -0.5, 0, 1, 3, 0.25, "", "text", "profile", [], [1, 2, 3], {}, {"a": "b"}])
ONLY_THE_READER_LOOKS = {("type",), ("crc32",), ("version",)}


@settings(max_examples=600, deadline=None)
@given(data=st.data())
def test_schema_and_model_refuse_the_same_lines(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(LINES)))
    record = deepcopy(EXAMPLES[name])
    path = data.draw(st.sampled_from([path for path in places(record) if path not in ONLY_THE_READER_LOOKS]))
    *outer, key = path
    holder: Any = record
    for part in outer:
        holder = holder[part]
    if isinstance(holder, dict) and data.draw(st.booleans(), label="drop"):
        del holder[key]
    else:
        holder[key] = data.draw(ODD)

    assert VALIDATOR.is_valid(record) is accepted(LINES[name], record), (name, path, record)


def accepted(record: type[Any], line: dict[str, Any]) -> bool:
    try:
        TypeAdapter(record).validate_json(orjson.dumps(line), strict=True)
    except ValidationError:
        return False
    return True


def test_the_profile_s_schema_is_that_of_its_model() -> None:
    written = json.loads((ROOT / "schema/profile.schema.json").read_text(encoding="utf-8"))
    ours = TypeAdapter(Profile).json_schema(mode="serialization")

    assert {key: written[key] for key in ("$defs", "properties", "required")} == {
        key: ours[key] for key in ("$defs", "properties", "required")
    }
