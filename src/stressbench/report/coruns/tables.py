"""Co-runs as tables."""

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter

from stressbench.report.document import Cell, DataFile, HeatCell, Interval, Table, columns, table_columns
from stressbench.report.names import printable
from stressbench.report.units import digits, percent, plain_interval, plain_ratio, plain_time
from stressbench.results.coruns import ITERATION, OWN_MEASURES, TIME, Corun, CorunExecution, CorunSlowdown

RECORDS = (
    "program", "beside", "hosts", "ranks", "measure", "isolated", "contended", "slowdown", "slowdown_low",
    "slowdown_high", "blocks", "executions", "overlap",
)  # fmt: skip
_MAX_LINKS = 10
_LEAST_USE = 0.01
_STRONGEST = 2.0
"""Slowdown at which a cell of the matrix has its full colour."""
_EXECUTION_HEAD = tuple(field.name for field in fields(CorunExecution))


def slowdown_table(result: Corun) -> Table:
    """A row for each program beside others, by each measure."""
    has_figures = any(one.measure != TIME for one in result.slowdowns)
    has_iterations = any(one.measure == ITERATION for one in result.slowdowns)
    measure = ("measure",) if has_figures else ()
    return Table(
        key="slowdowns", title="Slowdowns",
        columns=columns(
            texts=("program", "beside", *measure),
            numbers=("ranks", "isolated", "contended", "slowdown", "95 %", "blocks", "executions", "overlap / %"),
        ),
        rows=tuple(
            (
                printable(one.program), printable(" + ".join(one.others)), *((one.measure,) if has_figures else ()),
                str(one.ranks), *(_value(value, one) for value in (one.isolated, one.contended)), *_ratio(one),
                str(one.blocks), str(one.executions),
                None if one.overlap is None else percent(one.overlap),
            )
            for one in result.slowdowns
        ),
        caption="Isolated and contended: medians over blocks. Time: from MPI_Init to MPI_Finalize, mean over ranks"
        f"{'; iteration: that over the number of iterations' if has_iterations else ''}. "
        "Slowdown: how many times worse the measure is beside the others. Executions: those beside others that count; "
        "overlap: the share of their time in which the others ran, in the median.",
    )  # fmt: skip


def _value(value: float | None, one: CorunSlowdown) -> str:
    return plain_time(value) if one.measure in OWN_MEASURES else digits(value)


def _ratio(one: CorunSlowdown) -> tuple[Cell, Cell]:
    ratio = one.slowdown
    return (None, None) if ratio is None else (plain_ratio(ratio.value), Interval(low=ratio.low, high=ratio.high))


def matrix_table(result: Corun) -> Table | None:
    """Slowdowns of pairs as a heat map; None for fewer than three programs, whose table says the same."""
    if len(result.programs) < 3:
        return None
    return Table(
        key="matrix", title="Slowdown of each program beside one other",
        columns=table_columns(("", *(f"beside {name}" for name in result.programs)), text_columns=1),
        rows=tuple(
            (printable(victim), *(_cell(result.slowdown(victim, (other,))) for other in result.programs))
            for victim in result.programs
        ),
        caption="Rows are slowed by columns. With each slowdown, its 95 % interval.",
    )  # fmt: skip


def _cell(one: CorunSlowdown | None) -> Cell:
    ratio = None if one is None else one.slowdown
    if ratio is None:
        return None
    shade = min(1.0, abs(ratio.value - 1) / (_STRONGEST - 1))
    return HeatCell(
        text=plain_ratio(ratio.value), detail=plain_interval(ratio.low, ratio.high), shade=shade, slower=ratio.value > 1
    )


def links_table(result: Corun) -> Table | None:
    """The links with the highest use while programs ran together; None without counters."""
    busiest = sorted(
        (one for one in result.links if (one.contended or 0.0) >= _LEAST_USE),
        key=lambda one: one.contended or 0.0, reverse=True,
    )  # fmt: skip
    if not busiest:
        return None
    return Table(
        key="links", title="Busiest links",
        columns=columns(texts=("programs", "link", "from", "to"), numbers=("isolated / %", "contended / %")),
        rows=tuple(
            (
                printable(" + ".join(one.group)), one.link, one.source, one.target,
                *(None if use is None else percent(use) for use in (one.isolated, one.contended)),
            )
            for one in busiest[:_MAX_LINKS]
        ),
        caption="Share of the link's rate in use over whole periods, median over blocks. Isolated: by the program of "
        "the group that used the link most while isolated.",
    )  # fmt: skip


def executions_data(result: Corun) -> DataFile:
    """Every execution."""
    rows: Sequence[CorunExecution] = result.executions
    return DataFile(name="executions", head=_EXECUTION_HEAD, rows=tuple(map(attrgetter(*_EXECUTION_HEAD), rows)))
