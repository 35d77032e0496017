"""What a launch of a study is asked for."""

from pathlib import Path
from typing import Any

import pytest
from support.studies import PART, STUDY, study_in

from stressbench.experiments.study.directory import open_directory
from stressbench.experiments.study.execution import StudyOptions, begin_study, run_study
from stressbench.experiments.study.launching import RunLauncher
from stressbench.experiments.study.running import ScheduledRun
from stressbench.experiments.sweep.pairs import PairMatrix
from stressbench.experiments.sweep.specification import SweepRounds
from stressbench.formats.study.errors import StudyMistake
from stressbench.launch import session
from stressbench.launch.cancellation import cancellation_in
from stressbench.launch.execute import Outcome
from stressbench.launch.session import LaunchRequest, RunResult


@pytest.fixture
def requested(monkeypatch: pytest.MonkeyPatch) -> list[LaunchRequest]:
    """The requests of all launches, which fail."""
    requests: list[LaunchRequest] = []

    def prepare(request: LaunchRequest, environment: object) -> str:
        requests.append(request)
        return "prepared"

    def run(prepared: object, *, run_file: Path) -> RunResult:
        return ended("srun: error: h3: task 3: Exited with exit code 3\n")

    monkeypatch.setattr(session, "prepare", prepare)
    monkeypatch.setattr(session, "run", run)
    return requests


@pytest.fixture
def refusing(requested: list[LaunchRequest], monkeypatch: pytest.MonkeyPatch) -> list[LaunchRequest]:
    """The requests of all launches. The engine refuses `bad.sb`, and pairs with its job."""
    prepare = session.prepare

    def refuse(request: LaunchRequest, environment: object) -> Any:
        prepared = prepare(request, environment=environment)  # type: ignore[arg-type]
        return 2 if "bad" in request.workload.name else prepared

    monkeypatch.setattr(session, "prepare", refuse)
    return requested


def put_study(folder: Path, workloads: str) -> str:
    """A study of these workloads, and the path of its file."""
    for name in ("one", "other", "bad"):
        (folder / f"{name}.sb").write_text(f"[JOB_NAME] {name}\n[NODES] 1\n[MOTIF] allreduce\n", encoding="utf-8")
    (folder / "study.toml").write_text(f"[factors]\nworkload = {workloads}\nranks = 2\n", encoding="utf-8")
    return str(folder / "study.toml")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("exists", [False, True], ids=["new", "empty"])
def test_a_study_that_the_engine_refuses_leaves_no_directory_behind(
    tmp_path: Path, refusing: list[LaunchRequest], exists: bool
) -> None:
    file, output = put_study(tmp_path, '["one.sb", "bad.sb"]'), tmp_path / "above" / "made"
    if exists:
        output.mkdir(parents=True)

    with pytest.raises(StudyMistake, match="the engine cannot run this workload"):
        begin_study(file, output, StudyOptions())

    assert (tmp_path / "above").exists() == exists
    assert not exists or list(output.iterdir()) == []


def test_a_study_is_not_extended_by_what_the_engine_refuses(tmp_path: Path, refusing: list[LaunchRequest]) -> None:
    output = tmp_path / "made"
    begin_study(put_study(tmp_path, '"one.sb"'), output, StudyOptions())
    before = contents(output)

    with pytest.raises(StudyMistake, match="the engine cannot run this workload"):
        begin_study(put_study(tmp_path, '["one.sb", "bad.sb"]'), output, StudyOptions())

    assert contents(output) == before
    extended = begin_study(put_study(tmp_path, '["one.sb", "other.sb"]'), output, StudyOptions())
    assert len(extended.study.cells) == 2


def test_a_matrix_that_the_engine_refuses_leaves_no_directory_behind(
    tmp_path: Path, refusing: list[LaunchRequest], monkeypatch: pytest.MonkeyPatch
) -> None:
    put_study(tmp_path, '"one.sb"')
    monkeypatch.chdir(tmp_path)
    pairs = PairMatrix(workloads=(Path("one.sb"), Path("bad.sb")), ranks=2, rounds=SweepRounds())

    with pytest.raises(StudyMistake, match="the engine cannot run this workload"):
        pairs.begin(tmp_path / "pairs", StudyOptions())

    assert not (tmp_path / "pairs").exists()


