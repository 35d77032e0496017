"""Launches under the tracer: what is left behind, how they fail, and what a workload's run file must have."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.fake_lab import PAIR
from support.fake_launcher import put
from support.traces import Record, ring, write_lines

from stressbench.errors import Interrupted, MachineFault, StressBenchError
from stressbench.experiments.validation.launches import TracedLaunches
from stressbench.launch.execute import Outcome
from stressbench.launch.launch_target import LOCAL, LaunchTarget
from stressbench.launch.tracer import find_tracer

KILLED = "mpirun noticed that process rank 1 with PID 7 on node h1 exited on signal 9 (Killed).\n"


@pytest.fixture
def launches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., TracedLaunches]:
    """Launches of a program whose ranks leave a pool in shared memory behind, and end as given.

    `written`: the lines of the trace that they write; none: they write no trace.
    """
    library = tmp_path / "libstressbench-trace.so"
    library.touch()
    (tmp_path / "pools").mkdir()
    (tmp_path / "folder").mkdir()
    monkeypatch.setenv("STRESSBENCH_TRACE_LIBRARY", str(library))
    monkeypatch.setenv("STRESSBENCH_TRACE_POOL", str(tmp_path / "pools"))
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)

    def made(
        *, ends: BaseException | None = None, target: LaunchTarget = LOCAL, written: Sequence[Record] = (),
        name: str = "program", ranks: int = 2, **outcome: Any,
    ) -> TracedLaunches:  # fmt: skip
        def run_program(words: Sequence[str], **_: Any) -> Outcome:
            (key,) = re.findall(r"STRESSBENCH_TRACE_ID=(\w+)", " ".join(words))
            (tmp_path / "pools" / f"stressbench-trace-{key}-0.0.pool").touch()
            (tmp_path / "folder" / "program.trace.modules").touch()
            if ends is not None:
                raise ends
            if written:
                write_lines(tmp_path / "folder" / f"{name}.trace", written)
            values: dict[str, Any] = {"status": 0, "stop_requests": 0, "output": "no input", "errors": ""} | outcome
            return Outcome(rank_of=(), **values)

        monkeypatch.setattr("stressbench.experiments.validation.launches.launching.run_program", run_program)
        return TracedLaunches(ranks=ranks, target=target, engine=None, folder=tmp_path / "folder")

    return made


@pytest.mark.parametrize(
    ("ends", "error", "message"),
    [
        ({"status": 130, "stop_requests": 1}, Interrupted, "stopped while app ran"),
        ({"status": 7}, MachineFault, "app ended with status 7; the last lines that it printed:\nno input"),
        ({"status": 137, "errors": KILLED}, MachineFault, "^rank 1 of app on host h1 was ended by SIGKILL; the last"),
        ({}, MachineFault, "app left no trace .*built with the engine's MPI.$"),
        ({"ends": KeyboardInterrupt("twice")}, KeyboardInterrupt, "twice"),
    ],
)
def test_no_data_of_ranks_is_left_behind_however_a_launch_ends(
    launches: Callable[..., TracedLaunches], tmp_path: Path, ends: dict[str, Any],
    error: type[StressBenchError | KeyboardInterrupt], message: str,
) -> None:  # fmt: skip
    with pytest.raises(error, match=message):
        launches(**ends).capture_program(["./app"], begins_paused=False)
    assert list((tmp_path / "pools").iterdir()) == []
    assert list((tmp_path / "folder").iterdir()) == []


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (0, "app left no trace .*built with the engine's MPI.; do all hosts share"),
        (2, "app left the traces of some ranks only .*1 of 2 ranks are whole.*; do all hosts share"),
    ],
)
def test_without_the_traces_of_other_hosts_it_is_asked_whether_they_share_the_directory(
    launches: Callable[..., TracedLaunches], tmp_path: Path, lines: int, message: str
) -> None:
    with pytest.raises(MachineFault, match=f"{message} {re.escape(str(tmp_path))}"):
        launches(target=PAIR, written=ring(2).records()[:lines]).capture_program(["./app"], begins_paused=False)


@pytest.mark.parametrize(
    ("of_ranks", "expected"), [((3000, 5000, 4000), 4000), ((3000, None, 4000), None), ((1, 2, 3, 4), 3)]
)
def test_the_working_set_is_the_median_of_the_ranks_if_all_are_known(
    launches: Callable[..., TracedLaunches], of_ranks: Sequence[int | None], expected: int | None
) -> None:
    records = ring(len(of_ranks)).records()
    for record in records:
        if record["type"] == "rank":
            record["working_set_bytes"] = of_ranks[record["rank"]]
    made = launches(written=records, name="working-set", ranks=len(of_ranks))
    assert made.working_set_bytes(["./app"], None, begins_paused=False) == expected


def test_the_tracer_is_the_one_beside_the_engine_that_the_user_named(tmp_path: Path) -> None:
    engine, library = tmp_path / "engine" / "stressbench-mpi", tmp_path / "tracer" / "libstressbench-trace.so"
    put(engine, "#!/bin/sh\n")
    put(library, "")

    assert find_tracer({}, explicit_engine=engine).library == library.resolve()
