"""The jobs of a workload as schedules in GOAL format, from the engine's lists of calls."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from stressbench.engine_answers import engine_answer
from stressbench.errors import UserError
from stressbench.formats.ranges import parse_ranges
from stressbench.formats.run.records import Job, Role, Step, Timer
from stressbench.formats.trace import RankTrace, read_trace
from stressbench.packets.options import RunOptions
from stressbench.tracing.exports.goal import goal_text
from stressbench.tracing.grammar import TooManyCalls
from stressbench.tracing.schedules import sources
from stressbench.tracing.schedules.refusal import ScheduleRefused
from stressbench.tracing.schedules.replays import REPLAY, replayed
from stressbench.tracing.schedules.survey import survey

_OF_PAIRS = ("bandwidth", "pingping", "pingpong")


@dataclass(frozen=True, kw_only=True)
class ScheduledJob:
    """A job with its schedule, the file `goal`. `ranks`: its ranks in the launch.

    A repetition is `parts` executions of the schedule: the iterations of the job's only motif, or 1 of the whole chain.
    `timed`: ranks of the job whose times count for that motif.
    """

    job: Job
    goal: Path
    ranks: tuple[int, ...]
    parts: int
    timed: frozenset[int]

    @property
    def step(self) -> Step | None:
        """The job's only motif; None if there are several, whose times are not known separately."""
        return self.job.steps[0] if len(self.job.steps) == 1 and self.job.steps[0].executions == 1 else None


def scheduled_jobs(options: RunOptions, folder: Path) -> tuple[ScheduledJob, ...]:
    """All jobs that have ranks; writes their schedules to `folder`. Raises UserError for what
    cannot be simulated, and EngineFailed."""
    sets = [word for text in options.sets for word in ("--set", text)]
    per_node = [] if options.ranks_per_node is None else ["--ranks-per-node", str(options.ranks_per_node)]
    described = engine_answer(
        options.engine,
        ("describe", str(options.workload), "--json", *sets, "--ranks", str(len(options.hosts)), *per_node,
         "--place", options.place),
    )  # fmt: skip
    return tuple(
        _scheduled(options, job, sets, folder) for job in orjson.loads(described)["jobs"] if job["ranks"]
    )  # fmt: skip


def _scheduled(options: RunOptions, described: Any, sets: Sequence[str], folder: Path) -> ScheduledJob:
    lines = described["lines"]
    for key, statement in (("min_time_s", "MIN_TIME"), ("load", "LOAD"), ("rate_bytes_per_s", "RATE")):
        if described[key] is not None:
            raise UserError(f"{lines[key]}: [{statement}]: a packet-level simulation has none")
    ranks = parse_ranges(described["launch_ranks"])
    steps = tuple(
        Step(**{key: value for key, value in step.items() if key not in ("traffic", "timer")},
             timer=Timer(step["timer"]))
        for step in described["steps"]
    )  # fmt: skip
    names = {key: described[key] for key in ("job", "name", "nodes", "ranks", "min_time_s", "load", "rate_bytes_per_s")}
    repeat = None if lines["repeat"] is None else described["repeat"]
    job = Job(**names, role=Role(described["role"]), repeat=repeat, steps=steps)
    goal = folder / f"job{job.job}.goal"
    is_one_motif = len(steps) == 1 and steps[0].executions == 1
    parts = steps[0].iterations if is_one_motif else 1
    try:
        calls = _calls(options, job, sets, folder / f"job{job.job}.trace", parts=parts)
        source = sources.Source(jobs=(calls,), ranks=len(ranks))
        goal.write_text("".join(goal_text(survey(source))), encoding="ascii")
    except (ScheduleRefused, TooManyCalls) as refused:
        raise UserError(f"{lines['name']}: {job.name}: {refused}") from None
    timed = _timed_ranks(steps[0], goal, len(ranks)) if is_one_motif else frozenset(range(len(ranks)))
    return ScheduledJob(job=job, goal=goal, ranks=ranks, parts=parts, timed=timed)


def _calls(options: RunOptions, job: Job, sets: Sequence[str], trace: Path, *, parts: int) -> sources.Job:
    """Those of one of the `parts` of a repetition, written to `trace` by the engine unless they are those of a trace.

    Raises UserError, EngineFailed and ScheduleRefused.
    """
    first, *others = job.steps
    if first.motif == REPLAY and not others:
        repetitions = first.executions * first.iterations // parts
        return sources.Job(
            name=job.name, trace=replayed(first.options), ranks=range(job.ranks), repetitions=repetitions
        )  # fmt: skip
    engine_answer(options.engine, ("calls", str(options.workload), "--job", job.name, "--computation", "--ranks",
                                   str(job.ranks), "--output", str(trace), *sets))  # fmt: skip
    listed = _OneIteration if parts > 1 else sources.Job
    return listed(name=job.name, trace=read_trace(trace), ranks=range(job.ranks))


class _OneIteration(sources.Job):
    """The calls of one iteration of a job's only motif."""

    def rank(self, number: int) -> RankTrace:
        """The line of a rank, with the rule that repeats the motif changed: its first rule names that one."""
        whole = sources.Job.rank(self, number)
        if not whole.rules:
            return whole
        at = -whole.rules[0][0][0]
        ((motif, _),) = whole.rules[at] or ((0, 0),)
        return replace(whole, rules=(*whole.rules[:at], ((motif, 1),), *whole.rules[at + 1 :]))


def _timed_ranks(step: Step, goal: Path, ranks: int) -> frozenset[int]:
    """Ranks whose times the engine counts: the roots of an incast; of pairs that time iterations the lower rank."""
    if step.motif == "incast":
        root, roots = int(step.options["root"]), int(step.options["roots"])
        return frozenset((root + number) % ranks for number in range(roots))
    if step.motif in _OF_PAIRS:
        first = re.findall(
            r"rank (\d+) \{\n\w+: (?:send|recv) \d+b (?:to|from) (\d+)", goal.read_text(encoding="ascii")
        )
        pairs = [(int(rank), int(partner)) for rank, partner in first]
        return frozenset(rank for rank, partner in pairs if step.timer is not Timer.iteration or rank < partner)
    return frozenset(range(ranks))
