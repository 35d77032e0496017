"""What is said of a file agrees: in docs/records.md or docs/trace-format.md, in schema/ and in the model's records."""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter, ValidationError
from support.builders import SIMULATION, MadeJob, MadeMachine, MadePlan, MadeStep, build_run, event, fault
from support.examples import examples
from support.schemas import schema_faults
from support.traces import MadeRank, MadeTrace, allreduce, call, irecv, isend, waitall

from stressbench.formats.run import NodeRange, records
from stressbench.formats.schemas import SCHEMAS
from stressbench.formats.trace import records as trace_records
from stressbench.report.schemas import PRINTED

ROOT = Path(__file__).parents[2]


def schema_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "schema" / f"{name}.schema.json").read_text(encoding="utf-8"))
    return found


def run_lines() -> list[dict[str, Any]]:
    jobs = (MadeJob(steps=(MadeStep(motif="posix", metrics=(("open_time_s", 0.1),)),)), MadeJob(role="background"))
    machine = MadeMachine(counts_links=True, simulation=SIMULATION)
    made = build_run(jobs=jobs, plan=MadePlan(blocks=1, repetitions=1), machine=machine)
    made.records.insert(5, event(message="a sentence"))
    made.records.append(fault(round=2, job=0, motif="posix", rank=1, host="a1", cause="open: no space left on device"))
    return made.records


def trace_lines() -> list[dict[str, Any]]:
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


@dataclass(frozen=True, kw_only=True, repr=False)
class Format:
    """A file's lines, by type, in its schema and in the model; `records` is the module that declares them.

    The model's records lack the keys of the `envelope`; `version` is the key whose value only the reader looks at.
    """

    name: str
    records: ModuleType
    envelope: frozenset[str]
    version: str
    made_up: list[dict[str, Any]]

    @property
    def schema(self) -> dict[str, Any]:
        return schema_of(self.name)

    @property
    def lines(self) -> dict[str, type[Any]]:
        return dict(self.records.RECORDS)

    @property
    def models(self) -> dict[str, type[Any]]:
        """Of lines and of their parts, by the names of their definitions."""
        described = (name for name, one in self.schema["$defs"].items() if "properties" in one and name != "later_type")
        return {name: self.lines.get(name) or getattr(self.records, name) for name in described}

    @property
    def validator(self) -> Draft202012Validator:
        return Draft202012Validator(self.schema)

    @property
    def examples(self) -> dict[str, dict[str, Any]]:
        """A made-up line of each type."""
        return {record["type"]: record for record in self.made_up}


RUN = Format(name="run", records=records, envelope=frozenset({"type"}), version="schema_version", made_up=run_lines())
# Older files lack them.
ADDED_LATER = {
    "NodeRange": {"node", "nodes", "host", "hosts", "rank_step"},
    "end": {"memory"},
    "header": {"run_id", "simulation"},
    "MetricValue": {"slowest_rank"},
    "round": {"links", "telemetry"},
}
TRACE = Format(
    name="trace", records=trace_records, envelope=frozenset({"type", "crc32"}), version="version",
    made_up=trace_lines(),
)  # fmt: skip
FORMATS = (RUN, TRACE)
GENERATED = {**SCHEMAS, **PRINTED}
PRINTED_JSON = ROOT / "tests/golden/data/json"
each_format = pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.name)


@pytest.mark.parametrize("name", GENERATED)
def test_the_schema_is_that_of_the_models(name: str) -> None:
    """`scripts/make_schemas.py` writes all of them anew."""
    assert schema_of(name) == json.loads(json.dumps(GENERATED[name]()))


def test_every_schema_is_generated() -> None:
    assert {path.name.removesuffix(".schema.json") for path in (ROOT / "schema").iterdir()} == set(GENERATED)


@pytest.mark.parametrize("name", sorted(PRINTED.keys() & {path.stem for path in PRINTED_JSON.iterdir()}))
def test_what_commands_print_is_valid(name: str) -> None:
    """The golden outputs; those of commands that measure are validated where they are tested."""
    value = json.loads((PRINTED_JSON / f"{name}.json").read_text(encoding="utf-8"))

    assert schema_faults(name, value) == []


@pytest.mark.parametrize("name", GENERATED)
def test_the_schema_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(schema_of(name))


def test_lines_of_version_0_1_0_are_valid() -> None:
    old = ROOT / "tests/golden/data/v0.1.0"
    for format_, path in ((RUN, old / "run.jsonl"), (TRACE, old / "app.trace")):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert [fault.message for fault in format_.validator.iter_errors(json.loads(line))] == []


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("beff-protocol", "beff.jsonl"), ("beff-io-protocol", "beff-io.jsonl"),
        ("study-manifest", "study/manifest.jsonl"), ("launches", "degrade/launches.jsonl"),
        ("launches", "rails/launches.jsonl"),
    ],
)  # fmt: skip
def test_lines_of_journals_of_version_0_1_0_are_valid(schema: str, file: str) -> None:
    lines = (ROOT / "tests/golden/data/v0.1.0" / file).read_text(encoding="utf-8").splitlines()

    assert [schema_faults(schema, json.loads(line)) for line in lines] == [[]] * len(lines)
    assert schema_faults(schema, {**json.loads(lines[0]), "type": "nonsense"}) != []


