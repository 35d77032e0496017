"""JSON: a list of what `stressbench show --json` prints of each run; times in seconds, unknown is null."""

from collections.abc import Sequence

from pydantic import TypeAdapter

from stressbench.formats.run import Run
from stressbench.stats import RunSummary, summarise


def render(runs: Sequence[Run]) -> str:
    """Every number of every run."""
    summaries = [summarise(run) for run in runs]
    return TypeAdapter(list[RunSummary]).dump_json(summaries, indent=2).decode() + "\n"
