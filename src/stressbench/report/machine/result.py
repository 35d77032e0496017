"""The documents of one machine: a table of all figures, and what it was measured with."""

from collections.abc import Iterator
from dataclasses import replace

from stressbench.formats.machines import MachineFigure, MachineResult, Part
from stressbench.report.document import (
    Block,
    Cell,
    DataFile,
    Document,
    Fact,
    Facts,
    Note,
    Notes,
    Paragraph,
    Role,
    Section,
    Table,
    columns,
)
from stressbench.report.machine.numbers import scale_of, tail_of
from stressbench.report.names import printable
from stressbench.report.units import count, time
from stressbench.results.machine_comparison import name_of

_CAPTION = (
    "Medians over n rounds with 95 % intervals; of impacts and A/A differences, n is the number of blocks of two "
    "rounds. Tail: the 99th percentile of times, the 5th of bandwidths."
)
_FOOT = "docs/how-to/machine.md describes the suite, and how to check the sha256."
_ON_PAGE = frozenset({"Measured", "Hosts", "MPI", "StressBench", "Suite", "sha256"})
"""Facts for which a sheet of paper has room; the text and the JSON have all."""
_HEADLINE = (
    ("latency", ("latency.network.8B", "latency.node.8B")),
    ("bandwidth", ("bandwidth.network.one-way", "bandwidth.node.one-way")),
)


def brief(result: MachineResult) -> Document:
    """The document without findings: conditions, the table, and what is missing."""
    notes = tuple(Note(text=printable(text)) for text in _notes(result))
    blocks: tuple[Block, ...] = (
        Facts(facts=tuple(_facts(result))),
        _table(result),
        Paragraph(text=_CAPTION, role=Role.lead),
        *((Notes(notes=notes, title=""),) if notes else ()),
    )
    return Document(title="", sections=(Section(blocks=blocks),), records=_records(result), value=result)


def page(result: MachineResult) -> Document:
    """The HTML page: 20 figures print on one sheet of A4, since provenance and gaps are one paragraph each."""
    name = printable(name_of(result))
    title = f"{name}: {count(result.provenance.ranks, 'rank')} on {count(result.provenance.nodes, 'node')}"
    missing = "; ".join(_notes(result))
    facts = "; ".join(
        f"{fact.name}: {fact.value}" for fact in _facts(result, transports=False) if fact.name in _ON_PAGE
    )
    blocks: tuple[Block, ...] = (
        replace(_table(result), caption=_CAPTION, foldable=False),
        *((Paragraph(text=printable(f"{missing[:1].upper()}{missing[1:]}."), role=Role.note),) if missing else ()),
        Paragraph(text=f"{facts}.", role=Role.note),
    )
    section = Section(key="machine", title=title, blocks=blocks)
    return Document(title=title, lead=_headline(result), sections=(section,), foot=_FOOT, value=result)


def _table(result: MachineResult) -> Table:
    rows: list[tuple[Cell, ...]] = []
    groups: list[int] = []
    for part in Part:
        figures = [figure for figure in result.figures if figure.part is part]
        if figures:
            groups.append(len(rows))
        rows += [_row(figure, is_first=number == 0) for number, figure in enumerate(figures)]
    heads = columns(texts=("part", "figure"), numbers=("value", "95 % interval"), trailing_texts=("unit",))
    return Table(
        key="machine-figures", columns=(*heads, *columns(numbers=("tail", "n"))), rows=tuple(rows), groups=tuple(groups)
    )


def _row(figure: MachineFigure, *, is_first: bool) -> tuple[Cell, ...]:
    scale = scale_of(figure.unit, figure.value)
    return (
        str(figure.part) if is_first else "", figure.about, scale.text(figure.value),
        scale.interval(figure.low, figure.high), scale.name, scale.text(tail_of(figure)), f"{figure.n}",
    )  # fmt: skip


def _headline(result: MachineResult) -> str:
    """Latency, bandwidth and the largest impact, as far as they were measured, in one line."""
    by_name = {figure.name: figure for figure in result.figures}
    chosen = [(word, next((by_name[name] for name in names if name in by_name), None)) for word, names in _HEADLINE]
    impacts = [figure for figure in result.figures if figure.part is Part.impact]
    chosen.append(("largest congestion impact", max(impacts, key=lambda figure: figure.value, default=None)))
    texts = [
        f"{word} {scale_of(one.unit, one.value).with_unit(one.value)}" for word, one in chosen if one is not None
    ]  # fmt: skip
    text = ", ".join(texts)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _notes(result: MachineResult) -> Iterator[str]:
    if not result.complete:
        yield "incomplete: runs are missing, or ended at their time limit; `machine resume` starts those missing"
    if result.suite.quick:
        yield "quick: one launch of each workload; intervals do not cover what varies from launch to launch"
    if result.skipped:
        names: dict[str, list[str]] = {}
        for one in result.skipped:
            names.setdefault(one.reason, []).append(one.workload or str(one.part))
        groups = (f"{', '.join(of_it)} ({reason})" for reason, of_it in names.items())
        yield f"without figures: {'; '.join(groups)}"


def _facts(result: MachineResult, *, transports: bool = True) -> Iterator[Fact]:
    made, suite = result.provenance, result.suite
    fewest, most = made.ranks_per_node
    per_node = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    if result.label is not None:
        yield Fact(name="Machine", value=printable(result.label))
    yield Fact(name="Measured", value=f"{made.measured_at:%Y-%m-%d %H:%M} UTC on {printable(made.on)}")
    shape = f"{count(made.ranks, 'rank')} on {count(made.nodes, 'node')}, {per_node} per node"
    yield Fact(name="Ranks", value=f"{shape}; {count(made.hosts, 'host')}")
    if made.host_names is not None:
        yield Fact(name="Hosts", value=printable(", ".join(made.host_names)))
    carried = f"; {made.transports}" if transports and made.transports is not None else ""
    yield Fact(name="MPI", value=printable(f"{made.mpi.partition(',')[0]}{carried}"))
    yield Fact(name="StressBench", value=printable(f"{made.version}, {made.build_type} by {made.compiler}"))
    rounds = suite.isolated + suite.contended
    yield Fact(
        name="Suite",
        value=f"version {suite.version}{', quick' if suite.quick else ''}: {count(suite.launches, 'launch')} of "
        f"{count(rounds, 'round')} each, {time(suite.min_time_s)} or more per round; seed {made.seed}",
    )
    yield Fact(
        name="Clock",
        value=f"{printable(made.clock.source)}, resolution {time(made.clock.resolution_s)}, "
        f"{time(made.clock.overhead_s)} per reading",
    )
    yield Fact(name="sha256", value=result.sha256)


def _records(result: MachineResult) -> DataFile:
    head = (
        "figure", "part", "unit", "better", "value", "low", "high", "n", "p5", "p95", "p99", "motif", "ranks", "nodes",
        "placement", "beside",
    )  # fmt: skip
    rows = tuple(
        (
            one.name, str(one.part), str(one.unit), str(one.better), one.value, one.low, one.high, one.n,
            *((None,) * 3 if (p := one.percentiles) is None else (p.p5, p.p95, p.p99)), one.motif, one.ranks, one.nodes,
            one.placement, one.beside,
        )
        for one in result.figures
    )  # fmt: skip
    return DataFile(name="machine", head=head, rows=rows)
