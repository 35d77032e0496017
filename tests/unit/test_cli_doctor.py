"""`stressbench doctor` in set-ups that are broken on purpose, with stand-ins for the engine and its launcher."""

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.commands import CommandResult, invoke
from support.fake_launcher import LIBRARIES, put, put_mpirun
from support.programs import Started, wait_until

import stressbench
from stressbench import __version__
from stressbench.experiments.doctor import CHECKS

SCHEMA = Path(__file__).parents[2] / "schema" / "doctor.schema.json"
_ENGINE = """\
#!/bin/sh
case $1 in
  --version) echo "stressbench-mpi {version}"; echo "MPI library: {library}" ;;
  telemetry) echo '[{{"name": "ethernet", "counters": [{{"device": "eth7"}}]}}]' ;;
  check) echo "$2:3:1: unknown motif 'AlReduce'" >&2; exit 2 ;;
  ranks) {ranks} ;;
esac
"""
_RANK = '{{"rank": {}, "host": "a", "processors": [{}], "usable_processors": [0, 1], "yields": true}}'


def launch_line(*processors: int) -> str:
    """What rank 0 of a job prints whose ranks are bound to these processors."""
    ranks = ", ".join(_RANK.format(number, processor) for number, processor in enumerate(processors))
    clock = '"clock": {"source": "CLOCK_MONOTONIC", "resolution_s": 1e-9, "overhead_s": 2e-8}'
    return f'{{"type":"launch", "version": "{__version__}", "library": "Open MPI", {clock}, "ranks": [{ranks}]}}'


