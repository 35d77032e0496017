"""What this code writes: the keys and types of every record of every file. Values are for other tests."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from support import forked
from support.commands import call
from support.fake_launcher import put
from support.golden import KEPT, Golden, records_of, structure_of
from support.programs import CHECKOUT
from support.sensitivities import profile, sample, victim
from support.studies import STUDY, FakeLaunches, carry_out, study_in

from stressbench.formats.profiles.coruns import CoRun, to_line
from stressbench.formats.profiles.profile import to_json
from stressbench.formats.trace import read_trace
from stressbench.tracing.profile import Profile, profile_of

NAMED = frozenset(
    {"sites", "options", "metrics", "values", "figures", "packages", "variables", "workloads", "includes"}
)
"""Objects whose keys are names: of options, metrics, factors and the like."""
WORKLOAD = """\
[JOB_NAME] talkers
[NID_LIST] 0-1
[REPEAT] 2
[MOTIF] allreduce
[MOTIF] pingpong -i 20
[MOTIF] posix -s 1000 -f ${SCRATCH}/out
[MOTIF] mpiio -s 1000 -f ${SCRATCH}/shared --hint made_up=1
[JOB_NAME] alone
[NID_LIST] 2
[REPEAT] 2
[MOTIF] allreduce
"""
"""For 3 ranks, one a node. What the library makes of a hint is remarked in an event, on every machine."""
SUITES = """\
[JOB_NAME] suites
[NODES] 1
[REPEAT] 1
[MOTIF] b_eff --sizes 8,64 --quick --extra --protocol ${SCRATCH}/beff.jsonl
[MOTIF] b_eff_io --time 100ms --limit 1MiB --mpart 1MiB --file ${SCRATCH}/io --protocol ${SCRATCH}/beff-io.jsonl
"""
LAUNCHER = """\
#!/bin/sh
[ "$1" = --version ] && { echo "mpirun (Open MPI) 4.1.4"; exit 0; }
until [ "$1" = sh ] || [ "$1" = env ]; do shift; done
exec env OMPI_COMM_WORLD_LOCAL_RANK=0 "$@"
"""


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def same_records(golden: Golden, name: str, path: Path) -> None:
    golden.structure(f"records/{name}.json", records_of(lines(path), named=NAMED))


def measured(folder: Path, engine: Path, workload: str, *words: str) -> Path:
    """The run file of a workload under the real engine."""
    (folder / "w.sb").write_text(workload, encoding="utf-8")
    done = forked.stressbench(
        "run", "w.sb", "-o", "w.jsonl", "--engine", engine, *words, cwd=folder,
        environment={**os.environ, "SCRATCH": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "w.jsonl"


@pytest.mark.mpi
def test_run_file(golden: Golden, engine_program: Path, tmp_path: Path) -> None:
    words = ("-n", "3", "--ranks-per-node", "1", "--isolated", "2", "--contended", "2")

    same_records(golden, "run", measured(tmp_path, engine_program, WORKLOAD, *words))


@pytest.mark.mpi
def test_protocols_of_the_suites(golden: Golden, engine_program: Path, tmp_path: Path) -> None:
    words = ("-n", "2", "--ranks-per-node", "2", "--isolated", "1", "--contended", "0", "--warmup", "0")
    measured(tmp_path, engine_program, SUITES, *words)

    same_records(golden, "beff", tmp_path / "beff.jsonl")
    same_records(golden, "beff-io", tmp_path / "beff-io.jsonl")


@pytest.mark.mpi
def test_trace(golden: Golden, engine_program: Path, tmp_path: Path) -> None:
    launch = (str(CHECKOUT / "scripts" / "mpirun.sh"), "mpicxx.openmpi", "2")
    motif = (str(engine_program), "motif", "halo2d", "--columns", "8", "--rows", "8")
    done = forked.stressbench(
        "capture", "-o", "app.trace", *launch, *motif,
        cwd=tmp_path,
        environment={
            **os.environ,
            "STRESSBENCH_MPI": str(engine_program),
            "STRESSBENCH_TRACE_LIBRARY": str(engine_program.parents[1] / "tracer" / "libstressbench-trace.so"),
        },
    )  # fmt: skip
    assert done.returncode == 0, done.stderr

    same_records(golden, "trace", tmp_path / "app.trace")


def test_study_directory(golden: Golden, tmp_path: Path) -> None:
    directory = study_in(tmp_path, STUDY)
    carry_out(directory, FakeLaunches())

    same_records(golden, "study-manifest", directory.path / "manifest.jsonl")
    written = {path.name: json.loads(path.read_bytes()) for path in sorted(directory.path.glob("*.json"))}
    golden.structure("records/study-files.json", structure_of(written, named=NAMED))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with programs in place of an MPI and of the command that sets rates."""
    put(tmp_path / "engine", "#!/bin/sh\necho 'MPI library: Open MPI v4.1.4'\n")
    put(tmp_path / "mpirun.openmpi", LAUNCHER)
    put(tmp_path / "set-rate", "#!/bin/sh\n")
    put(tmp_path / "app", '#!/bin/sh\necho "FOM: 12"\n')
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("STRESSBENCH_MPI", str(tmp_path / "engine"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


LAUNCHES = {
    "degrade": ("--rate-command", "./set-rate", "--rates", "1,1/2"),
    "rails": ("--nics", "lo,ib1", "--policies", "default,nic0"),
}


@pytest.mark.parametrize("command", LAUNCHES)
def test_launches_of_a_program(golden: Golden, site: Path, command: str) -> None:
    common = ("-o", "d", "-n", "1", "--on", "local", "--runs", "1", "--fom", "FOM=FOM: ([0-9]+)")
    ended = call(command, "run", *common, *LAUNCHES[command], "--", "./app")
    assert ended.exit_code == 0, ended.output

    same_records(golden, f"{command}-launches", site / "d" / "launches.jsonl")


def test_mpi_profile(golden: Golden) -> None:
    found = json.loads(TypeAdapter(Profile).dump_json(profile_of(read_trace(KEPT / "app.trace"))))

    golden.structure("records/profile.json", structure_of(found, named=NAMED))


def test_sensitivity_profile(golden: Golden) -> None:
    suffers = victim({0.1: 1.02, 0.3: 1.2}, name="cg")
    stresses = profile("cg", idle_s=sample(0.0), impact_s=sample(0.3), links={"h0: h0 > s0": 0.25})

    for name, one in {"victim": suffers, "aggressor": stresses}.items():
        golden.structure(f"records/sensitivity-{name}.json", structure_of(json.loads(to_json(one)), named=NAMED))


def test_co_run(golden: Golden) -> None:
    seen = CoRun(victim="cg", aggressors=("fft",), slowdown=1.25, interval=(1.2, 1.3), source="by hand")

    golden.structure("records/co-run.json", structure_of(json.loads(to_line(seen))))
