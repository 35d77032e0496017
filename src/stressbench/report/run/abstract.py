"""A run, or several, as a few facts: what was run, who was slowed by how much, tails, links, and how to repeat it."""

from collections.abc import Iterator, Sequence

from stressbench.report.document import Fact
from stressbench.report.names import printable
from stressbench.report.run.answers import answers
from stressbench.report.run.notes import notes_of
from stressbench.report.run.options import VerdictLimits
from stressbench.report.run.provenance import command_of
from stressbench.report.run.section import RunSection
from stressbench.report.units import count

_ANSWERS = ("Who is slowed", "By how much", "Tail", "Where")
_MOST_RUNS = 5
_MOST_JOBS = 6
_MOST_LETTERS = 40
_PROJECT = "StressBench"


def abstract_of(sections: Sequence[RunSection]) -> tuple[Fact, ...]:
    """The heading and at most eight facts; of several runs, each is one fact."""
    return tuple(_of_run(sections[0]) if len(sections) == 1 else _of_runs(sections))


def _of_run(section: RunSection) -> Iterator[Fact]:
    facts = section.summary.facts
    path = section.run.header.workload.path.rpartition("/")[2]
    yield Fact(name=_PROJECT, value=f"{printable(path)} on {count(facts.ranks, 'rank')}")
    yield Fact(name="What was run", value=_what(section))
    known = {fact.name: fact for fact in answers(section)}
    yield from (known[name] for name in _ANSWERS)
    yield Fact(name="Limits", value=limits_text(section.options.limits, warnings=len(notes_of(section))))
    yield Fact(name="Reproduce", value=command_of(section.run), is_code=True)


def _what(section: RunSection) -> str:
    facts, header = section.summary.facts, section.run.header
    names = [printable(job.name) for job in section.jobs]
    more = f" and {len(names) - _MOST_JOBS} more" if len(names) > _MOST_JOBS else ""
    jobs = f"{count(len(names), 'job')} ({', '.join(names[:_MOST_JOBS])}{more})"
    planned = "" if facts.rounds_planned is None else f" of {facts.rounds_planned:,}"
    rounds = f"{facts.rounds_done:,}" + ("" if facts.complete else f"{planned}, incomplete")
    simulated = ", simulated" if header.simulation is not None else ""
    mpi = printable(facts.mpi).partition(",")[0][:_MOST_LETTERS]
    return (
        f"{jobs} on {count(facts.nodes, 'node')} of {count(facts.hosts, 'host')}, {mpi}"
        f"{simulated}; {rounds} rounds, {header.started_at:%Y-%m-%d %H:%M} UTC, {printable(section.title)}"
    )


def _of_runs(sections: Sequence[RunSection]) -> Iterator[Fact]:
    yield Fact(name=_PROJECT, value=count(len(sections), "run"))
    for section in sections[:_MOST_RUNS]:
        known = {fact.name: fact.value for fact in answers(section)}
        yield Fact(name=printable(section.title), value=f"{known['Who is slowed']} {known['By how much']}")
    if len(sections) > _MOST_RUNS:
        names = ", ".join(printable(section.title) for section in sections[_MOST_RUNS:])
        yield Fact(name="Further runs", value=f"{len(sections) - _MOST_RUNS}: {names}")
    yield Fact(name="Limits", value=limits_text(sections[0].options.limits, warnings=sum(map(_warnings, sections))))


def _warnings(section: RunSection) -> int:
    return len(notes_of(section))


def limits_text(limits: VerdictLimits, *, warnings: int) -> str:
    """The limits of the verdicts, and the number of warnings that a full report has."""
    more = f" {count(warnings, 'warning')} in the full report." if warnings else ""
    return (
        f"A job is slowed if the 95 % interval lies above {limits.slowed_above:g}×, a tail longer above "
        f"{limits.tail_above:g}×.{more}"
    )
