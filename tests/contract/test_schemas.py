"""What is said of a file agrees: in docs/records.md or docs/trace-format.md, in schema/ and in the model's records."""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter, ValidationError
from support.builders import SIMULATION, MadeJob, MadeMachine, MadePlan, MadeStep, build_run, event
from support.examples import examples
from support.traces import MadeRank, MadeTrace, allreduce, call, irecv, isend, waitall

from stressbench.formats.run import records
from stressbench.formats.trace import records as trace_records
from stressbench.stats import Comparison, RunSummary
from stressbench.tracing.profile import Profile

ROOT = Path(__file__).parents[2]


def schema_of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "schema" / f"{name}.schema.json").read_text(encoding="utf-8"))
    return found


def run_lines() -> list[dict[str, Any]]:
    jobs = (MadeJob(steps=(MadeStep(motif="posix", metrics=(("open_time_s", 0.1),)),)), MadeJob(role="background"))
    machine = MadeMachine(counts_links=True, simulation=SIMULATION)
    made = build_run(jobs=jobs, plan=MadePlan(blocks=1, repetitions=1), machine=machine)
    made.records.insert(5, event(message="a sentence"))
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
    """A file's lines, by type, and parts of lines, in its schema and in the model.

    The model's records lack the keys of the `envelope`; `version` is the key whose value only the reader looks at.
    """

    name: str
    schema: dict[str, Any]
    lines: dict[str, type[Any]]
    parts: dict[str, type[Any]]
    envelope: frozenset[str]
    version: str
    made_up: list[dict[str, Any]]

    @property
    def validator(self) -> Draft202012Validator:
        return Draft202012Validator(self.schema)

    @property
    def examples(self) -> dict[str, dict[str, Any]]:
        """A made-up line of each type."""
        return {record["type"]: record for record in self.made_up}


RUN = Format(
    name="run",
    schema=schema_of("run"),
    lines={
        "header": records.Header,
        "sample": records.Sample,
        "histogram": records.HistogramRecord,
        "round": records.Round,
        "event": records.Event,
        "end": records.End,
    },
    parts={
        "mpi": records.MpiLibrary,
        "node": records.Node,
        "workload": records.Workload,
        "job": records.Job,
        "step": records.Step,
        "plan": records.Plan,
        "clock": records.Clock,
        "simulation": records.Simulation,
        "platform": records.Platform,
        "metric": records.MetricValue,
        "round_job": records.RoundJob,
        "link_traffic": records.LinkTraffic,
    },
    envelope=frozenset({"type"}),
    version="schema_version",
    made_up=run_lines(),
)
PARTS_OF = {
    "header": ("mpi", "node", "workload", "job", "step", "plan", "clock", "simulation", "platform"),
    "sample": ("metric",),
    "round": ("round_job", "link_traffic"),
}
# Older files lack them.
ADDED_LATER = {"header": {"run_id", "simulation"}, "metric": {"slowest_rank"}, "round": {"links"}}
TRACE = Format(
    name="trace",
    schema=schema_of("trace"),
    lines={
        "header": trace_records.TraceHeader,
        "rank": trace_records.RankTrace,
        "symbols": trace_records.Symbols,
        "end": trace_records.TraceEnd,
    },
    parts={
        "total": trace_records.Total,
        "objects": trace_records.ObjectCount,
        "sizes": trace_records.SizeCounts,
        "timeline": trace_records.Timeline,
        "communicator": trace_records.Communicator,
        "call": trace_records.Call,
        "lost": trace_records.Lost,
        "stream": trace_records.Stream,
    },
    envelope=frozenset({"type", "crc32"}),
    version="version",
    made_up=trace_lines(),
)
FORMATS = (RUN, TRACE)
each_format = pytest.mark.parametrize("format_", FORMATS, ids=lambda format_: format_.name)


@each_format
def test_the_schema_is_a_schema(format_: Format) -> None:
    Draft202012Validator.check_schema(format_.schema)


