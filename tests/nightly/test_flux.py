"""A real Flux: four brokers on this machine, each of which is a node of the instance."""

import json
import os
import shutil
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.programs import ENGINES, LIMIT_S, Engine, Outcome, Started, finished, own_copy, ranks_of, require, wait_until

from stressbench.formats.run import read_run

NODES = 4
WORKLOAD = "[JOB_NAME] one\n[NODES] 2\n[MOTIF] allreduce\n[JOB_NAME] two\n[NODES] 2\n[MOTIF] allreduce -c 1000\n"
ROUNDS = ("--ranks-per-node", "1", "--isolated", "2", "--contended", "2", "--repetitions", "3")
STUDY = """\
repetitions = 2
[factors]
workload = "pair.sb"
ranks = 2
ranks_per_node = 1
on = "flux"
[run]
isolated = 2
contended = 2
repetitions = 2
"""
PAIR = "[JOB_NAME] one\n[NODES] 1\n[MOTIF] barrier\n[JOB_NAME] two\n[NODES] 1\n[MOTIF] barrier\n"


@dataclass(frozen=True)
class Flux:
    """An instance for each command, with `stressbench` and an engine."""

    folder: Path
    engine: Engine

    @property
    def environment(self) -> dict[str, str]:
        return {"STRESSBENCH_MPI": str(self.engine.program)}

    def inside(self, *words: str | Path) -> list[str]:
        """The command that carries out another one in an instance."""
        return ["flux", "start", f"--test-size={NODES}", "--", *map(str, words)]

    def stressbench(self, *words: str | Path) -> Outcome:
        command = self.inside(sys.executable, "-m", "stressbench", *words)
        return finished(command, cwd=self.folder, environment=self.environment)

    def shell(self, text: str) -> Outcome:
        return finished(self.inside("sh", "-ec", text), cwd=self.folder, environment=self.environment)


@pytest.fixture(params=ENGINES, ids=lambda engine: engine.library.replace(" ", ""))
def flux(request: pytest.FixtureRequest, tmp_path: Path) -> Flux:
    if shutil.which("flux") is None:
        pytest.skip("NO FLUX: flux-core is on no PATH here; --on flux was not tested with a real one")
    (tmp_path / "w.sb").write_text(WORKLOAD, encoding="utf-8")
    (tmp_path / "pair.sb").write_text(PAIR, encoding="utf-8")
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    return Flux(tmp_path, own_copy(require(request.param), tmp_path))


def test_ranks_are_spread_over_all_nodes_of_the_instance(flux: Flux) -> None:
    planned = flux.stressbench("run", "w.sb", "-n", "4", "--on", "flux", *ROUNDS, "--dry-run")
    ended = flux.stressbench("run", "w.sb", "-n", "4", "--on", "flux", *ROUNDS, "-o", "w.jsonl")

    assert f"run --ntasks=4 --nodes={NODES} " in planned.output
    assert ended.status == 0, ended.text
    found = read_run(flux.folder / "w.jsonl")
    assert found.complete
    assert found.header.ranks == 4


def test_the_doctor_finds_one_mpi_job(flux: Flux) -> None:
    ended = flux.stressbench("doctor", "--on", "flux", "-n", "4", "--json")

    findings = {one["check"]: one for one in json.loads(ended.output)["findings"]}
    assert ended.status == 0, ended.text
    assert findings["launch"]["level"] == "ok"
    assert findings["launch"]["found"].startswith("4 ranks on 1 host in one MPI job, ")


def test_a_request_to_stop_reaches_the_ranks(flux: Flux) -> None:
    target = flux.folder / "w.jsonl"
    command = (sys.executable, "-m", "stressbench", "run", "w.sb", "-n", "4", "--on", "flux", "--isolated", "100000",
               "--ranks-per-node", "1", "-o", "w.jsonl")  # fmt: skip
    script = " ".join(command) + " & echo $! > pid; wait $! || echo $? > status"

    with Started(flux.inside("sh", "-c", script), cwd=flux.folder, environment=flux.environment) as process:
        wait_until(lambda: target.exists() and b'"round"' in target.read_bytes(), "a round is done")
        signalled = int((flux.folder / "pid").read_text())
        os.kill(signalled, signal.SIGTERM)
        process.communicate(timeout=LIMIT_S)

    assert (flux.folder / "status").read_text().split() == ["130"]
    end = read_run(target).end
    assert end is not None
    assert end.reason == "interrupted"
    assert ranks_of(flux.engine.program) == []


def test_a_script_runs_as_a_batch_job(flux: Flux) -> None:
    emitted = flux.stressbench(
        "run", "w.sb", "-n", "4", "--on", "flux", "--emit", "--nodes", str(NODES), *ROUNDS, "-o", "w.jsonl"
    )
    (flux.folder / "job.sh").write_text(emitted.output, encoding="utf-8")

    ended = flux.shell("id=$(flux batch --output=job.out job.sh) && flux job attach $id; flux job status $id")

    assert ended.status == 0, ended.text
    assert read_run(flux.folder / "w.jsonl").complete


def test_runs_of_a_study_have_nodes_of_their_own(flux: Flux) -> None:
    ended = flux.stressbench("study", "run", "study.toml", "-o", "made", "--jobs", "2")

    assert ended.status == 0, ended.text
    runs = sorted((flux.folder / "made" / "runs").glob("*.jsonl"))
    assert len(runs) == 2
    assert all(read_run(path).complete for path in runs)
