"""The network with the jobs on its hosts and the load of its links, isolated next to contended."""

import math
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import WIDTH_IN, canvas, finish, polygon_values
from stressbench.report.figures.placement import job_legend
from stressbench.report.names import printable, short
from stressbench.report.network.blocks import BlockNetwork, HostBlock, block_network
from stressbench.report.network.labels import Box, Segments, are_disjoint, box_around, free_place
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
_LEVEL_IN, _CIRCLE_IN, _LARGEST_CELL_IN = 0.85, 4.1, 1.1
_FIELD_HEIGHT, _BAR_HEIGHT, _GRID_FIELD_HEIGHT = 0.13, 0.42, 0.1
"""Extent of fields in levels or rows: of a host above and below its centre, of many hosts below it, and on a grid."""
_LEAST_CELL_IN = 0.5
"""The smallest cell of the grid whose fields have hatches and labels."""
_AROUND = 0.4
"""Length of the ends of a link that leads around an edge of the grid, in columns or rows."""
_MARGIN = 0.35
"""Free space around the circle, as a share of its radius."""
_LETTER_IN, _SMALL_LETTER_IN, _LINE_IN, _PADDING_IN = 0.075, 0.07, 0.16, 0.12
_HEADROOM_IN = 0.5
"""Space above the network for labels where there are many links."""
_LARGEST_LABEL = 18
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
    """One drawing of the network: the use of links, and their labels, by the keys of their ends."""

    title: str
    use: Mapping[tuple[str, str], float]
    labels: Mapping[tuple[str, str], str]


