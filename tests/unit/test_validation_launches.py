"""Launches under the tracer: what is left behind, and what a workload's run file must have."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from stressbench.errors import Interrupted, MachineFault, StressBenchError
from stressbench.experiments.validation.launches import TracedLaunches
from stressbench.launch.execute import Outcome
from stressbench.launch.launch_target import LOCAL


@pytest.fixture
def launches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., TracedLaunches]:
    """Launches of a program whose ranks leave a pool in shared memory behind, and end as given."""
    library = tmp_path / "libstressbench-trace.so"
    library.touch()
    (tmp_path / "pools").mkdir()
    (tmp_path / "folder").mkdir()
    monkeypatch.setenv("STRESSBENCH_TRACE_LIBRARY", str(library))
    monkeypatch.setenv("STRESSBENCH_TRACE_POOL", str(tmp_path / "pools"))

    def made(*, ends: BaseException | None = None, **outcome: int) -> TracedLaunches:
        def run_program(words: Sequence[str], **_: Any) -> Outcome:
            (key,) = re.findall(r"STRESSBENCH_TRACE_ID=(\w+)", " ".join(words))
            (tmp_path / "pools" / f"stressbench-trace-{key}-0.0.pool").touch()
            (tmp_path / "folder" / "program.trace.modules").touch()
            if ends is not None:
                raise ends
            values: dict[str, Any] = {"status": 0, "stop_requests": 0, "output": "no input", "errors": ""} | outcome
            return Outcome(rank_of=(), **values)

        monkeypatch.setattr("stressbench.experiments.validation.launches.launching.run_program", run_program)
        return TracedLaunches(ranks=2, target=LOCAL, engine=None, folder=tmp_path / "folder")

    return made


@pytest.mark.parametrize(
    ("ends", "error", "message"),
    [
        ({"status": 130, "stop_requests": 1}, Interrupted, "stopped while app ran"),
        ({"status": 7}, MachineFault, "app ended with status 7; the last lines that it printed:\nno input"),
        ({}, MachineFault, "app left no trace"),
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