@pytest.mark.parametrize(
    ("format_", "record"),
    [pytest.param(one, record, id=f"{one.name}-{record['type']}") for one in FORMATS for record in one.made_up],
)
def test_made_up_lines_are_valid(format_: Format, record: dict[str, Any]) -> None:
    assert [fault.message for fault in format_.validator.iter_errors(record)] == []


@pytest.mark.parametrize(
    ("format_", "kind"),
    [pytest.param(one, kind, id=f"{one.name}-{kind}") for one in FORMATS for kind in (*one.lines, *one.parts)],
)
def test_schema_and_model_have_the_same_keys(format_: Format, kind: str) -> None:
    ours = TypeAdapter({**format_.lines, **format_.parts}[kind]).json_schema()
    theirs = format_.schema["$defs"][kind]
    envelope = format_.envelope if kind in format_.lines else frozenset()

    assert set(theirs["properties"]) == set(ours["properties"]) | envelope
    assert set(theirs["required"]) == set(ours.get("required", ())) | envelope


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


@pytest.mark.parametrize("kind", [*RUN.lines, *RUN.parts])
def test_a_run_file_says_null_where_it_knows_nothing(kind: str) -> None:
    described = RUN.schema["$defs"][kind]

    assert set(described["required"]) | ADDED_LATER.get(kind, set()) == set(described["properties"])


def test_the_schema_knows_the_records_of_the_model_and_no_others() -> None:
    described = {name for name, part in RUN.schema["$defs"].items() if "properties" in part}

    assert described - {"later_type"} == set(RUN.lines) | set(RUN.parts)
    assert RUN.schema["$defs"]["later_type"]["properties"]["type"]["not"]["enum"] == list(RUN.lines)


@pytest.mark.parametrize("name", RUN.lines)
def test_the_page_documents_the_keys_of_the_schema(name: str) -> None:
    page = (ROOT / "docs/records.md").read_text(encoding="utf-8")
    section = re.search(rf"^## `{name}`\n(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    assert section is not None
    first_cells = re.findall(r"^\| (.*?) \|", section[1], re.MULTILINE)
    documented = {key for cell in first_cells for key in re.findall(r"`(\w+)`", cell)}
    documented |= set(re.findall(r'"(\w+)":', section[1])) - {"open_time_s", "count" if name == "header" else ""}

    parts = [RUN.schema["$defs"][part] for part in (name, *PARTS_OF.get(name, ()))]
    assert documented | {"type"} == {key for part in parts for key in part["properties"]}


def test_keys_and_types_of_later_versions_are_valid() -> None:
    assert RUN.validator.is_valid({"type": "energy", "joules": 3})
    assert RUN.validator.is_valid({**RUN.examples["end"], "joules": 3})
    assert not RUN.validator.is_valid({"joules": 3})


def test_the_page_documents_the_keys_of_calls_and_ranks() -> None:
    page = (ROOT / "docs/trace-format.md").read_text(encoding="utf-8")
    first_cells = " ".join(re.findall(r"^\| (.*?) \|", page, re.MULTILINE))
    documented = set(re.findall(r"`(\w+)`", first_cells))

    in_schema = {key for name in ("header", "rank", "call") for key in TRACE.schema["$defs"][name]["properties"]}
    assert in_schema <= set(re.findall(r"`(\w+)`", page))
    assert documented <= in_schema


@pytest.mark.parametrize(("name", "model"), [("profile", Profile), ("show", RunSummary), ("compare", Comparison)])
def test_the_schema_of_what_a_command_prints_is_that_of_its_model(name: str, model: type[Any]) -> None:
    written = schema_of(name)
    ours = TypeAdapter(model).json_schema(mode="serialization")

    assert {key: written[key] for key in ("$defs", "properties", "required")} == {
        key: ours[key] for key in ("$defs", "properties", "required")
    }