@dataclass(frozen=True, kw_only=True)
class _Picture:
    """What all panels share; `within` is what a panel shows, in units of the layout, `scale` inches for each unit."""

    network: BlockNetwork
    layout: NetworkLayout
    jobs_by_host: Mapping[str, tuple[int, ...]]
    style_of: Callable[[int], int]
    busy_above: float
    within: Box
    scale: tuple[float, float]

    def inches(self, point: Point) -> Point:
        """The point in inches."""
        return point[0] * self.scale[0], point[1] * self.scale[1]

    @cached_property
    def within_in(self) -> Box:
        """What a panel shows, in inches."""
        left, bottom = self.inches((self.within.left, self.within.bottom))
        right, top = self.inches((self.within.right, self.within.top))
        return Box(left=left, bottom=bottom, right=right, top=top)

    @cached_property
    def segments(self) -> Segments:
        """All links as lines in inches."""
        positions = self.layout.positions
        pairs = (pair for pair in self.network.links if pair[0] in positions and pair[1] in positions)
        lines = [line for pair in pairs for line in _lines(self.layout, pair)]
        return np.array([(*self.inches(a), *self.inches(b)) for a, b in lines]).reshape(-1, 4)

    @cached_property
    def switch_boxes(self) -> Mapping[str, Box]:
        """The boxes of switches with their names, in inches."""
        return {
            name: box_around(
                self.inches(self.layout.positions[name]), height=_LINE_IN,
                width=len(short(name, max_length=_LARGEST_LABEL)) * _LETTER_IN + _PADDING_IN,
            )
            for name in self.network.network.switches
            if name in self.layout.positions
        }  # fmt: skip

    @cached_property
    def named_switches(self) -> Set[str]:
        """Switches whose names are drawn: those of a level, if all of them have room; otherwise all or none."""
        if self.layout.shape is Shape.circle:
            return self.switch_boxes.keys() if are_disjoint(tuple(self.switch_boxes.values())) else frozenset()
        rows: dict[float, dict[str, Box]] = {}
        for name, box in self.switch_boxes.items():
            rows.setdefault(self.layout.positions[name][1], {})[name] = box
        fitting = [boxes.keys() for boxes in rows.values() if are_disjoint(tuple(boxes.values()))]
        if self.layout.shape is Shape.grid and len(fitting) < len(rows):
            return frozenset()
        return frozenset().union(*fitting)

    @property
    def has_large_fields(self) -> bool:
        """Whether the fields of hosts are large enough to tell hatches apart, and for numbers below them."""
        return self.layout.shape is not Shape.grid or self.scale[0] >= _LEAST_CELL_IN

    @cached_property
    def has_host_labels(self) -> bool:
        """Whether the names of all hosts, or their numbers, have room."""
        spans = self.layout.spans
        boxes = [
            box_around(
                self.inches(_field_label_at(self.layout, block, sum(spans[block.key]) / 2)),
                width=len(_field_text(block)) * _SMALL_LETTER_IN, height=_LINE_IN,
            )
            for block in self.network.blocks
            if block.key in spans
        ]  # fmt: skip
        return self.has_large_fields and are_disjoint(boxes)


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
    picture, height_in = _picture(section, network, layout, width_in=WIDTH_IN / columns)
    entries: list[Patch | Line2D] = [
        *job_legend(
            section, _hosts_by_job(section), style_numbers=_styles(section), is_hatched=picture.has_large_fields
        ),
        *(_load_legend(picture) if links else []),
    ]
    rows = len(panels) // columns
    fig = canvas(height_in=rows * (height_in + 0.3) + 0.24 * -(-len(entries) // _LEGEND_COLUMNS))
    for axes, panel in zip(fig.subplots(rows, columns, squeeze=False).flat, panels, strict=True):
        _draw_panel(axes, picture, panel)
    fig.legend(handles=_by_rows(entries), loc="outside lower left", ncols=_LEGEND_COLUMNS, fontsize=9, handleheight=1.3)
    return finish(
        fig, key=f"{section.key}-network", title=_title(section, network, named),
        caption=_caption(section, picture, panels),
        description=_description(section, network, links),
    )  # fmt: skip


def _picture(
    section: RunSection, network: BlockNetwork, layout: NetworkLayout, *, width_in: float
) -> tuple[_Picture, float]:
    """What the panels share, each `width_in` wide, and their height in inches."""
    headroom_in = _HEADROOM_IN if len(network.links) > _MANY_LINKS else 0.0
    if layout.shape is Shape.circle:
        most = BLOCK_RADIUS + _MARGIN
        within = Box(left=-most, bottom=-most, right=most, top=most)
        height_in = min(_CIRCLE_IN, width_in)
        scale = (height_in / (2 * most),) * 2
    elif layout.shape is Shape.grid:
        cell_in = min(_LARGEST_CELL_IN, width_in / (layout.width + 2 * _AROUND))
        top = layout.height + _AROUND + headroom_in / cell_in
        within = Box(left=-_AROUND, bottom=-_AROUND, right=layout.width + _AROUND, top=top)
        height_in, scale = cell_in * (within.top - within.bottom), (cell_in, cell_in)
    else:
        has_bars = any(len(block.hosts) > 1 for block in network.blocks)
        height_in = 0.55 + _LEVEL_IN * layout.height + headroom_in
        bottom, above = -0.75 if has_bars else -0.45, 0.3
        level_in = (height_in - headroom_in) / (layout.height + above - bottom)
        top = layout.height + above + headroom_in / level_in
        within = Box(left=-0.2, bottom=bottom, right=layout.width + 0.2, top=top)
        scale = (width_in / (within.right - within.left), level_in)
    picture = _Picture(
        network=network, layout=layout, jobs_by_host=section.jobs_by_host, style_of=section.style_of,
        busy_above=section.options.limits.busy_above, within=within, scale=scale,
    )  # fmt: skip
    return picture, height_in


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
    _draw_groups(axes, picture.layout)
    for block in picture.network.blocks:
        if block.key in picture.layout.spans:
            _draw_block(axes, picture, block)
    for switch in picture.network.network.switches:
        _draw_switch(axes, picture, switch)
    _draw_labels(axes, picture, panel)
    within = picture.within
    axes.set(xlim=(within.left, within.right), ylim=(within.bottom, within.top))
    if picture.layout.shape is not Shape.levels:
        axes.set_aspect("equal")


def _draw_links(axes: Axes, picture: _Picture, panel: _Panel) -> None:
    positions = picture.layout.positions
    pairs = [pair for pair in picture.network.links if pair[0] in positions and pair[1] in positions]
    pairs.sort(key=lambda pair: panel.use.get(pair, -1.0))  # busy links are drawn last
    drawn = [(line, pair) for pair in pairs for line in _lines(picture.layout, pair)]
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
        axes, [_target_around(picture, line) for line, _ in known],
        [f"{a}-{b}: {percent(panel.use[a, b])} % of the rate in use" for _, (a, b) in known],
    )  # fmt: skip


def _target_around(picture: _Picture, line: tuple[Point, Point]) -> tuple[Point, Point, Point, Point]:
    """The corners of a narrow rectangle around a line."""
    (ax, ay), (bx, by) = (picture.inches(end) for end in line)
    length = math.hypot(bx - ax, by - ay) or 1.0
    dx, dy = _TARGET_IN * (ay - by) / length, _TARGET_IN * (bx - ax) / length
    corners = ((ax + dx, ay + dy), (bx + dx, by + dy), (bx - dx, by - dy), (ax - dx, ay - dy))
    a, b, c, d = ((x / picture.scale[0], y / picture.scale[1]) for x, y in corners)
    return a, b, c, d


def _lines(layout: NetworkLayout, pair: tuple[str, str]) -> tuple[tuple[Point, Point], ...]:
    """The line of a link, or both of its ends if it leads around an edge of the grid."""
    (ax, ay), (bx, by) = (layout.positions[key] for key in pair)
    if pair not in layout.around:
        return (((ax, ay), (bx, by)),)
    dx, dy = math.copysign(_AROUND, ax - bx) * (ax != bx), math.copysign(_AROUND, ay - by) * (ay != by)
    return ((ax, ay), (ax + dx, ay + dy)), ((bx, by), (bx - dx, by - dy))


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
    y = picture.layout.positions[block.key][1]
    style_of = picture.style_of
    done = 0.0
    for job, hosts in shares.items():
        begin, end = (_FIELD_HEIGHT, -_BAR_HEIGHT) if is_bar else (first, last)
        part = (begin + (end - begin) * done / total, begin + (end - begin) * (done + hosts) / total)
        height = _GRID_FIELD_HEIGHT if picture.layout.shape is Shape.grid else _FIELD_HEIGHT
        field = _field(
            picture.layout, *((first, last) if is_bar else part), *(part if is_bar else (y + height, y - height))
        )
        _fill(field, None if job is None else style_of(job), is_hatched=picture.has_large_fields)
        axes.add_patch(field)
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


def _field(layout: NetworkLayout, first: float, last: float, upper: float, lower: float) -> Patch:
    """A field from `first` to `last`, along the circle or else along x, there from `upper` to `lower`."""
    if layout.shape is Shape.circle:
        return Wedge((0, 0), BLOCK_RADIUS + 0.08, first, last, width=0.16)
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


def _draw_field_label(axes: Axes, picture: _Picture, block: HostBlock, middle: float) -> None:
    """The name of a host, or the number of hosts, below the field or outside of the circle, if all have room."""
    if not picture.has_host_labels:
        return
    style: Any = {"fontsize": 7.5, "color": MUTED.placeholder, "ha": "center", "va": "center"}
    axes.text(*_field_label_at(picture.layout, block, middle), _field_text(block), **style)


def _field_label_at(layout: NetworkLayout, block: HostBlock, middle: float) -> Point:
    x, y = layout.positions[block.key]
    if layout.shape is Shape.circle:
        scale = 1 + 0.25 / BLOCK_RADIUS
        return x * scale, y * scale
    if layout.shape is Shape.grid:
        return middle, y - _GRID_FIELD_HEIGHT - 0.13
    return middle, -(_BAR_HEIGHT if len(block.hosts) > 1 else _FIELD_HEIGHT) - 0.16


def _field_text(block: HostBlock) -> str:
    return short(block.key, max_length=_LARGEST_LABEL) if len(block.hosts) == 1 else f"{len(block.hosts):,}"


def _draw_switch(axes: Axes, picture: _Picture, switch: str) -> None:
    if switch not in picture.layout.positions:
        return
    x, y = picture.layout.positions[switch]
    if switch in picture.named_switches:
        box = {**_LABEL_BOX, "facecolor": BACKGROUND.placeholder, "edgecolor": FOREGROUND.placeholder}
        name = short(switch, max_length=_LARGEST_LABEL)
        axes.text(x, y, name, ha="center", va="center", fontsize=8, color=FOREGROUND.placeholder, bbox=box, zorder=4)
    else:
        axes.plot(
            x, y, "s", color=BACKGROUND.placeholder, markeredgecolor=FOREGROUND.placeholder, markeredgewidth=0.7,
            markersize=4, zorder=4,
        )  # fmt: skip


def _draw_labels(axes: Axes, picture: _Picture, panel: _Panel) -> None:
    """The labels of links, each where it covers the fewest lines and names, with a line to its link."""
    if not panel.labels:
        return
    box = {**_LABEL_BOX, "facecolor": BACKGROUND.placeholder, "edgecolor": MUTED.placeholder, "alpha": 0.92}
    segments, taken = picture.segments, list(picture.switch_boxes.values())
    places: list[Box] = []
    for link, text in panel.labels.items():
        begin, end = _lines(picture.layout, link)[0]
        middle = (begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2
        lines = text.splitlines()
        place = free_place(
            picture.inches(middle), width=max(map(len, lines)) * _LETTER_IN + _PADDING_IN,
            height=len(lines) * _LINE_IN + _PADDING_IN, within=picture.within_in, segments=segments, boxes=taken,
            labels=places,
        )  # fmt: skip
        places.append(place)
        x, y = place.centre
        axes.annotate(
            text, middle, xytext=(x / picture.scale[0], y / picture.scale[1]), textcoords="data", ha="center",
            va="center", fontsize=8, color=FOREGROUND.placeholder, bbox=box, zorder=5,
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
    style = _STYLE if picture.has_large_fields else _COLOUR
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
