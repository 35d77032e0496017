"""Studies without MPI: a launch writes a synthetic run file and may fail, be cut off, or be killed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stressbench.experiments.study.directory import Directory, create_or_extend, open_directory
from stressbench.experiments.study.running import (
    LaunchResult,
    Policy,
    RunCounts,
    ScheduledRun,
    SequentialPool,
    Stop,
    StudyRunner,
)
from stressbench.formats.run import Run
from stressbench.formats.study.file import read_study
from stressbench.formats.study.manifest import Record
from support.builders import MadeJob, MadePlan, build_run

STUDY = """\
about = "made up"
repetitions = 2
[factors]
workload = "two.sb"
ranks = 4
placement = ["linear", "interleaved", "random:1"]
[set]
size = ["4KiB", "8KiB"]
"""
WORKLOAD = "[JOB_NAME] CG\n[NODES] 1\n[MOTIF] allreduce\n[JOB_NAME] Incast\n[NODES] 1\n[MOTIF] incast\n"
JOBS = (MadeJob(name="CG", nodes="0", congestion=1.5), MadeJob(name="Incast", nodes="1"))


class Killed(BaseException):
    """The study's process was killed; nothing runs after it."""


def made_run(*, seed: int = 1, blocks: int = 6, complete: bool = True, jobs: Sequence[MadeJob] = JOBS) -> str:
    plan = MadePlan(blocks=blocks, repetitions=2, warmup=0, extra=0)
    return build_run(jobs=jobs, plan=plan, seed=seed, complete=complete, histograms=False).text()


WHOLE = made_run()
PART = made_run(blocks=2, complete=False)


@dataclass
class FakeLaunches:
    """Fake of MPI launches; `plan` gives the result of each launch, from 0: a status or an exception."""

    results: dict[int, LaunchResult | BaseException] = field(default_factory=dict)
    orders: list[ScheduledRun] = field(default_factory=list)
    text: str = WHOLE

    def __call__(self, order: ScheduledRun) -> LaunchResult:
        number = len(self.orders)
        self.orders.append(order)
        what = self.results.get(number, LaunchResult(status=0))
        if isinstance(what, BaseException):
            order.path.write_text(PART)
            raise what
        order.path.write_text(self.text if what.status == 0 else PART)
        return what

    @property
    def started(self) -> list[str]:
        return [order.run.id for order in self.orders]


class Silent:
    """An observer that records the counts it receives."""

    def __init__(self) -> None:
        self.counts: list[RunCounts] = []
        self.waited_for: list[Path] = []

    def waits(self, path: Path) -> None:
        self.waited_for.append(path)

    def starts(self, order: ScheduledRun, counts: RunCounts) -> None:
        self.counts.append(counts)

    def ended(self, order: ScheduledRun, result: LaunchResult, counts: RunCounts) -> None:
        self.counts.append(counts)


def study_in(folder: Path, text: str = STUDY, *, name: str = "study.toml") -> Directory:
    """A directory `folder/made` with the study of this text."""
    (folder / "two.sb").write_text(WORKLOAD)
    (folder / name).write_text(text)
    study, text = read_study(folder / name)
    return create_or_extend(folder / "made", study=study, text=text, folder=folder)


@dataclass
class Ticking:
    """A clock that advances by a fixed time with each reading."""

    step_s: float = 1.0
    now_s: float = 0.0

    def __call__(self) -> float:
        self.now_s += self.step_s
        return self.now_s


def carry_out(
    directory: Directory,
    launches: Callable[[ScheduledRun], LaunchResult],
    *,
    retries: int = 1,
    time_limit_s: float | None = None,
    is_narrow: Callable[[Sequence[Run]], bool] = lambda _: False,
    clock: Callable[[], float] | None = None,
    pool: Any = None,
    watcher: Silent | None = None,
) -> tuple[Stop, StudyRunner]:
    policy = Policy(retries=retries, time_limit_s=time_limit_s)
    runner = StudyRunner(
        directory, policy=policy, is_narrow=is_narrow, watcher=watcher or Silent(), clock=clock or Ticking()
    )
    return runner.run(launches, pool=pool or SequentialPool()), runner


def again(directory: Directory) -> Directory:
    """The directory as another process reads it."""
    return open_directory(directory.path)


def killing_writes(directory: Directory, *, after: int, torn: int) -> Directory:
    """A directory whose process is killed at the next write after the given number; `torn` bytes of it are written."""

    class Killing(Directory):
        def write(self, *records: Record) -> None:
            counts["written"] += 1
            if counts["written"] <= after:
                super().write(*records)
                return
            before = self.manifest.read_bytes() if self.manifest.exists() else b""
            super().write(*records)
            whole = self.manifest.read_bytes()
            self.manifest.write_bytes(whole[: min(len(before) + torn, len(whole))])
            raise Killed

    counts = {"written": 0}
    return Killing(path=directory.path, study=directory.study, folder=directory.folder)


def finished_files(directory: Directory) -> Iterator[str]:
    return (path.name for path in sorted((directory.path / "runs").iterdir()))


REAL_PAIR = """\
[SET] size=1KiB
[JOB_NAME] reduce
[NODES] 1
[MOTIF] allreduce -i 5
[MOTIF] compute -m 10ms --mode sleep
[JOB_NAME] all
[NODES] 1
[MOTIF] alltoall -s ${size} -i 5
[MOTIF] compute -m 10ms --mode sleep
"""
"""Two jobs of one rank each, as the engine itself runs them."""
REAL_STUDY = """\
[factors]
workload = "pair.sb"
ranks = 2
ranks_per_node = 1
placement = ["linear", "interleaved"]
[set]
size = "2KiB"
[run]
isolated = {rounds}
contended = {rounds}
repetitions = {repetitions}
"""


def put_real_study(folder: Path, *, rounds: int, repetitions: int) -> None:
    """Write `study.toml`, a study of two cells of REAL_PAIR, which is written to `pair.sb`, with so many rounds."""
    (folder / "pair.sb").write_text(REAL_PAIR, encoding="utf-8")
    (folder / "study.toml").write_text(REAL_STUDY.format(rounds=rounds, repetitions=repetitions), encoding="utf-8")