def test_the_engine_checks_a_workload_once_before_the_first_run_and_once_before_it_goes_on(
    tmp_path: Path, requested: list[LaunchRequest]
) -> None:
    file, output = put_study(tmp_path, '["one.sb", "other.sb"]'), tmp_path / "made"
    begun = begin_study(file, output, StudyOptions(retries=0))
    checked = [len(requested)]

    for directory in (begun, open_directory(output)):
        run_study(directory, StudyOptions(retries=0))
        checked.append(sum(one.run_file.path == Path("check.jsonl") for one in requested))

    assert checked == [2, 2, 4]


def ended(errors: str) -> RunResult:
    """A launch that failed and printed this."""
    outcome = Outcome(status=3, stop_requests=0, output="", errors=errors, rank_of=())
    return RunResult(status=3, outcome=outcome, death=None, run=None, cancellation=cancellation_in(errors))


@pytest.mark.parametrize(
    ("errors", "status", "reason"),
    [
        ("srun: Check SLURM_JOB_ID ... Expired or invalid job 12\n", 130, "job 12 of Slurm has ended"),
        ("srun: error: Node failure on h3\nsrun: error: h3: task 3: Killed\n", 130, "node h3 failed"),
        ("srun: error: h3: task 3: Exited with exit code 3\n", 3, "srun: error: h3: task 3: Exited with exit code 3"),
    ],
)
def test_a_run_that_slurm_ended_has_not_failed(
    tmp_path: Path, requested: list[LaunchRequest], monkeypatch: pytest.MonkeyPatch, errors: str, status: int,
    reason: str,
) -> None:  # fmt: skip
    """All others would end in the same way: the study stops, and is resumed in another allocation."""
    directory = study_in(tmp_path, STUDY)
    monkeypatch.setattr(session, "run", lambda prepared, *, run_file: ended(errors))
    launcher = RunLauncher(study=directory.study, folder=directory.folder, environment={}, note=directory.write)
    planned = directory.study.runs[0]

    path = directory.path / directory.file_of(planned.id, attempt=1)
    result = launcher(ScheduledRun(run=planned, path=path, continues=False, time_limit_s=None))

    assert (result.status, result.reason) == (status, reason)


def test_all_attempts_of_a_run_have_its_id(tmp_path: Path, requested: list[LaunchRequest]) -> None:
    """A storage motif takes over the files that a failed attempt has left only if they belong to its run id."""
    directory = study_in(tmp_path, STUDY)
    launcher = RunLauncher(study=directory.study, folder=directory.folder, environment={}, note=directory.write)
    planned = directory.study.runs[0]

    for attempt in (1, 2):
        path = directory.path / directory.file_of(planned.id, attempt=attempt)
        launcher(ScheduledRun(run=planned, path=path, continues=False, time_limit_s=None))

    assert [one.options.run_id for one in requested] == [planned.id] * 2


def test_runs_read_the_telemetry_of_the_study_file_and_the_engine_checks_its_sources(
    tmp_path: Path, requested: list[LaunchRequest]
) -> None:
    telemetry = 'telemetry = "ethernet,cpu"\ntelemetry_command = "counters --json"\ntelemetry_limit = "200ms"\n'
    directory = study_in(tmp_path, f"{STUDY}[run]\n{telemetry}")
    launcher = RunLauncher(study=directory.study, folder=directory.folder, environment={}, note=directory.write)
    planned = directory.study.runs[0]

    launcher.check()
    path = directory.path / directory.file_of(planned.id, attempt=1)
    path.parent.mkdir(exist_ok=True)
    path.write_text(PART, encoding="utf-8")
    for continues in (False, True):
        launcher(ScheduledRun(run=planned, path=path, continues=continues, time_limit_s=None))

    *checked, new, continued = (one.options for one in requested)
    assert {one.telemetry for one in checked} == {"ethernet,cpu"}
    for one in (new, continued):
        assert (one.telemetry, one.telemetry_command) == ("ethernet,cpu", "counters --json")
        assert one.telemetry_limit == "200ms"
