"""Impacts as checks for continuous integration: one fails where its whole 95 % interval lies above a limit.

It passes where the whole interval lies at or below the limit, and is skipped where the interval contains the limit or
is unknown.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stressbench.report.document import Check, Fact, Outcome
from stressbench.report.run.options import VerdictLimits
from stressbench.report.run.sentences import percent_name
from stressbench.report.units import digits
from stressbench.stats import Impact, Percentile, TailImpact
from stressbench.stats.pooled import PooledImpact

_IMPACT = "congestion impact"
_OUTCOMES = {Outcome.failed: "above the limit", Outcome.passed: "within the limit", Outcome.skipped: "undecided"}
_UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class MeasuredTimes:
    """The times that a ratio compares, s; None: unknown."""

    isolated_s: float | None
    contended_s: float | None


def limit_facts(limits: VerdictLimits) -> tuple[Fact, ...]:
    """The limits as properties of a suite, by the names of their options."""
    values = (("slowed-above", limits.slowed_above), ("tail-above", limits.tail_above))
    return tuple(Fact(name=name, value=f"{value:g}") for name, value in values)


def impact_check(impact: Impact | PooledImpact, times: MeasuredTimes, *, group: str, limit: float) -> Check:
    """The check of a congestion impact."""
    return _check(group, _IMPACT, impact, times, limit=limit)


def tail_checks(tails: Sequence[TailImpact], *, group: str, limit: float) -> Iterator[Check]:
    """The checks of tail impacts, from percentile 95 on."""
    for tail in tails:
        if tail.share > 0.5:
            times = MeasuredTimes(isolated_s=_value_s(tail.isolated), contended_s=_value_s(tail.contended))
            yield _check(group, f"tail impact, percentile {percent_name(tail.share)}", tail, times, limit=limit)


def unmeasured_check(*, group: str, reason: str) -> Check:
    """The check of an impact that was not measured, which is skipped."""
    return Check(group=group, name=_IMPACT, outcome=Outcome.skipped, verdict=_UNKNOWN, text="", reason=reason)


def _value_s(percentile: Percentile | None) -> float | None:
    return None if percentile is None else percentile.value_s


def _check(
    group: str, name: str, impact: Impact | PooledImpact | TailImpact, times: MeasuredTimes, *, limit: float
) -> Check:
    outcome = _outcome(impact.low, impact.high, limit=limit)
    known = impact.low is not None and impact.high is not None
    bounds = f"{impact.low:.4f} to {impact.high:.4f}" if known else "no interval"
    ratio = "no ratio" if impact.ratio is None else f"contended / isolated {impact.ratio:.4f} (95 %: {bounds})"
    seconds = f"isolated {_seconds(times.isolated_s)}, contended {_seconds(times.contended_s)}"
    return Check(
        group=group, name=name, outcome=outcome, verdict=_OUTCOMES[outcome] if known else _UNKNOWN,
        text=f"{ratio}, limit {limit:g}, {seconds}",
        reason="" if known else impact.reason or "",
    )  # fmt: skip


def _outcome(low: float | None, high: float | None, *, limit: float) -> Outcome:
    if low is not None and low > limit:
        return Outcome.failed
    return Outcome.passed if high is not None and high <= limit else Outcome.skipped


def _seconds(value_s: float | None) -> str:
    return "unknown" if value_s is None else f"{digits(value_s)} s"
