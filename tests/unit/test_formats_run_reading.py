"""What the reader of run files accepts, ignores and refuses."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.builders import MadeJob, MadePlan, MadeRun, MadeStep, build_run, end, event, fault
from support.examples import examples

from stressbench.formats.ranges import parse_ranges
from stressbench.formats.run import Fault, Kind, Phase, RunFileError, read_run
from stressbench.stats import summarise

SMALL = MadePlan(blocks=2, repetitions=3)


@pytest.fixture
def made() -> MadeRun:
    return build_run(jobs=(MadeJob(name="a"), MadeJob(name="b")), plan=SMALL)


def refusal(path: Path) -> str:
    with pytest.raises(RunFileError) as caught:
        read_run(path)
    assert str(caught.value).startswith(str(path))
    return str(caught.value).removeprefix(str(path))


def corrupt(made: MadeRun, record: dict, folder: Path, **values: object) -> tuple[str, int]:
    """The message for a file in which `record` has other values, and that record's line."""
    record.update(values)
    return refusal(made.write(folder)), made.records.index(record) + 1


def test_a_whole_run_is_read(made: MadeRun, tmp_path: Path) -> None:
    run = read_run(made.write(tmp_path))

    assert [job.name for job in run.jobs] == ["a", "b"]
    assert len(run.rounds) == 6
    assert run.count_rounds(kind=Kind.contended) == 2
    assert run.count_rounds(kind=Kind.isolated, job=1) == 2
    assert run.planned_rounds == 6
    assert run.complete
    assert len(run.histograms) == len(made.of("histogram"))


def test_samples_come_in_columns_of_a_job_or_a_step(made: MadeRun, tmp_path: Path) -> None:
    run = read_run(made.write(tmp_path))

    samples = run.samples_of(job=1, step=0)

    expected = made.of("sample", job=1, step=0)
    assert samples is not None
    assert samples.time_max_s.tolist() == [record["time_max_s"] for record in expected]
    assert samples.round.tolist() == [record["round"] for record in expected]
    assert [samples.hosts[host] for host in samples.slowest_host] == [record["slowest_host"] for record in expected]
    assert samples.in_phases(Phase.extra).sum() == 2 * SMALL.extra


def test_times_that_no_rank_took_are_unknown_and_do_not_count(made: MadeRun, tmp_path: Path) -> None:
    nothing = dict.fromkeys(("time_min_s", "time_mean_s", "time_max_s", "slowest_rank", "slowest_host"))
    made.of("sample", job=0, step=0, phase="measured")[2].update(nothing)

    run = read_run(made.write(tmp_path))

    samples = run.samples_of(job=0, step=0)
    assert samples is not None
    assert np.isnan(samples.time_max_s).sum() == 1
    assert (samples.slowest_rank == -1).sum() == (samples.slowest_host == -1).sum() == 1
    spread = summarise(run).jobs[0].steps[0].timing
    assert spread.isolated_s is not None
    assert spread.contended_s is not None
    assert spread.isolated_s.count + spread.contended_s.count == 2 * 2 * SMALL.repetitions - 1


def test_a_file_of_before_there_were_run_ids_has_none(made: MadeRun, tmp_path: Path) -> None:
    del made.header["run_id"]

    assert read_run(made.write(tmp_path)).header.run_id is None


def test_metrics_of_motifs_are_kept(tmp_path: Path) -> None:
    job = MadeJob(steps=(MadeStep(), MadeStep(motif="posix", metrics=(("open_time_s", 0.25),))))
    made = build_run(jobs=(job,), plan=SMALL)

    (metric,) = read_run(made.write(tmp_path)).metrics_of(job=0, step=1)

    assert metric.name == "open_time_s"
    assert np.all(metric.minimum == 0.125)
    assert len(metric.round) == len(made.of("sample", step=1))
    assert metric.slowest_rank.tolist() == [sample["slowest_rank"] for sample in made.of("sample", step=1)]


def test_who_was_slowest_in_a_metric_of_an_early_file_is_unknown(tmp_path: Path) -> None:
    made = build_run(jobs=(MadeJob(steps=(MadeStep(metrics=(("open_time_s", 0.25),)),)),), plan=SMALL)
    for sample in made.of("sample", step=0):
        del sample["metrics"]["open_time_s"]["slowest_rank"]

    (metric,) = read_run(made.write(tmp_path)).metrics_of(job=0, step=0)

    assert np.all(metric.slowest_rank == -1)


