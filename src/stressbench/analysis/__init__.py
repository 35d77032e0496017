"""Statistics: pure functions from a run's samples to estimates and doubts."""

from stressbench.analysis.comparison import (
    Change,
    Comparison,
    ComparisonError,
    JobComparison,
    Quantity,
    Verdict,
    compare,
    round_superiority,
)
from stressbench.analysis.distribution import Distribution, PlainRatios, median_of
from stressbench.analysis.doubts import Doubt
from stressbench.analysis.histograms import MergedHistogram, histograms_of, merge
from stressbench.analysis.impact import Impact, Method, congestion_impact
from stressbench.analysis.intervals import IntervalMethod
from stressbench.analysis.links import JobUse, LinkUse, link_use
from stressbench.analysis.percentiles import Percentile, Source, TailImpact
from stressbench.analysis.planning import Plan
from stressbench.analysis.selection import RoundMedian, Selection, select
from stressbench.analysis.slowest import Slowest
from stressbench.analysis.summary import (
    TARGET,
    JobSummary,
    MetricSummary,
    RunFacts,
    RunSummary,
    StepSummary,
    Timing,
    summarise,
)

__all__ = [
    "TARGET", "Change", "Comparison", "ComparisonError", "Distribution", "Doubt", "Impact", "IntervalMethod",
    "JobComparison", "JobSummary", "JobUse", "LinkUse", "MergedHistogram", "Method", "MetricSummary", "Percentile",
    "PlainRatios", "Plan", "Quantity", "RoundMedian", "RunFacts", "RunSummary", "Selection", "Slowest", "Source",
    "StepSummary", "TailImpact", "Timing", "Verdict", "compare", "congestion_impact", "histograms_of", "link_use",
    "median_of", "merge", "round_superiority", "select", "summarise",
]  # fmt: skip
