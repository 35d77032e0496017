"""JSON: every number; times in seconds, unknown is null."""

from pydantic import TypeAdapter

from stressbench.results.material import NOTHING, Material
from stressbench.results.study import StudyReport


def render(report: StudyReport, _: Material = NOTHING) -> str:
    """The whole report."""
    return TypeAdapter(StudyReport).dump_json(report, indent=2).decode() + "\n"
