"""The calls of all jobs of a workload, from the engine, without a launch."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from stressbench.engine_answers import engine_answer
from stressbench.errors import UserError
from stressbench.experiments.progress import Progress
from stressbench.formats.ranges import parse_ranges
from stressbench.formats.trace import read_trace
from stressbench.levels import Level
from stressbench.tracing.schedules.replays import REPLAY, replayed
from stressbench.tracing.schedules.sources import Job, Source


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadRanks:
    """The launch that a workload is exported for. None: as for `stressbench run`.

    `repetitions`: of each job's chain; None: those of [REPEAT], or 1.
    """

    ranks: int
    ranks_per_node: int | None = None
    place: str | None = None
    variables: tuple[str, ...] = ()
    repetitions: int | None = None

    def settings(self) -> tuple[str, ...]:
        """Arguments of the engine for the variables of the workload."""
        return tuple(word for variable in self.variables for word in ("--set", variable))

    def machine(self) -> tuple[str, ...]:
        """Arguments of the engine for the launch."""
        per_node = () if self.ranks_per_node is None else ("--ranks-per-node", str(self.ranks_per_node))
        place = () if self.place is None else ("--place", self.place)
        return ("--ranks", str(self.ranks), *per_node, *place)


def of_workload(path: Path, launch: WorkloadRanks, *, engine: Path, folder: Path, progress: Progress) -> Source:
    """The jobs of the workload at `path`, each with its calls in a trace in `folder`.

    Raises UserError and EngineFailed.
    """
    described = engine_answer(engine, ("describe", str(path), "--json", *launch.settings(), *launch.machine()))
    jobs: list[Job] = []
    for number, job in enumerate(orjson.loads(described)["jobs"]):
        if not job["ranks"]:
            progress(f"job {job['name']} has no ranks, and is left out", level=Level.warning)
            continue
        jobs.append(_job(path, launch, job, engine=engine, trace=folder / f"{number}.trace"))
    if not jobs:
        raise UserError(f"{path}: no job has ranks")
    return Source(jobs=tuple(jobs), ranks=launch.ranks)


def _job(path: Path, launch: WorkloadRanks, job: Any, *, engine: Path, trace: Path) -> Job:
    ranks = parse_ranges(job["launch_ranks"])
    repetitions = launch.repetitions or job["repeat"] or 1
    first, *others = job["steps"]
    if first["motif"] == REPLAY and not others:
        repetitions *= first["executions"] * first["iterations"]
        return Job(name=job["name"], trace=replayed(first["options"]), ranks=ranks, repetitions=repetitions)
    engine_answer(engine, ("calls", str(path), "--job", job["name"], "--ranks", str(len(ranks)), "--computation",
                           "--output", str(trace), *launch.settings()))  # fmt: skip
    return Job(name=job["name"], trace=read_trace(trace), ranks=ranks, repetitions=repetitions)
