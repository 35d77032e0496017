"""Several commands carry out the runs of one study: each run once, whatever happens to one of them."""

import fcntl
import multiprocessing
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from support.commands import invoke
from support.studies import STUDY, WORKLOAD, FakeLaunches, Silent, again, study_in

from stressbench.experiments.study.claims import AllRuns, SharedRuns, is_any_claimed, shared_runs
from stressbench.experiments.study.directory import Directory, create_or_extend, locked, open_directory
from stressbench.experiments.study.execution import StudyOptions, StudyOutcome
from stressbench.experiments.study.running import LaunchResult, Policy, ScheduledRun, SequentialPool, Stop, StudyRunner
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import read_study
from stressbench.formats.study.manifest import FinishedRecord, PlannedRecord, StudyRecord

RUNS = 12  # of STUDY


def runner_of(directory: Directory, claims: SharedRuns, *, retries: int = 1) -> StudyRunner:
    policy = Policy(retries=retries, time_limit_s=None)
    return StudyRunner(directory, policy=policy, is_narrow=lambda _: False, watcher=Silent(), claims=claims)


def share(directory: Directory, launches: Callable[[ScheduledRun], LaunchResult], *, retries: int = 1) -> StudyOutcome:
    """Carry out what no other command has claimed."""
    with locked(directory.path, shared=True), shared_runs(directory.path) as claims:
        runner = runner_of(directory, claims, retries=retries)
        stop = runner.run(launches, pool=SequentialPool())
        return StudyOutcome(stop=stop, counts=runner.counts())


def finished(directory: Directory) -> Counter[str]:
    return Counter(record.run for record in directory.read().records if isinstance(record, FinishedRecord))


def test_a_second_command_carries_out_all_but_the_run_of_the_first(tmp_path: Path) -> None:
    directory, launches, others = study_in(tmp_path), FakeLaunches(), FakeLaunches()
    outcomes = []

    def first(scheduled: ScheduledRun) -> LaunchResult:
        outcomes.append(share(again(directory), others))
        return launches(scheduled)

    outcome = share(directory, first)

    assert (len(launches.started), len(others.started)) == (1, RUNS - 1)
    assert outcomes[0].summary == f"{RUNS - 1} of {RUNS} runs are done, 1 run elsewhere"
    assert outcome.summary == f"{RUNS} of {RUNS} runs are done"
    assert finished(directory) == Counter(run.id for run in directory.study.runs)
    assert not list(directory.path.glob("**/*.claim"))


def test_a_run_that_another_command_has_finished_meanwhile_is_not_repeated(tmp_path: Path) -> None:
    """The states that the first has read are old by then."""
    directory, launches, others = study_in(tmp_path), FakeLaunches(), FakeLaunches()
    taken: list[str] = []

    class Late(SharedRuns):
        def take(self, run: str) -> bool:
            if not taken:
                taken.append(run)
                share(again(directory), others)
            return super().take(run)

    with locked(directory.path, shared=True):
        runner_of(directory, Late(directory.path)).run(launches, pool=SequentialPool())

    assert (len(launches.started), len(others.started)) == (0, RUNS)


def test_what_one_command_was_interrupted_in_another_one_continues(tmp_path: Path) -> None:
    directory = study_in(tmp_path)
    launches, others = FakeLaunches(results={2: LaunchResult(status=130)}), FakeLaunches()

    outcome = share(directory, launches)
    share(again(directory), others)

    assert outcome.stop is Stop.interrupted
    assert others.orders[0].continues
    assert others.orders[0].run.id == launches.orders[2].run.id
    assert finished(directory) == Counter(run.id for run in directory.study.runs)


def test_a_run_that_failed_under_another_command_counts_against_the_retries(tmp_path: Path) -> None:
    directory = study_in(tmp_path)
    failing = FakeLaunches(results=dict.fromkeys(range(100), LaunchResult(status=3)))

    share(directory, failing, retries=1)
    outcome = share(again(directory), failing, retries=1)

    assert len(failing.started) == 2 * RUNS
    assert outcome.status == 3


def test_the_claim_of_a_process_that_was_killed_is_free(tmp_path: Path) -> None:
    directory, launches = study_in(tmp_path), FakeLaunches()
    for run in directory.study.runs:  # as SIGKILL leaves them
        (directory.path / "runs" / f".{run.id}.claim").touch()

    share(directory, launches)

    assert len(launches.started) == RUNS
    assert not list(directory.path.glob("**/*.claim"))