def put_engine(path: Path, *processors: int, version: str = __version__, then: str = "") -> None:
    ranks = f"cat <<'END'\n{launch_line(*processors)}\nEND\n{then}\n"
    put(path, _ENGINE.format(version=version, library=LIBRARIES["mpirun.openmpi"], ranks=ranks))


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs that is first on PATH, with an engine of two ranks and its launcher."""
    folder = tmp_path / "bin"
    put_engine(folder / "stressbench-mpi", 0, 1)
    put_mpirun(folder)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    monkeypatch.setenv("STRESSBENCH_MPI", str(folder / "stressbench-mpi"))
    return folder


def doctor(*words: str) -> tuple[CommandResult, dict[str, list[dict[str, Any]]]]:
    """The result, and the findings of each check."""
    result = invoke(["doctor", "-n", "2", "--json", *words])
    findings: dict[str, list[dict[str, Any]]] = {}
    for one in json.loads(result.stdout)["findings"]:
        findings.setdefault(one["check"], []).append(one)
    return result, findings


def error_of(check: str, *words: str) -> str:
    """What the check found; it must be the only error of this check, and name a consequence and a remedy."""
    result, findings = doctor(*words)
    (found,) = [one for one in findings[check] if one["level"] == "error"]
    assert result.exit_code == 1
    assert found["consequence"] and found["remedy"]
    return str(found["found"])


def test_a_launch_that_works_is_described(bin_folder: Path) -> None:
    result, findings = doctor()

    assert [one["level"] for one in findings["launch"]] == ["ok"]
    assert findings["launch"][0]["found"].startswith("2 ranks on 1 host in one MPI job, Open MPI; ")
    assert findings["engine"][0]["found"].startswith(f"{bin_folder}/stressbench-mpi, version {__version__}")
    assert findings["NICs"][0]["found"].startswith("ethernet: eth7")
    assert set(findings) <= {one.name for one in CHECKS}
    Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8"))).validate(json.loads(result.stdout))


def test_findings_are_a_table_with_consequences_and_remedies(bin_folder: Path) -> None:
    put_engine(bin_folder / "stressbench-mpi", 0, 0)

    result = invoke("doctor -n 2")

    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    (at,) = [number for number, line in enumerate(lines) if line.startswith("error") and " binding " in line]
    assert lines[at + 1].split(":")[0].strip() == "consequence"
    assert lines[at + 2].split(":")[0].strip() == "remedy"
    assert "1 error, " in result.stderr


def test_an_engine_of_another_version_is_named(bin_folder: Path) -> None:
    put_engine(bin_folder / "stressbench-mpi", 0, 1, version="0.0.9")

    found = error_of("engine")

    assert found == f"{bin_folder}/stressbench-mpi is version 0.0.9, but this package is version {__version__}"


def test_an_engine_that_does_not_start_is_named(bin_folder: Path) -> None:
    put(bin_folder / "stressbench-mpi", "#!/bin/sh\necho 'libmpi.so.40: cannot open' >&2\nexit 127\n")

    assert f"{bin_folder}/stressbench-mpi --version failed" in error_of("engine")


def test_the_launcher_of_another_mpi_is_named(bin_folder: Path) -> None:
    put(bin_folder / "mpiexec.hydra", "#!/bin/sh\necho 'HYDRA build details:'\necho 'Version: 4.0.2'\n")

    found = error_of("launcher", "--mpirun", str(bin_folder / "mpiexec.hydra"))

    assert found.endswith("mpiexec.hydra is MPICH 4.0.2, but the engine was built with Open MPI 4.1.4")


def test_ranks_that_are_mpi_jobs_of_their_own_are_counted(bin_folder: Path) -> None:
    put_engine(bin_folder / "stressbench-mpi", 0)
    put_mpirun(bin_folder, before='"$@"\n')

    assert error_of("launch") == "the launcher started 2 MPI jobs of 1 rank instead of one of 2 ranks"


@pytest.mark.parametrize("before", ["sleep 1000\n", "trap '' TERM\nsleep 1000\n"])
def test_a_launcher_that_hangs_is_ended_and_named(bin_folder: Path, before: str) -> None:
    put_mpirun(bin_folder, before=before)

    found = error_of("launch", "--time-limit", "500ms")

    assert found == "no rank has passed MPI_Init within 0.5 s: the launcher or MPI_Init hangs"


def test_messages_that_do_not_arrive_are_named(bin_folder: Path) -> None:
    put_engine(bin_folder / "stressbench-mpi", 0, 1, then="sleep 1000")

    found = error_of("launch", "--time-limit", "1s")

    assert found == "2 ranks started, but their messages did not arrive within 1 s"


def test_a_launcher_that_fails_is_quoted(bin_folder: Path) -> None:
    put_mpirun(bin_folder, before="echo 'There are not enough slots' >&2\nexit 1\n")

    assert error_of("launch") == "the launcher ended with status 1: There are not enough slots"


def test_ranks_on_one_processor_are_named(bin_folder: Path) -> None:
    put_engine(bin_folder / "stressbench-mpi", 1, 1)

    assert error_of("binding") == "2 of 2 ranks on a share 1 processor (1), 1 of 2 processors are idle"


def test_a_workload_that_is_refused_is_named(bin_folder: Path) -> None:
    Path("w.sb").write_text("[MOTIF] AlReduce\n", encoding="utf-8")

    assert error_of("workload", "w.sb") == "w.sb:3:1: unknown motif 'AlReduce'"


def test_a_directory_that_is_missing_or_a_file_is_named(bin_folder: Path) -> None:
    Path("file").touch()

    assert error_of("storage", "--storage", "gone") == "gone does not exist"
    assert error_of("storage", "--storage", "file") == "file is not a directory"


def test_a_full_disk_is_named_and_left_as_it_was(bin_folder: Path, small_disk: Path) -> None:
    found = error_of("storage", "--storage", str(small_disk))

    assert found == f"a file of 1 MiB cannot be written to {small_disk}: no space left on device"
    assert list(small_disk.iterdir()) == []


def test_a_read_only_disk_is_named(bin_folder: Path, read_only_disk: Path) -> None:
    found = error_of("storage", "--storage", str(read_only_disk))

    assert found == f"a file of 1 MiB cannot be written to {read_only_disk}: read-only file system"


def test_a_host_that_cannot_be_resolved_is_named(bin_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {"gone": "no"}
    monkeypatch.setattr("stressbench.experiments.doctor.network.resolution_fault", faults.get)

    assert error_of("host names", "--", "--host", "gone:2") == "host gone cannot be resolved: no"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("gone.sb", "gone.sb does not exist"),
        ("-n 0", "-n: 0: expected 1 to"),
        ("-n two", "two"),
        ("--on nowhere", "--on: 'nowhere': expected local"),
        ("--on simgrid:tiny", "--on simgrid:tiny: simulated hosts have no faults"),
        ("--on slurm", "--on slurm: this is not a Slurm allocation"),
        ("--time-limit 60", "--time-limit: '60' must be a time with its unit"),
        ("--engine gone", "--engine: gone does not exist"),
        ("--mpirun gone", "--mpirun: gone does not exist"),
    ],
)
def test_a_mistake_gives_one_message_and_status_2(
    bin_folder: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)

    result = invoke(f"doctor {words}")

    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_another_mpirun_on_the_path_is_a_note(bin_folder: Path) -> None:
    put(bin_folder / "mpirun", "#!/bin/sh\necho 'HYDRA build details:'\necho 'Version: 4.0.2'\n")

    _, findings = doctor()

    assert [one["level"] for one in findings["launcher"]] == ["ok", "note"]
    assert findings["launcher"][1]["found"] == f"`mpirun` on PATH is MPICH 4.0.2 ({bin_folder}/mpirun)"


def test_python_gets_the_same_findings(bin_folder: Path) -> None:
    put_engine(bin_folder / "stressbench-mpi", 0, 0)

    found = stressbench.doctor(ranks=2, storage=["."], time_limit="30s")

    assert not found.passed
    assert repr(found).startswith("<DoctorResults: 1 error, ")
    assert [one.check for one in found.data.findings if one.level == "error"] == ["binding"]
    assert "binding" in found.report() and json.loads(found.report(format="json"))["ranks"] == 2


def test_an_interrupt_ends_the_launch_and_leaves_no_process(bin_folder: Path, tmp_path: Path) -> None:
    put_mpirun(bin_folder, before="echo $$ >began.new; mv began.new began\nsleep 1000\n")

    with Started([sys.executable, "-m", "stressbench", "doctor", "-n", "2"], cwd=tmp_path, environment={}) as process:
        wait_until((tmp_path / "began").exists, "the launcher has started")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()

    assert (process.returncode, errors) == (130, "stressbench: interrupted: the launch was ended\n")
    assert not Path("/proc", (tmp_path / "began").read_text().strip()).exists()
    assert not list(tmp_path.glob(".stressbench-*"))


def test_nothing_is_left_behind(bin_folder: Path, tmp_path: Path) -> None:
    doctor("--storage", str(tmp_path))

    assert not list(tmp_path.glob(".stressbench-*"))
