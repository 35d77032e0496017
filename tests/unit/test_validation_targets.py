"""A validation on each launch target: how both sides are started, with stand-ins for mpirun and srun."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.fake_lab import FOUR, FakeLab
from support.fake_launcher import FAKE_ENGINE, put, put_mpirun
from support.fake_tracer import COPY, folder

from stressbench.errors import MachineFault
from stressbench.experiments.validation.launches import TracedLaunches
from stressbench.formats.trace import TraceMode
from stressbench.launch.targets import registered, resolve_target

__all__ = ["folder"]  # a fixture
SRUN = """\
#!/bin/sh
[ "$1" = --mpi=list ] && { echo pmix; exit 0; }
printf '%s\\n' "$*" >>"$FAKE_LAUNCHES"
until [ "$1" = sh ]; do shift; done
exec "$@"
"""
ALLOCATION = {
    "SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "2", "SLURM_NTASKS": "4", "SLURM_JOB_CPUS_PER_NODE": "2(x2)",
}  # fmt: skip
TARGETS = {
    "local": "-n 4",
    "lab:four": "-n 4 --host h0:2,h1:2 --map-by slot --bind-to none --mca osc ^rdma",
    "slurm": "--ntasks=4 --nodes=2 --ntasks-per-node=2 --distribution=block --wait=30 --mpi=pmix",
}
"""How 4 ranks are started on each of them."""


@pytest.fixture
def launches(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], TracedLaunches]:
    """Launches of 4 ranks on a target. The launchers write their words into `launches` and start one process."""
    put_mpirun(folder / "bin")
    put(folder / "bin" / "srun", SRUN)
    (folder / "kept").mkdir()
    settings = {
        "PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}", "FAKE_LAUNCHES": str(folder / "launches"),
        "STRESSBENCH_MPI": str(FAKE_ENGINE), "STRESSBENCH_TRACE_POOL": str(folder / "pools"),
        "STRESSBENCH_TRACE_LIBRARY": str(folder / "lib" / "libstressbench-trace.so"),
    }  # fmt: skip
    for name in ALLOCATION:
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(folder)

    def made(on: str) -> TracedLaunches:
        if on == "slurm":
            for name, value in ALLOCATION.items():
                monkeypatch.setenv(name, value)
        with registered(lab=FakeLab(here=FOUR)):
            target = resolve_target(on, environment=os.environ)
        return TracedLaunches(ranks=4, target=target, engine=None, folder=folder / "kept")

    return made


def run_workload(launches: TracedLaunches, *, program_s: float = 0.0) -> None:
    """Start a workload; the stand-in for the engine writes no trace."""
    with pytest.raises(MachineFault, match="left no trace"):
        launches.run_workload(
            Path("w.sb"), repetitions=2, warmup=0, seed=1, name="workload", mode=TraceMode.capture, program_s=program_s
        )


@pytest.mark.parametrize(("on", "starts"), TARGETS.items())
def test_program_and_workload_are_started_with_the_same_words(
    launches: Callable[[str], TracedLaunches], folder: Path, on: str, starts: str
) -> None:
    made = launches(on)

    made.capture_program(["sh", "-c", COPY], begins_paused=False)
    run_workload(made)

    program, workload = (line.partition(" sh -c ")[0] for line in (folder / "launches").read_text().splitlines())
    assert program == workload
    assert starts in program


@pytest.mark.parametrize("on", TARGETS)
def test_each_rank_is_traced_in_the_directory_of_the_command(
    launches: Callable[[str], TracedLaunches], folder: Path, on: str
) -> None:
    launches(on).capture_program(["sh", "-c", f"env >seen; {COPY}"], begins_paused=True)

    seen = dict(line.split("=", 1) for line in (folder / "seen").read_text().splitlines() if "=" in line)
    assert seen["LD_PRELOAD"].split(":")[0] == str(folder / "lib" / "libstressbench-trace.so")
    assert seen["STRESSBENCH_TRACE_OUTPUT"] == str(folder / "kept" / "program.trace")
    assert seen["STRESSBENCH_TRACE_PAUSED"] == "1"


@pytest.mark.parametrize("on", TARGETS)
def test_where_nobody_could_remove_them_ranks_leave_no_files_in_shared_memory(
    launches: Callable[[str], TracedLaunches], folder: Path, on: str
) -> None:
    launches(on).capture_program(["sh", "-c", f'echo "$STRESSBENCH_TRACE_POOL" >pool; {COPY}'], begins_paused=False)

    here = str(folder / "pools")
    assert (folder / "pool").read_text().strip() == (here if on == "local" else os.devnull)


@pytest.mark.parametrize(
    ("on", "program_s", "words"),
    [("local", 5.0, ""), ("slurm", 5.0, ""), ("lab:four", 0.0, " --stall-limit 60s "), ("lab:four", 5.0, " 60s "),
     ("lab:four", 20.0, " --stall-limit 200s ")],
)  # fmt: skip
def test_on_a_lab_a_workload_ends_if_a_link_is_down_but_not_because_it_repeats_a_long_program(
    launches: Callable[[str], TracedLaunches], folder: Path, on: str, program_s: float, words: str
) -> None:
    run_workload(launches(on), program_s=program_s)

    (started,) = (folder / "launches").read_text().splitlines()
    assert words in started
    assert ("--stall-limit" in started) == bool(words)
