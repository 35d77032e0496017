"""The network with the jobs on its hosts and the load of its links, isolated next to contended."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import WIDTH_IN, canvas, finish
from stressbench.report.figures.placement import job_legend
from stressbench.report.names import printable, short
from stressbench.report.network.blocks import BlockNetwork, HostBlock, block_network
from stressbench.report.network.layout import BLOCK_RADIUS, RADIUS, NetworkLayout, Point, Shape, layout_of
from stressbench.report.palette import BACKGROUND, FOREGROUND, FULL, MUTED, hatch_of, tone_of
from stressbench.report.plotting import Axes, Line2D, LineCollection, Patch, Rectangle, Wedge, to_rgba
from stressbench.report.run.answers import link_name, named_links, shared_link
from stressbench.report.run.section import RunSection
from stressbench.report.units import count, percent
from stressbench.stats import LinkUtilisation

ORDER = 5
_Colour: TypeAlias = tuple[float, float, float, float]
_NARROWEST, _WIDEST = 0.8, 8.0
"""Widths of links in points; with more than `_MANY_LINKS`, in proportion to the inverse root of their number."""
_MANY_LINKS = 64
_MAX_SIDE_BY_SIDE = 20
_LEVEL_IN, _CIRCLE_IN = 0.85, 4.1
_FIELD_HEIGHT, _BAR_HEIGHT = 0.13, 0.42
"""Extent of fields in levels: of a host above and below its centre, and of a bar of many hosts below it."""
_LETTER_IN, _SMALL_LETTER_IN = 0.075, 0.07
_LARGEST_LABEL = 18
_MAX_HOST_LABELS = 24
_LISTED = 5
_LEGEND_COLUMNS = 3
_LABEL_OFFSET, _LABEL_OFFSET_CIRCLE = 12, 34
_LABEL_BOX = {"boxstyle": "round,pad=0.22", "linewidth": 0.7}
_CAPTION = (
    "Boxes with names are switches; the coloured fields are hosts, in the colour and hatch of their job (empty: no "
    "job, or an I/O node). {load}"
)
_LOAD = (
    "The wider and darker a link, the larger the share of its rate in use: the busier direction, median over rounds; "
    "red above {busy} %. {kinds}{merged}{named}"
)
_NAMED = (
    "The label names the busiest link.",
    "Labels name the busiest link that slowed jobs share, and the busiest of all.",
)
_BOTH = "Isolated: by the job that uses the link most while it runs alone. "
_NO_LOAD = "The loads of links are unknown, as the run has no link counters."
_MERGED = "A field shows all hosts of its switch with their number, and its link the busiest one of theirs. "


@dataclass(frozen=True, kw_only=True)
class _Panel:
    """One drawing of the network: the use of links, and their labels, by the keys of their ends."""

    title: str
    use: Mapping[tuple[str, str], float]
    labels: Mapping[tuple[str, str], str]


@dataclass(frozen=True, kw_only=True)
class _Picture:
    """What all panels share."""

    network: BlockNetwork
    layout: NetworkLayout
    jobs_by_host: Mapping[str, tuple[int, ...]]
    busy_above: float
    slot_in: float


def draw(section: RunSection) -> Figure | None:
    """The network of the run; None if it is unknown or too large."""
    if section.drawable_network is None:
        return None
    network = block_network(section.drawable_network)
    layout = layout_of(network)
    links = section.summary.links or ()
    named = named_links(section)
    panels = _panels(network, links, named)
    beside = layout.shape is Shape.circle or layout.width <= _MAX_SIDE_BY_SIDE
    columns = len(panels) if beside else 1
    rows = len(panels) // columns
    width_in = WIDTH_IN / columns
    height_in = min(_CIRCLE_IN, width_in) if layout.shape is Shape.circle else 0.55 + _LEVEL_IN * layout.height
    legend_rows = -(-(len(section.jobs) + 3) // _LEGEND_COLUMNS)
    fig = canvas(height_in=rows * (height_in + 0.3) + 0.24 * legend_rows)
    picture = _Picture(
        network=network, layout=layout, jobs_by_host=section.jobs_by_host,
        busy_above=section.options.limits.busy_above,
        slot_in=width_in / layout.width,
    )  # fmt: skip
    for axes, panel in zip(fig.subplots(rows, columns, squeeze=False).flat, panels, strict=True):
        _draw_panel(axes, picture, panel)
    fig.legend(
        handles=_by_rows([*job_legend(section, _hosts_by_job(section)), *(_load_legend(picture) if links else [])]),
        loc="outside lower left", ncols=_LEGEND_COLUMNS, fontsize=9, handleheight=1.3,
    )  # fmt: skip
    return finish(
        fig, key=f"{section.key}-network", title=_title(section, network, named),
        caption=_caption(section, network, panels),
        description=_description(section, network, links),
    )  # fmt: skip


def data_file(section: RunSection) -> DataFile:
    """One row per direction of a link with its utilisation; no rows without link counters."""
    names = {job.job: job.name for job in section.jobs}
    rows = []
    for link in section.summary.links or ():
        most = max(link.isolated, key=lambda one: one.use, default=None)
        rows.append((
            link.link, link.source, link.target, link.rate_bits_per_s, None if most is None else most.use,
            None if most is None else names[most.job], link.contended, link.drops,
        ))  # fmt: skip
    head = ("link", "from", "to", "rate_bits_per_s", "isolated", "isolated_job", "contended", "frames_lost")
    return DataFile(name="links", head=head, rows=tuple(rows))


def _panels(
    network: BlockNetwork, links: Sequence[LinkUtilisation], named: Sequence[LinkUtilisation]
) -> tuple[_Panel, ...]:
    def panel(title: str, use_of: Callable[[LinkUtilisation], float | None]) -> _Panel | None:
        uses: dict[tuple[str, str], float] = {}
        labels: dict[tuple[str, str], str] = {}
        for link in links:
            key, use = network.link_between(link.source, link.target), use_of(link)
            if key is not None and use is not None:
                uses[key] = max(use, uses.get(key, 0.0))
                if link in named:
                    labels[key] = f"{link_name(link)}\n{100 * use:.0f} %"
        return _Panel(title=title, use=uses, labels=labels) if uses else None

    found = [
        panel("Isolated", lambda link: max((one.use for one in link.isolated), default=None)),
        panel("Contended", lambda link: link.contended),
    ]
    known = tuple(one for one in found if one is not None)
    return known or (_Panel(title="", use={}, labels={}),)


def _draw_panel(axes: Axes, picture: _Picture, panel: _Panel) -> None:
    if panel.title:
        axes.set_title(panel.title)
    axes.set_axis_off()
    _draw_links(axes, picture, panel)
    if picture.layout.shape is Shape.circle:
        _draw_groups(axes, picture.layout)
    for block in picture.network.blocks:
        if block.key in picture.layout.spans:
            _draw_block(axes, picture, block)
    for switch in picture.network.network.switches:
        _draw_switch(axes, picture, switch)
    for link, text in panel.labels.items():
        _draw_label(axes, picture, link, text)
    if picture.layout.shape is Shape.circle:
        most = BLOCK_RADIUS + 0.35
        axes.set(xlim=(-most, most), ylim=(-most, most), aspect="equal")
    else:
        axes.set(
            xlim=(-0.2, picture.layout.width + 0.2),
            ylim=(-0.75 if _has_bars(picture) else -0.45, picture.layout.height + 0.3),
        )


def _has_bars(picture: _Picture) -> bool:
    return any(len(block.hosts) > 1 for block in picture.network.blocks)


def _draw_links(axes: Axes, picture: _Picture, panel: _Panel) -> None:
    positions = picture.layout.positions
    pairs = [pair for pair in picture.network.links if pair[0] in positions and pair[1] in positions]
    pairs.sort(key=lambda pair: panel.use.get(pair, -1.0))  # busy links are drawn last
    axes.add_collection(
        LineCollection(
            [(positions[a], positions[b]) for a, b in pairs],
            linewidths=[_width(panel.use.get(pair), links=len(pairs)) for pair in pairs],
            colors=[_colour(panel.use.get(pair), busy_above=picture.busy_above) for pair in pairs],
            capstyle="butt",
            zorder=1,
        )
    )


def _width(use: float | None, *, links: int) -> float:
    width = 1.0 if use is None else _NARROWEST + (_WIDEST - _NARROWEST) * min(1.0, use)
    return width * min(1.0, math.sqrt(_MANY_LINKS / max(1, links)))


def _colour(use: float | None, *, busy_above: float) -> _Colour:
    if use is None:
        return to_rgba(MUTED.placeholder, 0.6)
    if use > busy_above:
        return to_rgba(FULL.placeholder)
    return to_rgba(FOREGROUND.placeholder, 0.22 + 0.7 * min(1.0, use / busy_above))


def _draw_groups(axes: Axes, layout: NetworkLayout) -> None:
    for first, last in layout.groups.values():
        box = Wedge((0, 0), BLOCK_RADIUS + 0.13, first, last, width=BLOCK_RADIUS + 0.26 - RADIUS)
        box.set(facecolor="none", edgecolor=MUTED.placeholder, linewidth=0.9, zorder=0.5)
        axes.add_patch(box)


def _draw_block(axes: Axes, picture: _Picture, block: HostBlock) -> None:
    """The field of a block, divided among its jobs by their numbers of hosts; by levels, many hosts are a bar."""
    shares = _shares(block, picture.jobs_by_host)
    first, last = picture.layout.spans[block.key]
    total = sum(shares.values())
    is_bar = picture.layout.shape is Shape.levels and len(block.hosts) > 1
    done = 0.0
    for job, hosts in shares.items():
        begin, end = (_FIELD_HEIGHT, -_BAR_HEIGHT) if is_bar else (first, last)
        part = (begin + (end - begin) * done / total, begin + (end - begin) * (done + hosts) / total)
        _draw_field(axes, picture.layout, *((first, last) if is_bar else part), job=job, bar=part if is_bar else None)
        done += hosts
    _draw_field_label(axes, picture, block, (first + last) / 2)


def _shares(block: HostBlock, jobs_by_host: Mapping[str, tuple[int, ...]]) -> dict[int | None, float]:
    """Hosts of each job, in fractions where jobs share a host; None: without a job."""
    shares: dict[int | None, float] = {}
    for host in block.hosts:
        jobs: tuple[int | None, ...] = jobs_by_host.get(host) or (None,)
        for job in jobs:
            shares[job] = shares.get(job, 0.0) + 1 / len(jobs)
    return dict(sorted(shares.items(), key=lambda one: (one[0] is None, one[0] or 0)))


def _draw_field(
    axes: Axes, layout: NetworkLayout, first: float, last: float, *, job: int | None, bar: tuple[float, float] | None
) -> None:
    """A field from `first` to `last`; `bar`: its upper and its lower end, by levels."""
    upper, lower = bar or (_FIELD_HEIGHT, -_FIELD_HEIGHT)
    field: Patch
    if layout.shape is Shape.circle:
        field = Wedge((0, 0), BLOCK_RADIUS + 0.08, first, last, width=0.16)
    else:
        field = Rectangle((first, lower), last - first, upper - lower)
    if job is None:
        field.set(facecolor=BACKGROUND.placeholder, edgecolor=MUTED.placeholder, linewidth=0.8, zorder=2)
    else:
        field.set(
            facecolor=tone_of(job).placeholder, edgecolor=BACKGROUND.placeholder, hatch=hatch_of(job), linewidth=0,
            zorder=2,
        )  # fmt: skip
    axes.add_patch(field)


def _draw_field_label(axes: Axes, picture: _Picture, block: HostBlock, middle: float) -> None:
    """The name of a host, or the number of hosts, below the field or outside of the circle, if all have room."""
    style: Any = {"fontsize": 7.5, "color": MUTED.placeholder, "ha": "center", "va": "center"}
    if picture.layout.shape is Shape.circle:
        if len(picture.network.blocks) <= _MAX_HOST_LABELS:
            x, y = picture.layout.positions[block.key]
            scale = 1 + 0.25 / BLOCK_RADIUS
            axes.text(x * scale, y * scale, _field_text(block), **style)
    elif max(len(_field_text(one)) for one in picture.network.blocks) * _SMALL_LETTER_IN <= picture.slot_in:
        axes.text(middle, -(_BAR_HEIGHT if len(block.hosts) > 1 else _FIELD_HEIGHT) - 0.16, _field_text(block), **style)


def _field_text(block: HostBlock) -> str:
    return short(block.key, max_length=_LARGEST_LABEL) if len(block.hosts) == 1 else f"{len(block.hosts):,}"


def _draw_switch(axes: Axes, picture: _Picture, switch: str) -> None:
    if switch not in picture.layout.positions:
        return
    x, y = picture.layout.positions[switch]
    name = short(switch, max_length=_LARGEST_LABEL)
    if _fits(picture, switch):
        box = {**_LABEL_BOX, "facecolor": BACKGROUND.placeholder, "edgecolor": FOREGROUND.placeholder}
        axes.text(x, y, name, ha="center", va="center", fontsize=8, color=FOREGROUND.placeholder, bbox=box, zorder=4)
    else:
        axes.plot(
            x, y, "s", color=BACKGROUND.placeholder, markeredgecolor=FOREGROUND.placeholder, markeredgewidth=0.7,
            markersize=4, zorder=4,
        )  # fmt: skip


def _fits(picture: _Picture, switch: str) -> bool:
    """Whether the switches of the level, or of the circle, have room for names."""
    layout = picture.layout
    if layout.shape is Shape.circle:
        return len(picture.network.network.switches) <= _MAX_HOST_LABELS
    level = layout.positions[switch][1]
    across = sorted(
        (layout.positions[one][0], len(short(one, max_length=_LARGEST_LABEL)))
        for one in picture.network.network.switches
        if layout.positions[one][1] == level
    )
    return all(
        (left + right) / 2 * _LETTER_IN + 0.12 <= (after - before) * picture.slot_in
        for (before, left), (after, right) in pairwise(across)
    )


def _draw_label(axes: Axes, picture: _Picture, link: tuple[str, str], text: str) -> None:
    (ax, ay), (bx, by) = (picture.layout.positions[key] for key in link)
    box = {**_LABEL_BOX, "facecolor": BACKGROUND.placeholder, "edgecolor": MUTED.placeholder, "alpha": 0.92}
    x, y = (ax + bx) / 2, (ay + by) / 2
    across, upwards, aligned = _beside(picture.layout, (x, y))
    axes.annotate(
        text, (x, y), xytext=(across, upwards), textcoords="offset points", ha=aligned, va="center", fontsize=8,
        color=FOREGROUND.placeholder, bbox=box, zorder=5,
    )  # fmt: skip


def _beside(layout: NetworkLayout, at: Point) -> tuple[float, float, str]:
    """Offset of a label in points, and its alignment: towards the centre of a circle, or of the drawing's width."""
    x, y = at
    if layout.shape is Shape.circle:
        scale = -_LABEL_OFFSET_CIRCLE / max(0.1, math.hypot(x, y))
        return x * scale, y * scale, "center"
    leftwards = x > layout.width / 2
    return (-_LABEL_OFFSET if leftwards else _LABEL_OFFSET), 0.0, "right" if leftwards else "left"


