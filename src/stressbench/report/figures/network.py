"""The network with the jobs on its hosts and the load of its links, isolated next to contended."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import WIDTH_IN, canvas, finish, polygon_values
from stressbench.report.figures.placement import job_legend
from stressbench.report.names import printable, short
from stressbench.report.network.blocks import BlockNetwork, HostBlock, block_network
from stressbench.report.network.geometry import (
    BAR_HEIGHT,
    FIELD_HEIGHT,
    FIELD_WIDTH,
    GRID_FIELD_HEIGHT,
    LARGEST_NAME,
    MANY_LINKS,
    Geometry,
    Labels,
    Pair,
    field_text,
    geometry_of,
)
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
"""Widths of links in points; with more than `MANY_LINKS`, in proportion to the inverse root of their number."""
_MAX_SIDE_BY_SIDE = 20
_PANEL_PADDING_IN, _TITLE_IN, _LEGEND_ROW_IN = 0.12, 0.38, 0.24
"""Beside the panels, above and below each, and for each row of the legend."""
_TARGET_IN = 0.05
"""Distance from a link at which a page shows its value."""
_LISTED = 5
_LEGEND_COLUMNS = 3
_LABEL_BOX = {"boxstyle": "round,pad=0.22", "linewidth": 0.7}
_CAPTION = (
    "Boxes with names are switches; the coloured fields are hosts, in {style} of their job (empty: no job, or an I/O "
    "node). {load}"
)
_STYLE, _COLOUR = "the colour and hatch", "the colour, which repeats after eight jobs,"
_LOAD = (
    "The wider and darker a link, the larger the share of its rate in use: the busier direction, median over rounds; "
    "red above {busy} %. {kinds}{merged}{named}"
)
_NAMED = (
    "The label names the busiest link.",
    "Labels name the busiest link that slowed jobs share, and the busiest of all.",
)
_TORUS = "Links that end at the edge of the grid lead to its other side. "
_BOTH = "Isolated: by the job that uses the link most while it runs alone. "
_NO_LOAD = "The loads of links are unknown, as the run has no link counters."
_MERGED = "A field shows all hosts of its switch with their number, and its link the busiest one of theirs. "


@dataclass(frozen=True, kw_only=True)
class _Panel:
    """One drawing of the network: the use of links, and their labels."""

    title: str
    use: Mapping[Pair, float]
    labels: Labels


@dataclass(frozen=True, kw_only=True)
class _Picture:
    """What all panels share."""

    geometry: Geometry
    jobs_by_host: Mapping[str, tuple[int, ...]]
    style_of: Callable[[int], int]
    busy_above: float

    @property
    def network(self) -> BlockNetwork:
        """What is drawn."""
        return self.geometry.network

    @property
    def layout(self) -> NetworkLayout:
        """Where it is drawn."""
        return self.geometry.layout


def draw(section: RunSection) -> Figure | None:
    """The network of the run; None if it is unknown or too large."""
    if section.drawable_network is None:
        return None
    network = block_network(section.drawable_network)
    links = section.summary.links or ()
    named = named_links(section)
    panels = _panels(network, links, named)
    layout = layout_of(network)
    beside = layout.shape is not Shape.levels or layout.width <= _MAX_SIDE_BY_SIDE
    columns = len(panels) if beside else 1
    geometry = geometry_of(
        network, layout, width_in=WIDTH_IN / columns - _PANEL_PADDING_IN, labels=[panel.labels for panel in panels]
    )
    picture = _Picture(
        geometry=geometry, jobs_by_host=section.jobs_by_host, style_of=section.style_of,
        busy_above=section.options.limits.busy_above,
    )  # fmt: skip
    entries: list[Patch | Line2D] = [
        *job_legend(
            section, _hosts_by_job(section), style_numbers=_styles(section), is_hatched=geometry.has_large_fields
        ),
        *(_load_legend(picture) if links else []),
    ]
    rows = len(panels) // columns
    legend_in = _LEGEND_ROW_IN * -(-len(entries) // _LEGEND_COLUMNS)
    fig = canvas(height_in=rows * (geometry.height_in + _TITLE_IN) + legend_in)
    for axes, panel in zip(fig.subplots(rows, columns, squeeze=False).flat, panels, strict=True):
        _draw_panel(axes, picture, panel)
    fig.legend(handles=_by_rows(entries), loc="outside lower left", ncols=_LEGEND_COLUMNS, fontsize=9, handleheight=1.3)
    return finish(
        fig, key=f"{section.key}-network", title=_title(section, network, named),
        caption=_caption(section, picture, panels),
        description=_description(section, network, links),
    )  # fmt: skip


def _styles(section: RunSection) -> dict[int, int]:
    return {job.job: section.style_of(job.job) for job in section.jobs}


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
        uses: dict[Pair, float] = {}
        labels: dict[Pair, list[str]] = {}
        for link in links:
            key, use = network.link_between(link.source, link.target), use_of(link)
            if key is not None and use is not None:
                uses[key] = max(use, uses.get(key, 0.0))
                if link in named:
                    labels.setdefault(key, []).append(f"{_label_name(link)}\n{100 * use:.0f} %")
        texts = {key: "\n".join(lines) for key, lines in labels.items()}
        return _Panel(title=title, use=uses, labels=texts) if uses else None

    found = [
        panel("Isolated", lambda link: max((one.use for one in link.isolated), default=None)),
        panel("Contended", lambda link: link.contended),
    ]
    known = tuple(one for one in found if one is not None)
    return known or (_Panel(title="", use={}, labels={}),)


def _label_name(link: LinkUtilisation) -> str:
    """Both ends in the direction of the traffic, cut to what has room."""
    source, target = (short(name, max_length=LARGEST_NAME) for name in (link.source, link.target))
    return f"{source} → {target}"


def _draw_panel(axes: Axes, picture: _Picture, panel: _Panel) -> None:
    if panel.title:
        axes.set_title(panel.title)
    axes.set_axis_off()
    _draw_links(axes, picture, panel)
    _draw_groups(axes, picture.layout)
    for block in picture.network.blocks:
        if block.key in picture.layout.spans:
            _draw_block(axes, picture, block)
    for switch in picture.network.network.switches:
        _draw_switch(axes, picture, switch)
    _draw_labels(axes, picture.geometry, panel.labels)
    within = picture.geometry.within
    axes.set(xlim=(within.left, within.right), ylim=(within.bottom, within.top))
    if picture.layout.shape is not Shape.levels:
        axes.set_aspect("equal")


def _draw_links(axes: Axes, picture: _Picture, panel: _Panel) -> None:
    geometry = picture.geometry
    pairs = sorted(geometry.links, key=lambda pair: panel.use.get(pair, -1.0))  # busy links are drawn last
    drawn = [(line, pair) for pair in pairs for line in geometry.lines(pair)]
    axes.add_collection(
        LineCollection(
            [line for line, _ in drawn],
            linewidths=[_width(panel.use.get(pair), links=len(pairs)) for _, pair in drawn],
            colors=[_colour(panel.use.get(pair), busy_above=picture.busy_above) for _, pair in drawn],
            capstyle="butt",
            zorder=1,
        )
    )
    known = [(line, pair) for line, pair in drawn if pair in panel.use]
    polygon_values(
        axes, [_target_around(geometry, line) for line, _ in known],
        [f"{a}-{b}: {percent(panel.use[a, b])} % of the rate in use" for _, (a, b) in known],
    )  # fmt: skip


def _target_around(geometry: Geometry, line: tuple[Point, Point]) -> tuple[Point, Point, Point, Point]:
    """The corners of a narrow rectangle around a line."""
    (ax, ay), (bx, by) = (geometry.inches(end) for end in line)
    length = math.hypot(bx - ax, by - ay) or 1.0
    dx, dy = _TARGET_IN * (ay - by) / length, _TARGET_IN * (bx - ax) / length
    corners = ((ax + dx, ay + dy), (bx + dx, by + dy), (bx - dx, by - dy), (ax - dx, ay - dy))
    a, b, c, d = map(geometry.units, corners)
    return a, b, c, d


def _width(use: float | None, *, links: int) -> float:
    width = 1.0 if use is None else _NARROWEST + (_WIDEST - _NARROWEST) * min(1.0, use)
    return width * min(1.0, math.sqrt(MANY_LINKS / max(1, links)))


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
    y = picture.layout.positions[block.key][1]
    style_of = picture.style_of
    done = 0.0
    for job, hosts in shares.items():
        begin, end = (FIELD_HEIGHT, -BAR_HEIGHT) if is_bar else (first, last)
        part = (begin + (end - begin) * done / total, begin + (end - begin) * (done + hosts) / total)
        height = GRID_FIELD_HEIGHT if picture.layout.shape is Shape.grid else FIELD_HEIGHT
        field = _field(
            picture.layout, *((first, last) if is_bar else part), *(part if is_bar else (y + height, y - height))
        )
        _fill(field, None if job is None else style_of(job), is_hatched=picture.geometry.has_large_fields)
        axes.add_patch(field)
        done += hosts
    _draw_field_label(axes, picture.geometry, block)


def _shares(block: HostBlock, jobs_by_host: Mapping[str, tuple[int, ...]]) -> dict[int | None, float]:
    """Hosts of each job, in fractions where jobs share a host; None: without a job."""
    shares: dict[int | None, float] = {}
    for host in block.hosts:
        jobs: tuple[int | None, ...] = jobs_by_host.get(host) or (None,)
        for job in jobs:
            shares[job] = shares.get(job, 0.0) + 1 / len(jobs)
    return dict(sorted(shares.items(), key=lambda one: (one[0] is None, one[0] or 0)))


def _field(layout: NetworkLayout, first: float, last: float, upper: float, lower: float) -> Patch:
    """A field from `first` to `last`, along the circle or else along x, there from `upper` to `lower`."""
    if layout.shape is Shape.circle:
        return Wedge((0, 0), BLOCK_RADIUS + FIELD_WIDTH / 2, first, last, width=FIELD_WIDTH)
    return Rectangle((first, lower), last - first, upper - lower)


def _fill(field: Patch, style_number: int | None, *, is_hatched: bool) -> None:
    """Fill the field in the style of its job; None: without a job."""
    if style_number is None:
        field.set(facecolor=BACKGROUND.placeholder, edgecolor=MUTED.placeholder, linewidth=0.8, zorder=2)
        return
    field.set(
        facecolor=tone_of(style_number).placeholder, edgecolor=BACKGROUND.placeholder,
        hatch=hatch_of(style_number) if is_hatched else None, linewidth=0, zorder=2,
    )  # fmt: skip


def _draw_field_label(axes: Axes, geometry: Geometry, block: HostBlock) -> None:
    """The name of a host, or the number of hosts, if all have room."""
    if not geometry.has_host_labels:
        return
    style: Any = {"fontsize": 7.5, "color": MUTED.placeholder, "ha": "center", "va": "center"}
    axes.text(*geometry.field_label_at(block), field_text(block), **style)


def _draw_switch(axes: Axes, picture: _Picture, switch: str) -> None:
    if switch not in picture.layout.positions:
        return
    x, y = picture.layout.positions[switch]
    if switch in picture.geometry.named_switches:
        box = {**_LABEL_BOX, "facecolor": BACKGROUND.placeholder, "edgecolor": FOREGROUND.placeholder}
        name = short(switch, max_length=LARGEST_NAME)
        axes.text(x, y, name, ha="center", va="center", fontsize=8, color=FOREGROUND.placeholder, bbox=box, zorder=4)
    else:
        axes.plot(
            x, y, "s", color=BACKGROUND.placeholder, markeredgecolor=FOREGROUND.placeholder, markeredgewidth=0.7,
            markersize=4, zorder=4,
        )  # fmt: skip


def _draw_labels(axes: Axes, geometry: Geometry, labels: Labels) -> None:
    """The labels of links, each with a line to its link."""
    box = {**_LABEL_BOX, "facecolor": BACKGROUND.placeholder, "edgecolor": MUTED.placeholder, "alpha": 0.92}
    for link, place in geometry.label_places(labels).items():
        begin, end = geometry.lines(link)[0]
        axes.annotate(
            labels[link], ((begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2), xytext=geometry.units(place.centre),
            textcoords="data", ha="center", va="center", fontsize=8, color=FOREGROUND.placeholder, bbox=box, zorder=5,
            arrowprops={"arrowstyle": "-", "color": MUTED.placeholder, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0},
        )  # fmt: skip


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
    subject = f"{section.subject}: " if section.subject else ""
    if not named or named[0].peak == 0:
        loads = "no link is used" if named else "loads of links unknown"
        return f"{subject or 'Jobs in the network: '}{count(len(network.network.hosts), 'host')}, {loads}"
    first = named[0]
    isolated = max((one.use for one in first.isolated), default=None)
    parts = [] if first.contended is None else [f"{100 * first.contended:.0f} % when contended"]
    parts += [] if isolated is None else [f"{100 * isolated:.0f} % isolated"]
    which = "busiest link that slowed jobs share" if shared_link(section) is not None else "busiest link"
    which = which if subject else which.capitalize()
    return f"{subject}{which}: {link_name(first)}, used to {', '.join(parts)}"


def _caption(section: RunSection, picture: _Picture, panels: Sequence[_Panel]) -> str:
    torus = _TORUS if picture.layout.around else ""
    style = _STYLE if picture.geometry.has_large_fields else _COLOUR
    if not panels[0].use:
        return _CAPTION.format(style=style, load=torus + _NO_LOAD)
    merged = any(len(block.hosts) > 1 for block in picture.network.blocks)
    load = _LOAD.format(
        busy=f"{100 * section.options.limits.busy_above:.3g}", merged=_MERGED if merged else "",
        named=_NAMED[len(panels[0].labels) > 1],
        kinds=_BOTH if any(panel.title == "Isolated" for panel in panels) else "",
    )  # fmt: skip
    return _CAPTION.format(style=style, load=torus + load)


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
