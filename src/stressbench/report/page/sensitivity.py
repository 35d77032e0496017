"""The page of profiles: what each application does to the network, and what it suffers."""

from collections.abc import Iterator, Sequence

from stressbench.report.drawing import Figure, style
from stressbench.report.page.plain import Chapter, Plain, render_plain, tables_of
from stressbench.report.page.provenance import Fact
from stressbench.report.page.sheets import Sheet, sheet
from stressbench.report.section import printable
from stressbench.report.sensitivity import curve, latencies, phases, rings
from stressbench.report.sensitivity.rows import HEAD, rows_of
from stressbench.report.sensitivity.shown import Shown
from stressbench.report.sensitivity.words import findings, notes_of, sheets_of
from stressbench.report.units import count

_FOOT = (
    "Utilisation is the share of the time in which the switch serves somebody, read from how much longer probes take "
    "than on the idle machine (M/G/1 queue). The method is active measurement; one queue stands for the whole network."
)


def render_profiles(profiles: Sequence[Shown]) -> str:
    """The page as HTML text; at least one profile."""
    with style():
        chapters = tuple(_chapter(one, number) for number, one in enumerate(profiles, start=1))
    machine = printable(profiles[0].said.machine)
    title = chapters[0].title if len(chapters) == 1 else f"Sensitivity of {len(chapters)} applications on {machine}"
    lead = "What an application does to the network, and what a busy network does to it, each measured alone."
    return render_plain(Plain(title=title, lead=lead, chapters=chapters, foot=_FOOT))


def _chapter(one: Shown, number: int) -> Chapter:
    key, said = f"profile{number}", one.said
    return Chapter(
        key=key,
        title=printable(f"{said.application} on {said.machine}"),
        findings=tuple(map(printable, findings(said))),
        notes=tuple(printable(f"{note[:1].upper()}{note[1:]}.") for note in notes_of(one)),
        figures=tuple(_figures(one, key)),
        tables=tables_of(sheets_of(said), key=key),
        facts=tuple(_facts(one)),
    )


def _figures(one: Shown, key: str) -> Iterator[tuple[Figure, Sheet | None]]:
    """Each with its numbers; those of compressions stand behind the last figure of them."""
    yield latencies.draw(one.profile, one.said, key=key), latencies.numbers(one.profile, key=key)
    over_time = phases.draw(one.profile, one.said, key=key)
    if over_time is not None:
        yield over_time, None
    drawn = [figure for figure in (curve.draw(one.said, key=key), rings.draw(one.said, key=key)) if figure is not None]
    for figure in drawn:
        last = figure is drawn[-1]
        yield figure, sheet(f"{key}-compressions.csv", HEAD, rows_of(one.said)) if last else None


def _facts(one: Shown) -> Iterator[Fact]:
    said = one.said
    origin, probe = said.provenance, said.probe
    pairs = (
        ("Measured (UTC)", f"{origin.measured_at:%Y-%m-%d %H:%M}"),
        ("By", f"stressbench {origin.version}"),
        ("Command", " ".join(origin.command)),
        ("Ran on", f"{count(origin.ranks, 'rank')}, probes on {count(origin.nodes, 'host')}"),
        ("Probes", f"{count(probe.pairs, 'pair')}, {probe.message_bytes:,} B every {probe.interval_s:g} s"),
        *((name.capitalize(), value) for name, value in sorted(origin.configuration.items())),
    )
    for name, value in pairs:
        yield Fact(name=printable(name), value=printable(value))