def _by_rows(entries: list[Patch | Line2D]) -> list[Patch | Line2D]:
    """The entries in an order in which a legend, which fills column after column, shows them row after row."""
    return [entry for column in range(_LEGEND_COLUMNS) for entry in entries[column::_LEGEND_COLUMNS]]


def _load_legend(picture: _Picture) -> list[Line2D]:
    busy, links = picture.busy_above, len(picture.network.links)
    return [
        Line2D(
            [], [], linewidth=_width(share, links=links), color=_colour(share, busy_above=busy),
            label=f"link used to {100 * share:.3g} %",
        )
        for share in sorted({min(0.1, busy / 2), busy, 1.0})
    ]  # fmt: skip


def _hosts_by_job(section: RunSection) -> dict[int, int]:
    hosts = {job.job: 0 for job in section.jobs}
    for jobs in section.jobs_by_host.values():
        for job in jobs:
            hosts[job] += 1
    return hosts


def _title(section: RunSection, network: BlockNetwork, named: Sequence[LinkUtilisation]) -> str:
    if not named or named[0].peak == 0:
        loads = "no link is used" if named else "loads of links unknown"
        return f"Jobs in the network: {count(len(network.network.hosts), 'host')}, {loads}"
    first = named[0]
    isolated = max((one.use for one in first.isolated), default=None)
    parts = [] if first.contended is None else [f"{100 * first.contended:.0f} % when contended"]
    parts += [] if isolated is None else [f"{100 * isolated:.0f} % isolated"]
    which = "Busiest link that slowed jobs share" if shared_link(section) is not None else "Busiest link"
    return f"{which}: {link_name(first)}, used to {', '.join(parts)}"


