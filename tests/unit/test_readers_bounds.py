"""However much a small or permitted file asks for, its reader says what is wrong with it in 1 GiB of memory."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.bounded import ended_within_limits
from support.builders import MadeJob, MadeRun, build_run
from support.mutations import CORPUS
from support.traces import MadeRank, MadeTrace, line_of, send

MIB = 1 << 20
HISTOGRAM = {
    "type": "histogram", "round": 1, "job": 0, "step": 0, "quantity": "time", "count": 1, "min_s": 1e-6, "max_s": 1e-5,
    "mean_s": 2e-6, "buckets": [[1e-6, 2e-6, 1]],
}  # fmt: skip


def refused(*words: str | Path) -> str:
    """The one message."""
    ended = ended_within_limits(*words)
    assert ended.returncode == 2, (ended.returncode, ended.stderr[-2000:])
    assert ended.stdout == ""
    assert ended.stderr.startswith("stressbench: ")
    assert ended.stderr.count("\n") == 1
    assert len(ended.stderr) < 2000
    return ended.stderr


def run_with(folder: Path, *lines: bytes) -> Path:
    """A run file of its header, then these lines."""
    path = folder / "made.jsonl"
    with path.open("wb") as file:
        file.write(json.dumps(build_run().records[0]).encode() + b"\n")
        file.writelines(lines)
    return path


def header_with(folder: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    made: MadeRun = build_run()
    change(made.records[0])
    return made.write(folder)


@pytest.mark.parametrize("unit", [b"[],", b'{"a":{}},', b"0,", b'"",'])
def test_a_line_of_more_values_than_memory(tmp_path: Path, unit: bytes) -> None:
    line = b'{"type":"event","x":[' + unit * (24 * MIB // len(unit)) + b"0]}\n"

    assert "olds more than 4,000,000 values, the most that is read" in refused("show", run_with(tmp_path, line))


def test_a_list_of_a_million_mistakes_names_the_first(tmp_path: Path) -> None:
    line = b'{"type":"round","round":1,"block":0,"jobs":[' + b"0," * MIB + b"0]}\n"

    assert "made.jsonl:2: round.kind: field required" in refused("show", run_with(tmp_path, line))


@pytest.mark.parametrize("key", ["ranks", "host"])
def test_a_text_of_a_node_that_names_more_than_there_is(tmp_path: Path, key: str) -> None:
    text = ",".join(["0-9999999"] * 30) if key == "ranks" else "h" * 10 * MIB
    said = {"ranks": "header.nodes.0.ranks: '0-9999999' in '0-9999999,", "host": "expected at most 4096 characters"}

    path = header_with(tmp_path, lambda header: header["nodes"][0].update({key: text}))

    assert said[key] in refused("show", path)


@pytest.mark.parametrize("table", ["nodes", "jobs"])
def test_ranks_and_nodes_beyond_32_bits(tmp_path: Path, table: str) -> None:
    text, key = "0-9223372036854775807", {"nodes": "ranks", "jobs": "nodes"}[table]
    path = header_with(tmp_path, lambda header: header[table][0].update({key: text}))

    said = refused("show", path)

    assert f"run.jsonl:1: header.{table}.0.{key}: '{text}': expected numbers below 2^31" in said


def test_nodes_that_have_each_rank_a_hundred_times(tmp_path: Path) -> None:
    path = header_with(tmp_path, lambda header: header.update(nodes=header["nodes"] * 100))

    assert "numbers" in refused("show", path)


@pytest.mark.parametrize("command", ["show", "report"])
def test_a_name_of_ten_million_letters(tmp_path: Path, command: str) -> None:
    path = header_with(tmp_path, lambda header: header["jobs"][0].update(name="x" * 10_000_000))

    assert "header.jobs.0.name" in (said := refused(command, path))
    assert "expected at most 4096 characters" in said


def test_a_host_of_ten_million_letters_in_a_sample(tmp_path: Path) -> None:
    made = build_run()
    next(one for one in made.records if one["type"] == "sample")["slowest_host"] = "h" * 10_000_000

    assert "sample.slowest_host" in refused("show", made.write(tmp_path))


@pytest.mark.parametrize("count", [10**15 + 1, 2**63 - 1])
def test_more_executions_than_sums_can_hold(tmp_path: Path, count: int) -> None:
    reported = []
    for change in ({"count": count}, {"buckets": [[1e-6, 2e-6, count]]}):
        line = json.dumps({**HISTOGRAM, **change}).encode() + b"\n"
        reported.append(refused("show", run_with(tmp_path, line)))

    assert f"histogram.count {count}: expected at most 1e+15 executions" in reported[0]
    assert "histogram.buckets: expected at most 1e+15 executions" in reported[1]


def test_a_run_file_that_is_larger_than_what_is_read(tmp_path: Path) -> None:
    path = run_with(tmp_path)
    with path.open("ab") as file:
        file.truncate(4097 * MIB)

    assert "is larger than 4 GiB, the most that is read" in refused("show", path)


def test_rounds_of_many_launches_are_read_in_one_go(tmp_path: Path) -> None:
    """Each round was compared with the last of every launch before."""
    made = build_run()
    header, found = made.records[0], next(one for one in made.records if one["type"] == "round")
    lines = []
    for number in range(1, 20_001):
        lines += [{**found, "round": number, "jobs": []}, {**header, "launch": number}]

    path = run_with(tmp_path, *(json.dumps(line).encode() + b"\n" for line in lines), b"broken\n")

    assert ":40002: broken line" in refused("show", path)


def test_a_trace_with_a_rank_of_more_values_than_memory(tmp_path: Path) -> None:
    records = MadeTrace([MadeRank([send(1)])]).records()
    path = tmp_path / "made.trace"
    wide = line_of({**records[1], "calls": [0]}).replace(b'"calls":[0]', b'"calls":[' + b"[]," * (8 * MIB) + b"0]")
    path.write_bytes(line_of(records[0]) + wide + b"".join(map(line_of, records[2:])))

    refused("trace", "show", path)


LONG = "x" * 10_000_000


@pytest.mark.parametrize(
    "longer",
    [
        {"host": LONG},
        {"modules": [LONG]},
        {"totals": [{"op": LONG, "calls": 1, "time_s": 0.0, "bytes": 0, "max_s": 0.0}]},
    ],
    ids=["host", "module", "operation"],
)
def test_a_text_of_ten_million_letters_in_a_trace(tmp_path: Path, longer: dict[str, Any]) -> None:
    first, rank, *rest = MadeTrace([MadeRank([send(1)])]).records()
    path = tmp_path / "made.trace"
    path.write_bytes(b"".join(map(line_of, [first, rank | longer, *rest])))

    assert "expected at most 4096 characters" in refused("trace", "show", "--profile", path)


@pytest.mark.parametrize(
    ("command", "name", "line"),
    [
        (("study", "status", "made"), "manifest.jsonl", b"x\n"),
        (("degrade", "report", "made"), "launches.jsonl", b"x\n"),
    ],
)
def test_a_journal_of_broken_lines(tmp_path: Path, command: tuple[str, ...], name: str, line: bytes) -> None:
    corpus = CORPUS / ("study-dir/made" if name == "manifest.jsonl" else "launches")
    folder = tmp_path / "made"
    folder.mkdir()
    for file in corpus.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    with (folder / name).open("ab") as file:
        file.write(line * (16 * MIB))

    assert "more than 1000 broken lines, the first of them: " in refused(*command[:-1], folder)


@pytest.mark.parametrize("command", ["sensitivity", "predict"])
def test_a_profile_of_keys_that_nobody_knows(tmp_path: Path, command: str) -> None:
    text = (CORPUS / "profile/lab/victim.json").read_bytes().rstrip()
    (tmp_path / "p.json").write_bytes(text[:-1] + b',"a":0' * MIB + b"}")

    said = refused(command, tmp_path / "p.json", *([tmp_path / "p.json"] if command == "predict" else []))
    assert "olds more than 100,000 keys, the most that are read" in said


def test_a_protocol_of_a_list_of_mistakes(tmp_path: Path) -> None:
    lines = (CORPUS / "beff/beff.jsonl").read_bytes().split(b"\n")
    head = json.loads(lines[0]) | {"sizes": ["x"] * 200_000}
    (tmp_path / "b.jsonl").write_bytes(b"\n".join([json.dumps(head).encode(), *lines[1:]]))

    assert "b.jsonl:1: " in refused("beff", "--from", tmp_path / "b.jsonl")


def test_a_protocol_of_many_sizes_is_read_in_one_go(tmp_path: Path) -> None:
    """Each line was searched for in the whole list of sizes, and of types."""
    head, loop, *_ = map(json.loads, (CORPUS / "beff/beff.jsonl").read_bytes().splitlines())
    lines = [
        head | {"sizes": list(range(100_000))},
        *[loop | {"size_bytes": 99_999}] * 50_000,
        loop | {"size_bytes": -1},
    ]
    path = tmp_path / "b.jsonl"
    path.write_bytes(b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines))

    assert "b.jsonl:50002: " in refused("beff", "--from", path)


def test_a_protocol_of_many_types_is_read_in_one_go(tmp_path: Path) -> None:
    head, *_ = map(json.loads, (CORPUS / "beff-io/io.jsonl").read_bytes().splitlines())
    head |= {"types": [0] * 200_000 + [1], "partitions": [1] * 30_000}
    file = {"type": "file", "access": "write", "pattern_type": 1, "bytes": 1, "time_s": 1.0}
    lines = [head, *(file | {"partition": number} for number in range(30_001))]
    path = tmp_path / "io.jsonl"
    path.write_bytes(b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines))

    assert "io.jsonl:30002: " in refused("beff-io", "--from", path)


@pytest.mark.parametrize("text", ['a = "' + "x" * 100 * MIB + '"\n', "".join(f"k{n} = 1\n" for n in range(300_000))])
def test_a_study_file_of_a_giant_text_or_of_very_many_keys(tmp_path: Path, text: str) -> None:
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")

    assert "is larger than 1 MiB, the most that is read" in refused("study", "plan", tmp_path / "s.toml")
    assert "is larger than 1 MiB, the most that is read" in refused("lab", "draw", tmp_path / "s.toml")


def test_a_key_of_as_many_parts_as_fit_into_a_study_file(tmp_path: Path) -> None:
    """tomllib keeps all beginnings of a key: 1.6 GB of 20,000 parts."""
    (tmp_path / "s.toml").write_text("a." * 500_000 + "a = 1\n", encoding="utf-8")

    assert "nested too deeply; expected at most 16 levels" in refused("study", "plan", tmp_path / "s.toml")
    assert "nested too deeply; expected at most 16 levels" in refused("lab", "draw", tmp_path / "s.toml")


def test_a_study_file_of_as_many_keys_as_are_read(tmp_path: Path) -> None:
    text = "".join(f"k{n} = 1\n" for n in range(90_000))
    assert len(text) < MIB
    (tmp_path / "s.toml").write_text(text, encoding="utf-8")

    ended = ended_within_limits("study", "plan", tmp_path / "s.toml")

    assert ended.returncode == 2
    assert "unknown key 'k0'" in ended.stderr
    assert "89,9" in ended.stderr
    assert " more mistakes; these are the first 100" in ended.stderr
    assert len(ended.stderr) < 100_000


def test_a_study_of_many_cells_and_a_workload_of_blank_lines(tmp_path: Path) -> None:
    """Each blank line was the beginning of a search over all that follow, in each cell."""
    (tmp_path / "w.sb").write_text("[JOB_NAME] a\n" + "\n" * 2 * MIB)
    (tmp_path / "s.toml").write_text(
        f'repetitions = 1\n[factors]\nworkload = "w.sb"\nranks = {list(range(1, 501))}\n'
        '[run]\nisolated = 1\ncontended = 1\nmin_time = "1s"\n'
    )

    ended = ended_within_limits("study", "plan", tmp_path / "s.toml")

    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_job_as_long_as_names_may_be_is_shown(tmp_path: Path) -> None:
    path = build_run(jobs=(MadeJob(name="j" * 4096), MadeJob(name="b"))).write(tmp_path)

    assert ended_within_limits("show", path).returncode == 0
