"""Documents of co-runs: how much programs slow each other when they run at the same time."""

import shlex
from collections.abc import Iterator

from stressbench.report.coruns.tables import RECORDS, executions_data, links_table, matrix_table, slowdown_table
from stressbench.report.document import DataFile, Document, Fact, Table
from stressbench.report.names import printable
from stressbench.report.page_sections import brief_section, page_section
from stressbench.report.renderers import formats
from stressbench.report.units import count, multiplier_text, percent
from stressbench.results.coruns import OWN_MEASURES, TIME, Corun, CorunSlowdown
from stressbench.stats.intervals import MIN_PAIRS

_FOOT = (
    "A slowdown is the time (or a figure of merit) of a program beside the others over its isolated time, both on the "
    "same hosts: the Hodges-Lehmann estimate over blocks, with its 95 % Wilcoxon interval. In each block every program "
    "ran isolated and with the others, in random order. Programs start again when they end, until the period is over; "
    "executions that others did not run beside for long enough do not count."
)


def brief(result: Corun) -> Document:
    """The document for formats without figures."""
    section = brief_section(title="", headline=_headline(result), tables=_tables(result), notes=_notes(result))
    return Document(title=_title(result), sections=(section,), records=_records(result), value=result)


def page(result: Corun) -> Document:
    """The HTML page: findings, figures and tables."""
    from stressbench.report.coruns.figures import draw_periods, draw_slowdowns
    from stressbench.report.drawing import style  # figures take a second to import

    with style():
        slowdowns, period = draw_slowdowns(result), draw_periods(result)
    section = page_section(
        key="co-runs", title=_title(result), findings=_findings(result), notes=_notes(result), names=result.programs,
        figures=(
            *(() if slowdowns is None else (slowdowns, _records(result))),
            *(() if period is None else (period,)), executions_data(result),
        ),
        tables=_tables(result), facts=_facts(result),
    )  # fmt: skip
    return Document(title=_title(result), lead=_headline(result), sections=(section,), foot=_FOOT)


def _title(result: Corun) -> str:
    return printable(" and ".join(result.programs) if len(result.groups) == 1 else "Programs beside each other")


def _headline(result: Corun) -> str:
    blocks = min((one.blocks for one in result.slowdowns if one.measure == TIME), default=0)
    return f"{blocks} of {count(result.blocks, 'block')} are measured, on {result.on} with {result.nodes} hosts."


def _findings(result: Corun) -> Iterator[str]:
    """One sentence for each program beside others, the largest lower bound first."""
    known = [one for one in result.slowdowns if one.measure == TIME and one.slowdown is not None]
    if not known:
        yield "No block has both isolated and contended executions yet."
    yield from map(_finding, sorted(known, key=_least, reverse=True))


def _least(one: CorunSlowdown) -> float:
    ratio = one.slowdown
    return 0.0 if ratio is None else ratio.low or ratio.value


def _finding(one: CorunSlowdown) -> str:
    ratio = one.slowdown
    assert ratio is not None
    times = multiplier_text(ratio.value, ratio.low, ratio.high)
    subject = f"{one.program} takes {times} as long beside {' and '.join(one.others)} as isolated"
    if ratio.low is None or ratio.high is None:
        return f"{subject}; {MIN_PAIRS} or more blocks give an interval."
    verdict = "it is slowed" if ratio.low > 1 else "it is faster" if ratio.high < 1 else "no slowdown is shown"
    return f"{subject}: {verdict}."


def _tables(result: Corun) -> Iterator[Table]:
    if (matrix := matrix_table(result)) is not None:
        yield matrix
    yield slowdown_table(result)
    if (links := links_table(result)) is not None:
        yield links


def _notes(result: Corun) -> Iterator[str]:
    if not result.complete:
        yield "not all blocks are measured; `stressbench corun resume DIR` continues"
    if any(one.slowdown is not None and one.slowdown.low is None for one in result.slowdowns):
        yield f"an interval takes at least {MIN_PAIRS} blocks"
    for one in result.slowdowns:
        if one.reason is not None and one.measure in OWN_MEASURES:
            yield f"{one.program} beside {' and '.join(one.others)}: {one.reason}"
    yield from result.notes


def _facts(result: Corun) -> Iterator[Fact]:
    for name, command in zip(result.programs, result.commands, strict=True):
        yield Fact(name=name, value=printable(shlex.join(command)))
    yield Fact(name="hosts", value=f"--on {result.on}, {result.nodes}")
    if result.own_cores:
        yield Fact(name="cores", value="an equal part for each program")
    if result.shared_cores is not None:
        yield Fact(name="cores", value=f"{result.shared_cores}, for all programs of a group")
    yield Fact(name="machine", value=result.machine)
    yield Fact(name="executions that count", value=f"overlap of {percent(result.min_overlap)} % or more")
    yield Fact(name="seed", value=str(result.seed))


def _records(result: Corun) -> DataFile:
    return DataFile(
        name="slowdowns", head=RECORDS,
        rows=tuple(
            (
                one.program, "+".join(one.others), one.hosts, one.ranks, one.measure, one.isolated, one.contended,
                None if one.slowdown is None else one.slowdown.value,
                None if one.slowdown is None else one.slowdown.low,
                None if one.slowdown is None else one.slowdown.high, one.blocks, one.executions, one.overlap,
            )
            for one in result.slowdowns
        ),
    )  # fmt: skip


FORMATS = formats(brief=brief, page=page)
