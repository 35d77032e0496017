"""Jobs of a PBS that answers here: `qsub`, `qstat` and `qdel` on PATH, and a queue that starts jobs on two nodes.

Debian 12 has no PBS. OpenPBS 23.06 from source runs on two hosts of a lab, with a directory of $PBS_HOME for each; its
server needs PostgreSQL, and `$PBS_CONF_FILE` names its configuration. Debian's Open MPI starts its daemons with ssh, or
with the program that `OMPI_MCA_plm_rsh_agent` names: where nodes have no ssh, a script with the line
`host=$1; shift; exec pbs_tmrsh "$host" /bin/sh -c "$*"`. Run the tests on the first host, with this checkout's engine.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.programs import TWO_JOBS, Engine, ranks_of, wait_for_rounds, wait_until

from stressbench.formats.run import read_run

RUN = ("run", "w.sb", "--on", "pbs", "-n", "4", "--ranks-per-node", "1")


def answers() -> bool:
    commands = all(shutil.which(name) for name in ("qsub", "qstat", "qdel"))
    return commands and subprocess.run(["qstat", "-B"], check=False, capture_output=True, timeout=60).returncode == 0


pytestmark = pytest.mark.skipif(not answers(), reason="NO PBS: no qsub on PATH, or its server does not answer")


def said(folder: Path, *words: str) -> str:
    return subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True, timeout=60).stdout


def submitted(folder: Path, script: str) -> str:
    """Submit a script with this environment, and return the id of the job."""
    (folder / "job.sh").write_text(script, encoding="utf-8")
    return said(folder, "qsub", "-V", "-o", str(folder / "out"), "-e", str(folder / "err"), "job.sh").strip()


def wait_for_the_end(folder: Path, job: str) -> str:
    """What the job printed."""
    wait_until(
        lambda: subprocess.run(["qstat", job], check=False, capture_output=True).returncode != 0, "the job ended"
    )
    wait_until(lambda: (folder / "err").exists(), "PBS has delivered its output")
    return "".join((folder / name).read_text(encoding="utf-8", errors="replace") for name in ("out", "err"))


def script_of_emit(engine: Engine, folder: Path, *options: str) -> str:
    (folder / "w.sb").write_text(TWO_JOBS, encoding="utf-8")
    ended = engine.stressbench(
        *RUN, "--emit", "--nodes", "2", "--walltime", "5min", "-o", "w.jsonl", *options, cwd=folder
    )
    assert ended.status == 0, ended.text
    return ended.output


def test_a_batch_script_of_emit_runs_on_two_nodes(engine: Engine, tmp_path: Path) -> None:
    job = submitted(tmp_path, script_of_emit(engine, tmp_path, "--isolated", "2", "--contended", "2"))

    printed = wait_for_the_end(tmp_path, job)

    run = read_run(tmp_path / "w.jsonl")
    assert run.complete, printed
    assert len({node.host for node in run.header.nodes}) == 2


def test_a_job_that_is_deleted_keeps_its_rounds_and_leaves_no_rank(engine: Engine, tmp_path: Path) -> None:
    job = submitted(tmp_path, script_of_emit(engine, tmp_path, "--isolated", "100000"))
    target = tmp_path / "w.jsonl"
    wait_for_rounds(target)

    said(tmp_path, "qdel", job)
    wait_for_the_end(tmp_path, job)

    assert read_run(target).rounds
    wait_until(lambda: ranks_of(engine.program) == [], "all ranks have ended")


def test_the_command_runs_in_a_job(engine: Engine, tmp_path: Path) -> None:
    """With ranks on both nodes, as $PBS_NODEFILE says, and -n from it."""
    (tmp_path / "w.sb").write_text(TWO_JOBS, encoding="utf-8")
    options = "--on pbs --ranks-per-node 1 --isolated 2 --contended 2 -o w.jsonl"
    script = (
        "#!/bin/bash\n#PBS -l select=2:ncpus=2:mpiprocs=2\n#PBS -l place=scatter:excl\n"
        f'cd "$PBS_O_WORKDIR" || exit\nexport STRESSBENCH_MPI={engine.program} PATH={os.environ["PATH"]}\n'
        f"{sys.executable} -m stressbench run w.sb {options}\n"
    )

    printed = wait_for_the_end(tmp_path, submitted(tmp_path, script))

    run = read_run(tmp_path / "w.jsonl")
    assert run.complete, printed
    assert run.header.ranks == 4
    assert len({node.host for node in run.header.nodes}) == 2
