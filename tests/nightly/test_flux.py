"""Runs in a real instance of Flux with two brokers on this machine, where `flux` is on PATH or in $FLUX.

Flux is no package of Debian 12. From source (flux-core 0.88; packages: libzmq3-dev uuid-dev libjansson-dev liblz4-dev
libarchive-dev lua5.3 liblua5.3-dev lua-posix python3-cffi python3-ply python3-yaml libncurses-dev libhwloc-dev
libsqlite3-dev): `FLUX_VERSION=0.88.0 ./autogen.sh && ./configure --disable-docs && make install`.
"""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from support.programs import TWO_JOBS, Engine, Outcome, finished, ranks_of

from stressbench.formats.run import read_run

FLUX = os.environ.get("FLUX") or shutil.which("flux")
RUN = "run w.sb --on flux -n 4 --ranks-per-node 1"
FOREVER = f"{RUN} --isolated 100000 -o w.jsonl"
WAIT = 'until grep -qs \'"type":"round"\' w.jsonl; do sleep 0.1; done'
pytestmark = pytest.mark.skipif(FLUX is None, reason="FLUX IS NOT INSTALLED: flux is not on PATH or in $FLUX")


def in_flux(engine: Engine, folder: Path, *lines: str) -> Outcome:
    """What a script says in an instance of two brokers; $sb is the command, $engine the engine."""
    (folder / "w.sb").write_text(TWO_JOBS, encoding="utf-8")
    script = "\n".join((f"engine={engine.program}", f'sb="{sys.executable} -m stressbench"', *lines, ""))
    (folder / "script").write_text(script, encoding="utf-8")
    environment = {**os.environ, "STRESSBENCH_MPI": str(engine.program)}
    assert FLUX is not None
    words = [FLUX, "start", "--test-size=2", "bash", str(folder / "script")]
    return finished(words, cwd=folder, environment=environment, timeout_s=300)


def test_the_doctor_finds_one_mpi_job_on_flux(engine: Engine, tmp_path: Path) -> None:
    ended = in_flux(engine, tmp_path, "$sb doctor --on flux -n 2 --json")

    findings = {one["check"]: one["found"] for one in json.loads(ended.output)["findings"]}
    assert findings["launch"].startswith("2 ranks on 1 host in one MPI job")


def test_a_run_is_complete(engine: Engine, tmp_path: Path) -> None:
    ended = in_flux(engine, tmp_path, f"$sb {RUN} --isolated 2 --contended 2 -o w.jsonl")

    assert ended.status == 0, ended.text
    run = read_run(tmp_path / "w.jsonl")
    assert run.complete
    assert run.header.ranks == 4


def test_a_batch_script_of_emit_runs(engine: Engine, tmp_path: Path) -> None:
    ended = in_flux(
        engine, tmp_path, f"$sb {RUN} --emit --nodes 2 --walltime 5min --isolated 2 --contended 2 -o w.jsonl > job.sh",
        "flux job wait-event -t 120 $(flux batch job.sh) clean",
    )  # fmt: skip

    assert ended.status == 0, ended.text
    assert read_run(tmp_path / "w.jsonl").complete


def test_a_request_to_stop_reaches_the_ranks(engine: Engine, tmp_path: Path) -> None:
    ended = in_flux(engine, tmp_path, f"$sb {FOREVER} & {WAIT}", "kill -TERM $!", "wait $!")

    assert ended.status == 130, ended.text
    assert reason(tmp_path) == "interrupted"


def test_a_killed_rank_is_named(engine: Engine, tmp_path: Path) -> None:
    kill = 'kill -KILL $(pgrep -f "^$engine run" | head -n 1)'
    ended = in_flux(engine, tmp_path, f"$sb {FOREVER} & {WAIT}", kill, "wait $!")

    assert ended.status == 3, ended.text
    assert "was ended by SIGKILL" in ended.errors
    assert read_run(tmp_path / "w.jsonl").rounds
    assert ranks_of(engine.program) == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (f"$sb {FOREVER} -- --time-limit=8s", "at its time limit"),
        (f"$sb {FOREVER} & {WAIT}\nflux cancel --all\nwait $!", "of Flux was cancelled"),
    ],
    ids=["time limit", "cancelled"],
)
def test_a_job_that_flux_ends_keeps_its_rounds(engine: Engine, tmp_path: Path, command: str, said: str) -> None:
    """Flux sends SIGALRM at the time limit, SIGTERM when the job is cancelled, and SIGKILL five seconds later."""
    ended = in_flux(engine, tmp_path, command)

    assert ended.status == 130, ended.text
    assert reason(tmp_path) == "interrupted"
    assert said in ended.errors


def reason(folder: Path) -> str | None:
    end = read_run(folder / "w.jsonl").end
    return None if end is None else end.reason
