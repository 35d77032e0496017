"""The document of `stressbench compress`: utilisation and slowdown at each congestion level, and cautions."""

from collections.abc import Iterator

from stressbench.interference.compression_analysis import CompressionResult, LevelResult
from stressbench.report.document import Block, Document, Paragraph, Role, Section, Table, columns
from stressbench.report.interference.formatting import slowdown_cell, utilisation_cell
from stressbench.report.interference.impact import cautions_of, drift_text
from stressbench.report.interference.pauses import pause_text
from stressbench.report.units import MISSING, count, factor, size, time, time_unit

_MAX_BAR_WIDTH = 24
_KEY = (
    "slowdown: contended over isolated time, 1 is not slowed down; intervals: 95 %; bars: slowdown - 1. "
    "P: ranks that each rank sends to, M: messages to each, bubble: {pause}."
)


def document_of(result: CompressionResult, *, name: str, nodes: int, by_rounds: bool) -> Document:
    """The document; the ring has one rank on each of `nodes` hosts. `by_rounds`: times are of rounds, not of runs."""
    setting = Paragraph(text=_setting(result, name=name, nodes=nodes, by_rounds=by_rounds))
    return Document(title="", sections=(Section(blocks=(setting, *_blocks(result))),), value=result)


def _blocks(result: CompressionResult) -> Iterator[Block]:
    yield _levels(result)
    if (drift := drift_text(result.drift)) is not None:
        yield Paragraph(text=drift)
    yield cautions_of(result.cautions)
    yield Paragraph(text=_KEY.format(pause=pause_text(one.configuration for one in result.levels)), role=Role.key)


def _setting(result: CompressionResult, *, name: str, nodes: int, by_rounds: bool) -> str:
    ordered = sorted(result.alone_s)
    median_s = ordered[len(ordered) // 2]
    kind = "round" if by_rounds else "run"
    sizes = sorted({one.configuration.message_bytes for one in result.levels})
    return (
        f"{name}: {time(median_s)} isolated ({count(len(ordered), kind)}), beside rings on {count(nodes, 'host')} with "
        f"messages of {', '.join(size(one) for one in sizes)}"
    )


def _levels(result: CompressionResult) -> Table:
    unit = time_unit((result.idle.mean_s, *(one.probes.mean_s for one in result.levels)))
    largest = max((one.slowdown.centre - 1 for one in result.levels if one.slowdown is not None), default=0.0)
    idle = ("", "", "idle", f"{result.idle.count:,}", time(result.idle.mean_s, unit=unit), "", "", "", "")
    return Table(
        columns=columns(
            numbers=("P", "M", "bubble", "probes", f"mean / {unit.name}", "utilisation / %", "slowdown [95 %]"),
            trailing_texts=("", "why unknown"),
        ),
        rows=(idle, *(
            (
                str(one.configuration.partners), str(one.configuration.messages), time(one.configuration.pause_s),
                f"{one.probes.count:,}", time(one.probes.mean_s, unit=unit), utilisation_cell(one), _slowdown(one),
                _bar(one, largest), one.utilisation.reason or "",
            )
            for one in result.levels
        )),
    )  # fmt: skip


def _slowdown(one: LevelResult) -> str:
    if one.slowdown is None:
        return MISSING if one.at_least is None else f"at least {factor(one.at_least)}"
    return slowdown_cell(one.slowdown)


def _bar(one: LevelResult, largest: float) -> str:
    if one.slowdown is None or largest <= 0:
        return ""
    return "█" * round(_MAX_BAR_WIDTH * max(0.0, one.slowdown.centre - 1) / largest)
