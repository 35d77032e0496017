"""The run file's three descriptions agree: docs/records.md, schema/run.schema.json and the records of the model."""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import orjson
import pytest
from builders import MadeJob, MadePlan, MadeStep, build_run, event
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter, ValidationError

from stressbench.model import records

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "schema/run.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
RECORDS: dict[str, type[Any]] = {
    "header": records.Header,
    "sample": records.Sample,
    "histogram": records.HistogramRecord,
    "round": records.Round,
    "event": records.Event,
    "end": records.End,
}
PARTS: dict[str, type[Any]] = {
    "mpi": records.MpiLibrary,
    "node": records.Node,
    "workload": records.Workload,
    "job": records.Job,
    "step": records.Step,
    "plan": records.Plan,
    "clock": records.Clock,
    "metric": records.MetricValue,
    "round_job": records.RoundJob,
}
PARTS_OF = {
    "header": ("mpi", "node", "workload", "job", "step", "plan", "clock"),
    "sample": ("metric",),
    "round": ("round_job",),
}


def example_lines() -> list[dict[str, Any]]:
    jobs = (MadeJob(steps=(MadeStep(motif="posix", metrics=(("open_time_s", 0.1),)),)), MadeJob(role="background"))
    made = build_run(jobs=jobs, plan=MadePlan(blocks=1, repetitions=1))
    made.records.insert(5, event(message="a sentence"))
    return made.records


EXAMPLES = {record["type"]: record for record in example_lines()}


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("record", example_lines(), ids=lambda record: str(record["type"]))
def test_made_up_lines_are_valid(record: dict[str, Any]) -> None:
    assert [fault.message for fault in VALIDATOR.iter_errors(record)] == []


@pytest.mark.parametrize(("name", "record"), [*RECORDS.items(), *PARTS.items()])
def test_schema_and_model_have_the_same_keys(name: str, record: type[Any]) -> None:
    ours = TypeAdapter(record).json_schema()
    theirs = SCHEMA["$defs"][name]
    kind = {"type"} if name in RECORDS else set()

    assert set(theirs["properties"]) == set(ours["properties"]) | kind
    assert set(theirs["required"]) == set(ours["required"]) | kind
    assert set(theirs["required"]) == set(theirs["properties"])


def test_the_schema_knows_the_records_of_the_model_and_no_others() -> None:
    described = {name for name, part in SCHEMA["$defs"].items() if "properties" in part}

    assert described - {"later_type"} == set(RECORDS) | set(PARTS)
    assert SCHEMA["$defs"]["later_type"]["properties"]["type"]["not"]["enum"] == list(RECORDS)


@pytest.mark.parametrize("name", RECORDS)
def test_the_page_documents_the_keys_of_the_schema(name: str) -> None:
    page = (ROOT / "docs/records.md").read_text(encoding="utf-8")
    section = re.search(rf"^## `{name}`\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert section is not None
    first_cells = re.findall(r"^\| (.*?) \|", section[1], re.MULTILINE)
    documented = {key for cell in first_cells for key in re.findall(r"`(\w+)`", cell)}
    documented |= set(re.findall(r'"(\w+)":', section[1])) - {"open_time_s", "count" if name == "header" else ""}

    parts = [SCHEMA["$defs"][part] for part in (name, *PARTS_OF.get(name, ()))]
    assert documented | {"type"} == {key for part in parts for key in part["properties"]}


def test_keys_and_types_of_later_versions_are_valid() -> None:
    assert VALIDATOR.is_valid({"type": "energy", "joules": 3})
    assert VALIDATOR.is_valid({**EXAMPLES["end"], "joules": 3})
    assert not VALIDATOR.is_valid({"joules": 3})


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of everything within `value`."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield (*path, key)
        yield from places(part, (*path, key))


ODD = st.sampled_from([None, True, -1, -0.5, 0, 1, 3, 0.25, "", "text", "measured", [], [1, 2, 3], {}, {"a": "b"}])


@settings(max_examples=600, deadline=None)
@given(data=st.data())
def test_schema_and_model_refuse_the_same_lines(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(RECORDS)))
    record = deepcopy(EXAMPLES[name])
    path = data.draw(st.sampled_from([path for path in places(record) if path not in {("type",), ("schema_version",)}]))
    *outer, key = path
    holder: Any = record
    for part in outer:
        holder = holder[part]
    if isinstance(holder, dict) and data.draw(st.booleans(), label="drop"):
        del holder[key]
    else:
        holder[key] = data.draw(ODD)
        if path == ("started_at",) and isinstance(holder[key], str | int | float):
            return  # the schema names the format and leaves its check to whoever asks for it

    assert VALIDATOR.is_valid(record) is accepted(RECORDS[name], record), (name, path, record)


def accepted(record: type[Any], line: dict[str, Any]) -> bool:
    try:
        TypeAdapter(record).validate_json(orjson.dumps(line), strict=True)
    except ValidationError:
        return False
    return True