def test_a_claim_file_that_its_owner_removes_is_not_mistaken_for_a_claim(tmp_path: Path) -> None:
    """The owner gives it up between the opening and the lock of another process."""
    (tmp_path / "runs").mkdir()
    claim = tmp_path / "runs" / ".one.claim"
    owner, other = SharedRuns(tmp_path), SharedRuns(tmp_path)
    assert owner.take("one")
    opened = os.open(claim, os.O_RDWR)
    owner.release("one")
    fcntl.flock(opened, fcntl.LOCK_EX)

    assert other.take("one")
    assert is_any_claimed(tmp_path)
    assert not SharedRuns(tmp_path).take("one")
    os.close(opened)
    other.release("one")
    assert not is_any_claimed(tmp_path)


def test_commands_that_begin_a_study_at_the_same_time_set_it_up_once(tmp_path: Path) -> None:
    (tmp_path / "two.sb").write_text(WORKLOAD)
    (tmp_path / "study.toml").write_text(STUDY)
    study, text = read_study(tmp_path / "study.toml")
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(4)

    def begin() -> None:
        barrier.wait()
        create_or_extend(tmp_path / "made", study=study, text=text, folder=tmp_path).plan()

    processes = [context.Process(target=begin) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()

    assert [process.exitcode for process in processes] == [0] * 4
    records = open_directory(tmp_path / "made").read().records
    assert sum(isinstance(record, StudyRecord) for record in records) == 1
    assert sum(isinstance(record, PlannedRecord) for record in records) == RUNS


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [(True, False, "is running this study; wait"), (False, True, "is running this study without --share; wait")],
)
def test_a_study_is_shared_only_among_those_who_want_that(
    tmp_path: Path, first: bool, second: bool, message: str
) -> None:
    directory = study_in(tmp_path)

    with locked(directory.path, shared=first):
        with pytest.raises(StudyMistake, match=message), locked(directory.path, shared=second):
            pass
        if first:
            with locked(directory.path, shared=True):
                pass


def test_a_file_system_without_locks_is_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs").mkdir()

    def unsupported(descriptor: int, how: int) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", unsupported)

    with pytest.raises(StudyMistake, match=r"operation not supported; --share needs a file system with locks"):
        SharedRuns(tmp_path).take("one")


def test_without_sharing_nothing_is_claimed(tmp_path: Path) -> None:
    assert AllRuns().take("one")
    assert not list(tmp_path.iterdir())


def test_sharing_is_refused_where_runs_would_disturb_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study_in(tmp_path)

    ended = invoke("study run study.toml -o new --share")

    assert ended.exit_code == 2
    expected = "--share: runs on local would share cores and links and measure each other; leave it out there"
    assert expected in " ".join(ended.stderr.split())
    assert not (tmp_path / "new").exists()


@pytest.fixture
def allocation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The variables of an allocation of 4 nodes, and an srun that lists no PMI type."""
    program = tmp_path / "srun"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return {"SLURM_JOB_ID": "7", "SLURM_JOB_NUM_NODES": "4", "SLURM_JOB_CPUS_PER_NODE": "2(x4)"}


@pytest.mark.parametrize(
    ("line", "jobs", "message"),
    [
        ("ranks = 2", 2, None),
        ("ranks = 4", 1, None),
        ("ranks = 4\nranks_per_node = 2", 2, None),
        ("ranks = 4", 2, "--jobs 2: a run with 4 ranks takes 4 of the 4 nodes of the allocation; expected at most 1"),
        ("ranks = [1, 2]", 4, "--jobs 4: a run with 2 ranks takes 2 of the 4 nodes of the allocation; expected at"),
        ("ranks = 4\nranks_per_node = 2", 3, "--jobs 3: a run with 4 ranks takes 2 of the 4 nodes"),
    ],
)
def test_runs_at_once_must_not_wait_for_each_other_s_nodes(
    tmp_path: Path, allocation: dict[str, str], line: str, jobs: int, message: str | None
) -> None:
    text = STUDY.replace("ranks = 4", f'on = "slurm"\n{line}')
    study = study_in(tmp_path, text).study
    options = replace(StudyOptions(), jobs=jobs)

    if message is None:
        options.check_nodes(study, folder=tmp_path, environment=allocation)
        return
    with pytest.raises(StudyMistake) as mistake:
        options.check_nodes(study, folder=tmp_path, environment=allocation)
    assert str(mistake.value).startswith(message)
