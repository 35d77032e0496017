"""Limitations of a run's results: events of the engine and warnings of the analysis."""

from itertools import chain

from stressbench.formats.run import Severity as EventSeverity
from stressbench.report.document import Note, Severity
from stressbench.report.names import printable
from stressbench.report.run.section import RunSection


def notes_of(section: RunSection) -> tuple[Note, ...]:
    """Events first, then warnings, except that the run is incomplete, which `sentences.progress` reports."""
    names = [printable(job.name) for job in section.run.jobs]
    events = (
        Note(
            severity=Severity.error if event.severity is EventSeverity.error else Severity.warning,
            about=names[event.job] if event.job is not None and event.job < len(names) else "",
            text=printable(event.message),
        )
        for event in section.summary.events
    )
    warnings = (
        Note(about=printable(warning.job or ""), text=printable(warning.text))
        for warning in section.summary.warnings
        if warning.kind != "incomplete"
    )
    return tuple(chain(events, warnings))
