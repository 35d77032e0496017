"""Pair matrix: the congestion impact on each job beside each other job, the aggressor and the victim. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import fmean

from stressbench.stats.pooled import PooledImpact

EFFECT = 0.02
_COPY = re.compile(r"_\d+$")


@dataclass(frozen=True, kw_only=True)
class CoRunImpacts:
    """Jobs that ran side by side, each with its impact."""

    impacts: tuple[tuple[str, PooledImpact], ...]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """The congestion impact on `victim` while the jobs `beside` run."""

    victim: str
    beside: tuple[str, ...]
    impact: PooledImpact


@dataclass(frozen=True, kw_only=True)
class JobImpactSummary:
    """A job over all pairs. `suffers`, `causes`: geometric mean of the impacts on it and by it, None without any."""

    name: str
    suffers: float | None
    causes: float | None


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """Impacts of pairs and of groups of three or more, and conclusions. `where`: values of the other factors."""

    where: Mapping[str, str]
    jobs: tuple[str, ...]
    pairs: tuple[Entry, ...]
    groups: tuple[Entry, ...]
    standings: tuple[JobImpactSummary, ...]
    aggressor: str | None
    victim: str | None
    advice: str

    def entry(self, victim: str, beside: str) -> Entry | None:
        """The entry of `victim` beside one other job, None where it is missing."""
        return next((one for one in self.pairs if (one.victim, one.beside) == (victim, (beside,))), None)


def matrix_of(jobs: Sequence[str], co_runs: Sequence[CoRunImpacts], *, where: Mapping[str, str]) -> Matrix:
    """The matrix of `jobs`. The second copy of a job, `NAME_2`, counts as that job."""
    entries = [entry for co_run in co_runs for entry in _entries_of(co_run, jobs)]
    pairs = tuple(entry for entry in entries if len(entry.beside) == 1)
    standings = tuple(_job_summary(job, pairs) for job in jobs)
    slowed = _slowed(pairs)
    return Matrix(
        where=where,
        jobs=tuple(jobs),
        pairs=pairs,
        groups=tuple(entry for entry in entries if len(entry.beside) > 1),
        standings=standings,
        aggressor=_most_extreme(
            {one.name: one.causes for one in standings}, among={entry.beside[0] for entry in slowed}
        ),
        victim=_most_extreme({one.name: one.suffers for one in standings}, among={entry.victim for entry in slowed}),
        advice=advice_of(pairs),
    )


def advice_of(pairs: Sequence[Entry]) -> str:
    """Advice on the placement of jobs, where 95 % intervals lie wholly above or below a slowdown of 2 %."""
    known = [entry for entry in pairs if entry.impact.low is not None and entry.impact.high is not None]
    if not known:
        return "no advice: no pair has a 95 % interval yet (6 blocks or 6 runs are needed)"
    slowed = _slowed(known)
    harmless = _harmless(known)
    sentences = []
    if slowed:
        worst = max(slowed, key=lambda entry: entry.impact.low or 0.0)
        sentences.append(
            f"keep {worst.victim} away from {worst.beside[0]}, next to which it takes {_range(worst.impact)} its "
            "isolated time: give them switches or nodes of their own, or run them one after the other"
        )
    if harmless:
        sentences.append("; ".join(f"{one} and {other} may share" for one, other in harmless))
    if not sentences:
        return "no slowdown is significant, and no pair is shown to be harmless: more runs are needed"
    return "; ".join(sentences)


def _slowed(pairs: Sequence[Entry]) -> list[Entry]:
    """Entries whose interval lies above a slowdown of 2 %."""
    return [entry for entry in pairs if entry.impact.low is not None and entry.impact.low > 1 + EFFECT]


def _harmless(known: Sequence[Entry]) -> list[tuple[str, str]]:
    """Pairs in which neither job's interval exceeds a slowdown of 2 %."""
    within_effect = {(entry.victim, entry.beside[0]) for entry in known if (entry.impact.high or 0.0) <= 1 + EFFECT}
    return sorted({(min(pair), max(pair)) for pair in within_effect if (pair[1], pair[0]) in within_effect})


def _range(impact: PooledImpact) -> str:
    return f"{impact.ratio:.2f} times [{impact.low:.2f}, {impact.high:.2f}]"


def _entries_of(co_run: CoRunImpacts, jobs: Sequence[str]) -> list[Entry]:
    names = [_original(name, jobs) for name, _ in co_run.impacts]
    entries: dict[tuple[str, tuple[str, ...]], Entry] = {}
    for number, (victim, (_, impact)) in enumerate(zip(names, co_run.impacts, strict=True)):
        beside = tuple(name for other, name in enumerate(names) if other != number)
        entries.setdefault((victim, beside), Entry(victim=victim, beside=beside, impact=impact))
    return list(entries.values())


def _original(name: str, jobs: Sequence[str]) -> str:
    return name if name in jobs else _COPY.sub("", name)


def _job_summary(job: str, pairs: Sequence[Entry]) -> JobImpactSummary:
    return JobImpactSummary(
        name=job,
        suffers=_mean([entry.impact.ratio for entry in pairs if entry.victim == job]),
        causes=_mean([entry.impact.ratio for entry in pairs if entry.beside == (job,)]),
    )


def _mean(ratios: Sequence[float | None]) -> float | None:
    logarithms = [log(ratio) for ratio in ratios if ratio is not None]
    return exp(fmean(logarithms)) if logarithms else None


def _most_extreme(values: Mapping[str, float | None], *, among: set[str]) -> str | None:
    """The job with the largest value among those with a significant slowdown, None without any."""
    known = {name: value for name, value in values.items() if value is not None and name in among}
    return max(known, key=lambda name: known[name]) if known else None