def test_a_round_without_its_commit_mark_is_ignored(made: MadeRun, tmp_path: Path) -> None:
    last = made.of("round")[-1]
    made.records = made.records[: made.records.index(last)]

    run = read_run(made.write(tmp_path))

    assert len(run.rounds) == 5
    assert all(last["round"] not in samples.round for samples in run.samples)
    assert run.ignored_samples == len(made.of("sample", round=last["round"]))
    assert all(histogram.round != last["round"] for histogram in run.histograms)
    assert not run.complete


def test_what_strays_into_another_round_is_ignored(made: MadeRun, tmp_path: Path) -> None:
    for kind in ("sample", "histogram"):
        stray = made.of(kind, round=3)[0]
        stray["round"] = 2

    run = read_run(made.write(tmp_path))

    assert run.ignored_samples == 1
    assert len(run.histograms) == len(made.of("histogram")) - 1


def test_a_continued_run_replaces_the_round_that_was_cut(made: MadeRun, tmp_path: Path) -> None:
    cut = next(index for index, record in enumerate(made.records) if record.get("round") == 4) + 2
    again = next(index for index, record in enumerate(made.records) if record.get("round") == 4)
    made.records = [*made.records[:cut], {**made.header, "launch": 1}, *made.records[again:]]

    run = read_run(made.write(tmp_path))

    assert [len(launch.rounds) for launch in run.launches] == [3, 3]
    assert run.ignored_samples == 2
    whole = read_run(build_run(jobs=(MadeJob(name="a"), MadeJob(name="b")), plan=SMALL).write(tmp_path))
    assert [len(samples) for samples in run.samples] == [len(samples) for samples in whole.samples]


