"""`stressbench machine` with real ranks: it can be interrupted and resumed, and each figure follows from run files."""

import json
import shutil
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.machines import write_result
from support.programs import LIMIT_S, Started, wait_until
from support.schemas import schema_faults

import stressbench
from stressbench.formats.machines import read_machine, sealed
from stressbench.formats.run import Phase, read_run

SHORT = ("-n", "2", "--ranks-per-node", "1", "--quick")


@pytest.fixture(scope="module")
def measured(engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Latency and storage on 2 ranks; the first command may start no run of the study."""
    folder = tmp_path_factory.mktemp("machine")
    words = ("--only", "latency,storage", "--storage", str(folder), "-o", "made")
    first = engine.stressbench("machine", "run", *SHORT, *words, "--time-limit", "1ms", cwd=folder)
    assert first.status == 130, first.text
    assert "time limit reached: 0 of 2 runs are done; `stressbench machine resume made` continues" in first.errors
    assert not (folder / "made" / "machine.json").exists()
    resumed = engine.stressbench("machine", "resume", "made", cwd=folder)
    assert resumed.status == 0, resumed.text
    return folder / "made"


def result(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / "machine.json").read_text())
    return read


def test_the_result_is_complete_and_follows_its_schema(measured: Path) -> None:
    made = result(measured)

    assert schema_faults("machine", made) == []
    assert made["complete"] is True
    assert {one["name"] for one in made["figures"]} == {
        "latency.network.0B", "latency.network.8B",
        *(f"storage.{name}.{word}" for name in ("posix-N-N", "posix-N-1", "mpiio-N-1") for word in ("write", "read")),
    }  # fmt: skip
    assert {one["n"] for one in made["figures"]} == {12}
    assert all(one["low"] is not None for one in made["figures"])
    assert [one["workload"] for one in made["skipped"]] == ["latency-node"]


def test_a_figure_follows_from_its_run_file(measured: Path) -> None:
    figure = next(one for one in result(measured)["figures"] if one["name"] == "latency.network.8B")

    run = read_run(measured / figure["sources"][0])

    samples = run.samples_of(job=0, step=1)
    assert samples is not None
    chosen = samples.in_phases(Phase.measured)
    halves = samples.time_max_s / samples.iterations / 2
    rounds = [np.median(halves[chosen & (samples.round == number)]) for number in np.unique(samples.round)]
    assert figure["value"] == pytest.approx(np.median(rounds))


def test_hosts_are_not_named(measured: Path) -> None:
    host = read_run(measured / "survey.jsonl").header.nodes[0].host

    assert result(measured)["provenance"]["host_names"] is None
    assert f'"{host}"' not in (measured / "machine.json").read_text()
    assert str(measured.parent) not in (measured / "machine.json").read_text()


def test_files_of_storage_are_removed(measured: Path) -> None:
    assert not list(measured.parent.glob("stressbench-*"))


def test_run_files_are_intact_until_one_changes(measured: Path, tmp_path: Path) -> None:
    assert stressbench.machine_verify(measured).complaints == ()
    changed = tmp_path / "changed"
    changed.mkdir()
    for name in ("machine.json", "survey.jsonl"):
        (changed / name).write_text((measured / name).read_text() + "\n")

    complaints = stressbench.machine_verify(changed).complaints

    assert f"{changed}/machine.json: survey.jsonl has changed" in complaints
    assert f"{changed}/machine.json: calibration.jsonl is missing" in complaints


def test_figures_are_computed_again_from_the_run_files(measured: Path) -> None:
    assert stressbench.machine_verify(measured).figures == 8


@pytest.mark.parametrize("what", ["value", "figure", "provenance"])
def test_a_result_with_a_checksum_that_does_not_follow_from_its_runs_is_found(
    measured: Path, tmp_path: Path, what: str
) -> None:
    copy = shutil.copytree(measured, tmp_path / "copy")
    before = read_machine(copy)
    first, *others = before.figures
    faster = replace(first, value=first.value / 2, low=None, high=None, values=tuple(one / 2 for one in first.values))
    changed, complaint = {
        "value": (replace(before, figures=(faster, *others)), f"{first.name} does not follow from the run files"),
        "figure": (replace(before, figures=tuple(others)), f"{first.name} is missing, but the run files have it"),
        "provenance": (
            replace(before, provenance=replace(before.provenance, transports="verbs")),
            "provenance does not follow from the run files",
        ),
    }[what]
    write_result(copy / "machine.json", sealed(changed))

    verdict = stressbench.machine_verify(copy)

    assert verdict.complaints == (f"{copy}/machine.json: {complaint}",)
    assert verdict.figures == 0


def test_a_machine_is_the_same_as_itself(measured: Path) -> None:
    """Of equal values, every interval contains 1, and none is worse."""
    comparison = stressbench.compare_machines(measured, measured / "machine.json")

    assert not comparison.worse
    assert all(one.low <= 1 <= one.high for one in comparison.data.figures)


def test_nothing_is_measured_again(measured: Path, engine) -> None:
    before = (measured / "machine.json").read_bytes()

    again = engine.stressbench("machine", "resume", measured)

    assert again.status == 0
    assert (measured / "machine.json").read_bytes() == before


def test_a_stop_signal_keeps_what_is_done(engine, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "stressbench", "machine", "run", *SHORT, "--only", "latency", "-o", "made"]
    with Started(command, cwd=tmp_path, environment={"STRESSBENCH_MPI": str(engine.program)}) as process:
        wait_until(lambda: any(map(has_begun, tmp_path.glob("made/study/runs/*.jsonl"))), "a round is in a run file")
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=LIMIT_S)
    assert process.returncode in (0, 130), said

    resumed = engine.stressbench("machine", "resume", "made", cwd=tmp_path)

    assert resumed.status == 0, resumed.text
    assert result(tmp_path / "made")["complete"] is True


def test_a_stop_signal_during_the_survey_ends_the_measurement(engine, tmp_path: Path) -> None:
    """The survey has one round, which ends before the request is heard."""
    command = [sys.executable, "-m", "stressbench", "machine", "run", *SHORT, "--only", "latency", "-o", "made"]
    with Started(command, cwd=tmp_path, environment={"STRESSBENCH_MPI": str(engine.program)}) as process:
        wait_until((tmp_path / "made" / "survey.jsonl").exists, "the survey has begun")
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=LIMIT_S)

    assert process.returncode == 130, said
    assert not list(tmp_path.glob("made/study/runs/*.jsonl"))


def has_begun(path: Path) -> bool:
    return '"type":"round"' in path.read_text()
