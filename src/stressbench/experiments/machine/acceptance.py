"""Acceptance criteria for the figures of the suite, from a file."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from stressbench.experiments.machine.sizes import Sizes, Survey, pair_bytes
from stressbench.experiments.machine.suite import suite_for
from stressbench.formats.machines import Criteria, CriteriaMistake, FigureKind, Part, parse_criteria
from stressbench.formats.toml import TomlMistake, read_text

_SURVEY = Survey(ranks_of_nodes=(2,) * 4)
"""The smallest machine that has every figure of the suite."""
_CALIBRATED = (
    "small-node", "small-network", "large-node", "large-network", "allreduce-8B", "allreduce-1MiB", "alltoall",
    "barrier",
)  # fmt: skip


@cache
def figures_of_suite() -> Mapping[str, FigureKind]:
    """Every figure of the suite, by name, in its order."""
    sizes = Sizes(iterations=dict.fromkeys(_CALIBRATED, 1), file_bytes=1, pair_bytes=pair_bytes(_SURVEY.ranks))
    suite = suite_for(_SURVEY, sizes, parts=tuple(Part), storage="/storage")
    return {
        one.name: FigureKind(unit=one.unit, better=one.better)
        for benchmark in suite.benchmarks for one in benchmark.measurements
    }  # fmt: skip


def read_criteria(path: Path) -> Criteria:
    """The criteria in the file at `path`. Raises CriteriaMistake."""
    try:
        text = read_text(path)
    except TomlMistake as fault:
        raise CriteriaMistake([str(fault)]) from fault
    return parse_criteria(text, source=str(path), figures=figures_of_suite())
