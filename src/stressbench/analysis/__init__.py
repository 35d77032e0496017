"""Statistics: pure functions from a run's samples to estimates and doubts."""

from stressbench.analysis.comparison import (
    Change,
    Comparison,
    ComparisonError,
    JobComparison,
    Quantity,
    Verdict,
    compare,
)
from stressbench.analysis.distribution import Distribution
from stressbench.analysis.doubts import Doubt
from stressbench.analysis.histograms import MergedHistogram, histograms_of, merge
from stressbench.analysis.impact import Impact, Method, congestion_impact
from stressbench.analysis.links import JobUse, LinkUse, link_use
from stressbench.analysis.selection import RoundMedian, Selection, select
from stressbench.analysis.slowest import Slowest
from stressbench.analysis.summary import (
    JobSummary,
    MetricSummary,
    RunFacts,
    RunSummary,
    StepSummary,
    Timing,
    summarise,
)

__all__ = [
    "Change", "Comparison", "ComparisonError", "Distribution", "Doubt", "Impact", "JobComparison", "JobSummary",
    "JobUse", "LinkUse", "MergedHistogram", "Method", "MetricSummary", "Quantity", "RoundMedian", "RunFacts",
    "RunSummary", "Selection", "Slowest", "StepSummary", "Timing", "Verdict", "compare", "congestion_impact",
    "histograms_of", "link_use", "merge", "select", "summarise",
]  # fmt: skip