def _caption(section: RunSection, network: BlockNetwork, panels: Sequence[_Panel]) -> str:
    if not panels[0].use:
        return _CAPTION.format(load=_NO_LOAD)
    merged = any(len(block.hosts) > 1 for block in network.blocks)
    load = _LOAD.format(
        busy=f"{100 * section.options.limits.busy_above:.3g}", merged=_MERGED if merged else "",
        named=_NAMED[len(panels[0].labels) > 1],
        kinds=_BOTH if any(panel.title == "Isolated" for panel in panels) else "",
    )  # fmt: skip
    return _CAPTION.format(load=load)


def _description(section: RunSection, network: BlockNetwork, links: Sequence[LinkUtilisation]) -> str:
    """The same in words: what is linked, where jobs are, and the busiest links."""
    known = network.network
    switches, total = len(known.switches), sum(network.links.values())
    made_of = f"{count(len(known.hosts), 'host')}, {switches:,} switch{'' if switches == 1 else 'es'}, {total:,} links."
    placed = "; ".join(
        f"{printable(section.jobs[job].name)} on {count(hosts, 'host')}"
        for job, hosts in _hosts_by_job(section).items()
    )
    busiest = "; ".join(
        f"{link_name(link)}: "
        + ", ".join(
            f"{name} {percent(use)} %"
            for name, use in (
                ("isolated", max((one.use for one in link.isolated), default=None)), ("contended", link.contended)
            )
            if use is not None
        )
        for link in links[:_LISTED]
    )  # fmt: skip
    loads = f" Busiest links, share of the rate in use: {busiest}." if busiest else " Loads of links are unknown."
    return f"{made_of} {placed}.{loads}"