@examples(40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_cut_anywhere_after_its_header_holds_the_rounds_before_the_cut(
    data: st.DataObject, tmp_path: Path
) -> None:
    text = build_run(plan=SMALL).text().encode()
    cut = data.draw(st.integers(text.index(b"\n") + 1, len(text)))
    path = tmp_path / "cut.jsonl"
    path.write_bytes(text[:cut])

    run = read_run(path)

    assert len(run.rounds) == text[: text.rfind(b"\n", 0, cut) + 1].count(b'"type":"round"')
    assert run.torn is not text[:cut].endswith(b"\n")
    assert run.complete is (cut == len(text))


@pytest.mark.parametrize("later", [{"launch": 1}, event(message="a rank died")], ids=["header", "event"])
def test_an_end_that_is_not_the_last_record_does_not_complete_a_run(later: dict, made: MadeRun, tmp_path: Path) -> None:
    made.records.append({**made.header, **later} if "launch" in later else later)

    assert not read_run(made.write(tmp_path)).complete


def test_an_interrupted_run_is_not_complete(made: MadeRun, tmp_path: Path) -> None:
    made.records[-1] = end(rounds=6, complete=False, reason="interrupted")

    run = read_run(made.write(tmp_path))

    assert not run.complete
    assert run.end is not None


def test_unknown_types_and_keys_are_skipped(made: MadeRun, tmp_path: Path) -> None:
    made.records.insert(2, {"type": "energy", "joules": 3})
    for record in made.records:
        record["of_a_later_version"] = [1]

    assert read_run(made.write(tmp_path)).complete


def test_events_are_kept_even_when_their_round_is_not(made: MadeRun, tmp_path: Path) -> None:
    made.records = [made.header, event(message="rank 3 was slow to leave a barrier")]

    assert [found.message for found in read_run(made.write(tmp_path)).events] == ["rank 3 was slow to leave a barrier"]


def test_faults_belong_to_their_launch_and_need_no_round(made: MadeRun, tmp_path: Path) -> None:
    known = {"round": 3, "job": 1, "motif": "posix", "rank": 2, "host": "a1", "cause": "no space left on device"}
    made.records = [
        made.header,
        fault(**known),
        end(rounds=0, complete=False, reason="fault"),
        {**made.header, "launch": 1},
    ]

    ended, going_on = read_run(made.write(tmp_path)).launches

    assert ended.faults == (Fault(**known),)
    assert going_on.faults == ()


def test_a_fault_that_follows_the_end_makes_a_run_incomplete(made: MadeRun, tmp_path: Path) -> None:
    made.records.append(fault())

    assert not read_run(made.write(tmp_path)).complete


def test_a_fault_of_a_job_that_is_not_there_is_named(made: MadeRun, tmp_path: Path) -> None:
    made.records.append(fault(job=2))

    assert refusal(made.write(tmp_path)) == f":{len(made.records)}: job 2: the header has 2 jobs"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\x7fELF\x00\x01", ":1: not a run file: begins with b'\\x7f'"),
        (b"{nonsense}\n", ":1: broken line"),
        (b'{"a": "\xff"}\n', ":1: broken line"),
        (b'{"type": "profile"}\n', ':1: not a run file: type "profile"'),
        (b'{"type": "header"', ":1: the only line was cut off"),
        (b'{"type": "header", "schema_version": 2}\n', ":1: schema_version 2: this StressBench reads version 1"),
        (b'{"type": "header"}\n', ":1: schema_version null: this StressBench reads version 1"),
    ],
)
def test_what_is_no_run_file_is_named(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.jsonl"
    path.write_bytes(content)

    assert said in refusal(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.jsonl") == ": no such file or directory"


def test_a_broken_line_in_the_middle_is_named(made: MadeRun, tmp_path: Path) -> None:
    path = made.write(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    lines[6] = lines[6][:30] + b"\n"
    path.write_bytes(b"".join(lines))

    assert refusal(path).startswith(":7: broken line")


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("time_max_s", "3", 'sample.time_max_s "3"'),
        ("time_min_s", -1.0, "sample.time_min_s -1.0"),
        ("time_min_s", 9.0, "sample.time_min_s 9.0: expected at most time_max_s"),
        ("phase", "cold", 'sample.phase "cold"'),
        ("repetition", 1.5, "sample.repetition 1.5"),
        ("iterations", 0, "sample.iterations 0"),
        ("job", 7, "sample.job 7: the header has 2 jobs"),
        ("step", 1, "sample.step 1: job"),
        ("step", -1, "sample.step -1"),
        ("slowest_rank", None, "sample: expected times, slowest_rank and slowest_host all known or all null"),
        ("slowest_host", 4, "sample.slowest_host 4"),
        ("metrics", {"open_time_s": {"min": 1, "mean": 1}}, "sample.metrics.open_time_s.max"),
        (
            "metrics",
            {"open_time_s": {"min": 1, "mean": 1, "max": 1, "slowest_rank": -1}},
            "sample.metrics.open_time_s.slowest_rank -1",
        ),
        ("slowest_rank", 2**70, "sample"),
    ],
)
def test_a_corrupted_sample_is_named_with_its_line(
    key: str, value: object, said: str, made: MadeRun, tmp_path: Path
) -> None:
    message, line = corrupt(made, made.of("sample")[8], tmp_path, **{key: value})

    assert said in message
    assert value == 2**70 or message.startswith(f":{line}:")


def test_a_missing_key_is_named(made: MadeRun, tmp_path: Path) -> None:
    del made.records[3]["slowest_host"]

    assert refusal(made.write(tmp_path)) == ":4: sample.slowest_host: field required"


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("kind", "alone", 'round.kind "alone"'),
        ("round", 1, "round.round 1: expected more than"),
        ("job", 5, "job 5: the header has 2 jobs"),
        ("load_average", "low", 'round.load_average "low"'),
    ],
)
def test_a_corrupted_round_is_named(key: str, value: object, said: str, made: MadeRun, tmp_path: Path) -> None:
    message, line = corrupt(made, made.of("round", kind="isolated")[-1], tmp_path, **{key: value})

    assert message.startswith(f":{line}: {said}")


def test_two_runs_in_one_file_are_refused(made: MadeRun, tmp_path: Path) -> None:
    made.records += made.records

    assert "header.launch 0: expected 1; are these two runs in one file?" in refusal(made.write(tmp_path))


def test_a_launch_of_another_workload_is_refused(made: MadeRun, tmp_path: Path) -> None:
    other = json.loads(json.dumps(made.header))
    other["workload"]["hash"] = "fnv1a64:0"
    made.records.append({**other, "launch": 1})

    assert "header.workload.hash fnv1a64:0" in refusal(made.write(tmp_path))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("3", (3,)),
        ("2147483646-2147483647", (2147483646, 2147483647)),
        ("0-3,8", (0, 1, 2, 3, 8)),
        ("0-6:2", (0, 2, 4, 6)),
        ("5, 1", (5, 1)),
    ],
)
def test_ranges_are_expanded(text: str, numbers: tuple[int, ...]) -> None:
    assert parse_ranges(text) == numbers


@pytest.mark.parametrize(
    "text",
    ["", "a", "1-", "0-3:0", "1,,2", "0-99999999999", "2147483648", "0-1:2147483648", f"0-{2**63 - 1}", "9" * 5000],
)
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        parse_ranges(text)
