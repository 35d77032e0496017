"""Statistics: pure functions from a run's samples to estimates, intervals and quality warnings."""

from stressbench.stats.comparison import (
    Change,
    Comparison,
    ComparisonError,
    JobComparison,
    Quantity,
    Verdict,
    compare,
    round_superiority,
)
from stressbench.stats.distribution import Distribution, PlainRatios, median_of
from stressbench.stats.histograms import MergedHistogram, histograms_of, merge
from stressbench.stats.impact import Impact, Method, congestion_impact
from stressbench.stats.intervals import IntervalMethod
from stressbench.stats.links import JobLinkUtilisation, LinkUtilisation, link_utilisation
from stressbench.stats.percentiles import Percentile, Source, TailImpact
from stressbench.stats.planning import Plan
from stressbench.stats.quality_warnings import QualityWarning
from stressbench.stats.selection import RoundMedian, Selection, select
from stressbench.stats.slowest import Slowest
from stressbench.stats.summary import (
    TARGET,
    JobSummary,
    MetricSummary,
    RunFacts,
    RunSummary,
    StepSummary,
    Timing,
    summarise,
)
from stressbench.stats.telemetry import CounterRates, DevicePeak, TelemetrySummary, telemetry_summary

__all__ = [
    "TARGET", "Change", "Comparison", "ComparisonError", "CounterRates", "DevicePeak", "Distribution", "Impact",
    "IntervalMethod", "JobComparison", "JobLinkUtilisation", "JobSummary", "LinkUtilisation", "MergedHistogram",
    "Method", "MetricSummary", "Percentile", "PlainRatios", "Plan", "QualityWarning", "Quantity", "RoundMedian",
    "RunFacts", "RunSummary", "Selection", "Slowest", "Source", "StepSummary", "TailImpact", "TelemetrySummary",
    "Timing", "Verdict", "compare", "congestion_impact", "histograms_of", "link_utilisation", "median_of", "merge",
    "round_superiority", "select", "summarise", "telemetry_summary",
]  # fmt: skip
