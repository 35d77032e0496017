"""The document of `stressbench impact`: latencies, the utilisation of the switch and its phases, and cautions."""

from collections.abc import Iterator, Sequence

from stressbench.interference.impact_analysis import ImpactResult, PairEstimate
from stressbench.interference.probes import ProbeSchedule
from stressbench.report.document import Block, Document, Note, Notes, Paragraph, Section, Severity, Table, columns
from stressbench.report.interference.formatting import latency_table, phase_table, utilisation_cell, utilisation_text
from stressbench.report.units import MISSING, count, multiplier_text, percent, time, time_unit
from stressbench.stats.intervals import Interval

_MAX_PAIRS = 16
_MAX_LINKS = 4


def document_of(result: ImpactResult, *, name: str, probing: ProbeSchedule) -> Document:
    """Tables of latencies, phases and pairs; `name` is that of the program."""
    setting = (
        f"{name}: probes of {probing.message_bytes:,} B by {count(probing.pairs, 'pair')} every "
        f"{time(probing.interval_s)}"
    )
    return Document(title="", sections=(Section(blocks=(Paragraph(text=setting), *_blocks(result))),), value=result)


def _blocks(result: ImpactResult) -> Iterator[Block]:
    yield latency_table(result.idle, result.loaded)
    yield Paragraph(text=f"utilisation: {utilisation_text(result.ours)}")
    paper = utilisation_text(result.paper)
    yield Paragraph(text=f"utilisation as in the paper (Casas and Bronevetsky, IV-B): {paper}")
    yield Paragraph(text=f"utilisation from undelayed probes: {utilisation_text(result.undelayed)}")
    if len(result.phases) > 1:
        yield phase_table(result.phases)
    if any(one.forward is not None for one in result.pairs):
        yield _directions(result.pairs[:_MAX_PAIRS])
    if len(result.pairs) > 1:
        yield _pairs(result.pairs[:_MAX_PAIRS])
        if len(result.pairs) > _MAX_PAIRS:
            yield Paragraph(text=f"The first {_MAX_PAIRS} of {len(result.pairs)} pairs; --json has all.")
    sentences = (links_text(result), drift_text(result.drift), _effect_text(result))
    yield from (Paragraph(text=sentence) for sentence in sentences if sentence is not None)
    yield cautions_of(result.cautions)


def cautions_of(cautions: Sequence[str]) -> Notes:
    """The cautions of a measurement as notes."""
    return Notes(notes=tuple(Note(text=caution, severity=Severity.caution) for caution in cautions))


def links_text(result: ImpactResult) -> str | None:
    """The utilisation of the busiest links; None without link counters."""
    if result.links is None:
        return None
    busiest = sorted(result.links.items(), key=lambda one: -one[1])[:_MAX_LINKS]
    utilisations = ", ".join(f"{name} {percent(share)} %" for name, share in busiest)
    return f"links by their own counters, the busiest of {len(result.links)}: {utilisations}"


def drift_text(drift: Interval | None) -> str | None:
    """The ratio of idle latencies after the measurement to those before it; None without probes after it."""
    if drift is None:
        return None
    return f"idle latencies afterwards: {multiplier_text(drift.centre, drift.low, drift.high)} those before"


def _effect_text(result: ImpactResult) -> str:
    """The load of the probes, and their effect on the program's time or that it was not measured."""
    effect, ratio = result.effect, result.effect.ratio
    load = f"probes use at most {result.own_load:.2%} of the switch's time"
    if ratio is None:
        return f"{load}; their effect on the program's time was not measured (--effect N measures it)"
    runs = f"{count(len(effect.with_probes_s), 'run')} with probes, {len(effect.without_s)} without"
    no_interval_note = ", no interval, which takes 4 and 4" if ratio.low is None or ratio.high is None else ""
    ratio_text = multiplier_text(ratio.centre, ratio.low, ratio.high)
    return f"{load}; with them the program takes {ratio_text} as long ({runs}{no_interval_note})"


def _directions(pairs: Sequence[PairEstimate]) -> Table:
    """The utilisation of each direction of each pair."""
    directions = (
        (hosts, one)
        for pair in pairs
        for hosts, one in ((pair.hosts, pair.forward), (pair.hosts[::-1], pair.backward))
        if one is not None
    )
    return Table(
        columns=columns(texts=("from", "to", "utilisation from undelayed probes")),
        rows=tuple((hosts[0], hosts[-1], utilisation_text(one)) for hosts, one in directions),
    )


def _pairs(pairs: Sequence[PairEstimate]) -> Table:
    unit = time_unit(value for one in pairs for value in (one.idle_median_s, one.loaded_median_s) if value is not None)
    return Table(
        columns=columns(
            texts=("pair",), numbers=(f"idle median / {unit.name}", "beside it", "utilisation / %"),
            trailing_texts=("why unknown",),
        ),
        rows=tuple(
            (
                " - ".join(one.hosts), time(one.idle_median_s, unit=unit), time(one.loaded_median_s, unit=unit),
                MISSING if one.utilisation.value is None else utilisation_cell(one), one.utilisation.reason or "",
            )
            for one in pairs
        ),
    )  # fmt: skip
