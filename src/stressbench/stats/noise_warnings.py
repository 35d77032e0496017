"""Warnings about the noise of a job's times: dependent blocks, outlying rounds, bimodal times."""

from collections.abc import Iterable

import numpy as np

from stressbench.formats.run import Kind
from stressbench.stats.impact import Impact
from stressbench.stats.modes import modes_of
from stressbench.stats.quality_warnings import QualityWarning
from stressbench.stats.selection import RoundMedian, Selection

OUTLIER_DISTANCE = 10.0
"""Distance from the median of the logarithms, in scaled median absolute deviations."""
OUTLIER_FACTOR = 1.2
_MIN_ROUNDS = 8
_MAX_NAMED = 5
_MAD_TO_SIGMA = 1.4826


def autocorrelation_warnings(impact: Impact, *, job: str) -> Iterable[QualityWarning]:
    """Warning if the ratios of neighbouring blocks are correlated."""
    if impact.widened_by <= 1 or impact.autocorrelation is None:
        return
    text = (
        f"neighbouring blocks are correlated (lag-1 autocorrelation {impact.autocorrelation:.2f} over "
        f"{impact.paired_blocks} blocks): the interval was widened {impact.widened_by:.1f}x and may still be too "
        "narrow; longer rounds, or more time between rounds, help more than additional rounds"
    )
    yield QualityWarning(kind="autocorrelation", text=text, job=job)


def outlier_warnings(rounds: Iterable[RoundMedian], *, job: str) -> Iterable[QualityWarning]:
    """Warning about outliers among the rounds of one kind (median absolute deviation: Iglewicz and Hoaglin 1993)."""
    all_rounds = tuple(rounds)
    for kind in (Kind.isolated, Kind.contended):
        same_kind = [one for one in all_rounds if one.kind is kind and one.median_s > 0]
        if len(same_kind) < _MIN_ROUNDS:
            continue
        logs = np.log([one.median_s for one in same_kind])
        middle = float(np.median(logs))
        scale = _MAD_TO_SIGMA * float(np.median(np.abs(logs - middle)))
        distances = np.abs(logs - middle)
        outliers = np.flatnonzero((distances > OUTLIER_DISTANCE * scale) & (distances > np.log(OUTLIER_FACTOR)))
        if not len(outliers):
            continue
        worst = int(outliers[np.argmax(distances[outliers])])
        round_numbers = ", ".join(str(same_kind[index].round) for index in outliers[:_MAX_NAMED])
        more = f" and {len(outliers) - _MAX_NAMED} more" if len(outliers) > _MAX_NAMED else ""
        text = (
            f"{len(outliers)} of {len(same_kind)} {kind} rounds lie far from the others "
            f"(round {round_numbers}{more}), the farthest at "
            f"{np.exp(logs[worst] - middle):.2f}x their median: check for other activity on the machine at that time"
        )
        yield QualityWarning(kind="outliers", text=text, job=job)


def bimodality_warnings(name: str, selection: Selection, *, job: str) -> Iterable[QualityWarning]:
    """Warning about bimodal samples. Samples are divided by their round's median, so that drift adds no mode."""
    for kind, values, rounds in (
        (Kind.isolated, selection.isolated_s, selection.isolated_round),
        (Kind.contended, selection.contended_s, selection.contended_round),
    ):
        median_of = {one.round: one.median_s for one in selection.of(kind)}
        medians = np.array([median_of[number] for number in rounds.tolist()])
        if not len(values) or medians.min() <= 0:
            continue
        modes = modes_of(values / medians)
        if modes is not None:
            text = (
                f"{name}, {kind}: times within rounds form two groups, {modes.upper_share:.0%} of "
                f"{len(values)} samples at {modes.separation:.2f}x the others: no single median describes both; see "
                "their distribution in `stressbench report`"
            )
            yield QualityWarning(kind="bimodality", text=text, job=job)
