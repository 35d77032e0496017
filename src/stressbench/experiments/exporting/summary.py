"""What an export contains, as `trace export --json` prints it."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from stressbench.formats.ranges import spans
from stressbench.tracing.schedules.survey import Survey
from stressbench.tracing.schedules.timeline import timing_of


class ExportFormat(StrEnum):
    """The formats of `trace export --format`."""

    goal = "goal"
    otf2 = "otf2"
    perfetto = "perfetto"
    simgrid_ti = "simgrid-ti"


TIMELINES = frozenset({ExportFormat.otf2, ExportFormat.perfetto})
"""Formats with the time of each call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedJob:
    """A job of an export; `ranks`: those of the export, as in `0-3,8`."""

    name: str
    ranks: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """An export: where it is, and the calls that it stands for. Messages and bytes are point-to-point ones.

    `collective_calls`: calls of all ranks by name of the blocking form. `times`: where the times of calls come from;
    None in formats that have only those of computation.
    """

    format: ExportFormat
    path: str
    ranks: int
    jobs: tuple[ExportedJob, ...]
    calls: int
    messages: int
    bytes: int
    collective_calls: dict[str, int]
    times: str | None


def summary_of(survey: Survey, *, export_format: ExportFormat, path: Path) -> Export:
    """The summary of an export to `path`."""
    traffic = survey.traffic
    return Export(
        format=export_format, path=str(path), ranks=survey.source.ranks,
        jobs=tuple(ExportedJob(name=job.name, ranks=spans(job.ranks)) for job in survey.source.jobs),
        calls=traffic.calls, messages=traffic.messages.total(), bytes=traffic.bytes.total(),
        collective_calls=dict(sorted(traffic.collectives.items())),
        times=timing_of(survey) if export_format in TIMELINES else None,
    )  # fmt: skip


def sentence(export: Export) -> str:
    """The contents of an export, in one sentence."""
    return (
        f"{export.path}: {export.ranks:,} ranks, {export.calls:,} calls, {export.messages:,} messages of "
        f"{export.bytes:,} bytes in all, {sum(export.collective_calls.values()):,} calls of collectives"
    )