@pytest.mark.parametrize(
    ("format_", "record"),
    [pytest.param(one, record, id=f"{one.name}-{record['type']}") for one in FORMATS for record in one.made_up],
)
def test_made_up_lines_are_valid(format_: Format, record: dict[str, Any]) -> None:
    assert [fault.message for fault in format_.validator.iter_errors(record)] == []


@pytest.mark.parametrize(
    ("format_", "kind"),
    [pytest.param(one, kind, id=f"{one.name}-{kind}") for one in FORMATS for kind in one.models],
)
def test_schema_and_model_have_the_same_keys(format_: Format, kind: str) -> None:
    ours = fields(format_.models[kind])
    theirs = format_.schema["$defs"][kind]
    envelope = format_.envelope if kind in format_.lines else frozenset()

    assert set(theirs["properties"]) == {one.name for one in ours} | envelope
    required = {one.name for one in ours if one.default is MISSING and one.default_factory is MISSING}
    assert set(theirs.get("required", ())) == required | envelope
    assert theirs.get("additionalProperties", True) is True


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of everything within `value`."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inside:
        yield (*path, key)
        yield from places(part, (*path, key))


ODD = st.sampled_from(
    [None, True, -1, -0.5, 0, 1, 3, 0.25, "", "text", "measured", "profile", [], [1, 2, 3], {}, {"a": "b"}]
)


@each_format
@examples(100)
@given(data=st.data())
def test_schema_and_model_refuse_the_same_lines(format_: Format, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(format_.lines)))
    record = deepcopy(format_.examples[name])
    only_the_reader_looks = {(key,) for key in (*format_.envelope, format_.version)}
    path = data.draw(st.sampled_from([path for path in places(record) if path not in only_the_reader_looks]))
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

    assert format_.validator.is_valid(record) is accepted(format_.lines[name], record), (name, path, record)


def accepted(record: type[Any], line: dict[str, Any]) -> bool:
    try:
        TypeAdapter(record).validate_json(orjson.dumps(line), strict=True)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("kind", RUN.models)
def test_a_run_file_says_null_where_it_knows_nothing(kind: str) -> None:
    described = RUN.schema["$defs"][kind]

    assert set(described["required"]) | ADDED_LATER.get(kind, set()) == set(described["properties"])


@each_format
def test_the_schema_knows_the_records_of_the_model_and_no_others(format_: Format) -> None:
    declared = {one for one in vars(format_.records).values() if is_dataclass(one) and isinstance(one, type)}
    theirs = {one for one in declared if one.__module__ == format_.records.__name__ or one is NodeRange}

    assert set(format_.models.values()) == theirs
    known = [reference["$ref"].removeprefix("#/$defs/") for reference in format_.schema["oneOf"]]
    assert known == [*format_.lines, "later_type"]
    assert format_.schema["$defs"]["later_type"]["properties"]["type"]["not"]["enum"] == list(format_.lines)


def parts_of(schema: dict[str, Any], name: str) -> set[str]:
    """The definition of that name, and all that it refers to."""
    found, new = set(), {name}
    while new:
        found |= new
        text = " ".join(json.dumps(schema["$defs"][one]) for one in new)
        new = set(re.findall(r"#/\$defs/(\w+)", text)) - found
    return {one for one in found if "properties" in schema["$defs"][one]}


@pytest.mark.parametrize("name", RUN.lines)
def test_the_page_documents_the_keys_of_the_schema(name: str) -> None:
    page = (ROOT / "docs/records.md").read_text(encoding="utf-8")
    section = re.search(rf"^## `{name}`\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert section is not None
    first_cells = re.findall(r"^\| (.*?) \|", section[1], re.MULTILINE)
    documented = {key for cell in first_cells for key in re.findall(r"`(\w+)`", cell)}
    documented |= set(re.findall(r'"(\w+)":', section[1])) - {"open_time_s", "count" if name == "header" else ""}

    parts = [RUN.schema["$defs"][part] for part in parts_of(RUN.schema, name)]
    assert documented | {"type"} == {key for part in parts for key in part["properties"]}


def test_keys_and_types_of_later_versions_are_valid() -> None:
    assert RUN.validator.is_valid({"type": "energy", "joules": 3})
    assert RUN.validator.is_valid({**RUN.examples["end"], "joules": 3})
    assert not RUN.validator.is_valid({"joules": 3})


def test_the_page_documents_the_keys_of_calls_and_ranks() -> None:
    page = (ROOT / "docs/trace-format.md").read_text(encoding="utf-8")
    first_cells = " ".join(re.findall(r"^\| (.*?) \|", page, re.MULTILINE))
    documented = set(re.findall(r"`(\w+)`", first_cells))

    in_schema = {key for name in ("header", "rank", "Call") for key in TRACE.schema["$defs"][name]["properties"]}
    assert in_schema <= set(re.findall(r"`(\w+)`", page))
    assert documented <= in_schema
