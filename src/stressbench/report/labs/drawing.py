"""Drawing of a lab as SVG: line widths show the rates of links, colours their utilisation. Pure."""

import math
from collections.abc import Iterable, Mapping
from html import escape

from stressbench.formats.units import Rate
from stressbench.labs.layout import Layout, Point, layout
from stressbench.labs.status import LinkDirection
from stressbench.labs.topology import Lab, Link, Node, NodeKind
from stressbench.report.palette import BACKGROUND, FOREGROUND, FULL, GRID_LINE, MUTED, UTILISATION, custom_properties
from stressbench.report.units import size

_WIDEST, _NARROWEST = 9.0, 1.5
_LEGEND = 64.0
_TONES = (FOREGROUND, MUTED, GRID_LINE, BACKGROUND, *UTILISATION)
_STYLE = f"""\
svg{{{custom_properties(_TONES, dark=False)}font-family:system-ui,sans-serif;font-size:12px}}
@media(prefers-color-scheme:dark){{svg{{{custom_properties(_TONES, dark=True)}}}}}
.paper{{fill:var({BACKGROUND.variable})}}
text{{fill:var({FOREGROUND.variable});text-anchor:middle;dominant-baseline:central}}
.muted{{fill:var({MUTED.variable});font-size:10px}}.left{{text-anchor:start}}
.node{{fill:var({GRID_LINE.variable});stroke:var({MUTED.variable});stroke-width:1.3}}"""


def draw(lab: Lab, loads: Iterable[LinkDirection] = (), *, seconds: float | None = None) -> str:
    """Draw the lab as SVG. `loads` are the directions of its links if it is up, measured over `seconds`."""
    placed = layout(lab)
    load_by_direction = {(load.link, load.source): load for load in loads}
    height = placed.height + _LEGEND
    width = max(placed.width, 360.0)
    body = [_link(link, placed, load_by_direction, lab) for link in lab.links]
    body += [_node(node, placed.positions[node.name]) for node in lab.nodes]
    body.append(_legend(lab, width, placed.height, seconds=seconds if load_by_direction else None))
    title = f"Lab {lab.name}: {len(lab.hosts)} hosts, {len(lab.switches)} switches, {len(lab.links)} links"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style>"
        f'<rect class="paper" width="100%" height="100%"/>{"".join(body)}</svg>\n'
    )


def _width(rate: Rate, widest: Rate) -> float:
    return max(_NARROWEST, _WIDEST * math.sqrt(rate.bits_per_s / widest.bits_per_s) / 2)


def colour_of(use: float | None) -> str:
    """Colour of a utilisation (0 to 1): grey if it is unknown or below 1 %, then blue to red."""
    last = len(UTILISATION) - 1
    number = 0 if use is None or use < 0.01 else min(last, 1 + int(use * last))
    return f"var({UTILISATION[number].variable})"


def _link(link: Link, placed: Layout, loads: Mapping[tuple[str, str], LinkDirection], lab: Lab) -> str:
    """SVG of a link as two halves; the half at each end shows the direction that starts at this end."""
    widest = max(one.rate for one in lab.links)
    a, b = placed.positions[link.a.node], placed.positions[link.b.node]
    middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
    forward, backward = loads.get((link.name, link.a.node)), loads.get((link.name, link.b.node))
    halves = _half(a, middle, forward, _width(link.rate, widest)) + _half(
        b, middle, backward, _width(link.rate, widest)
    )
    return f"<g><title>{escape(_tooltip(link, forward, backward))}</title>{halves}</g>"


def _half(start: Point, end: Point, load: LinkDirection | None, width: float) -> str:
    down = load is not None and not load.is_up
    colour = f"var({FULL.variable})" if down else colour_of(load.use if load is not None else None)
    dashes = ' stroke-dasharray="4 5"' if down else ""
    return (
        f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" '
        f'stroke="{colour}" stroke-width="{width:.1f}"{dashes}/>'
    )


def _tooltip(link: Link, forward: LinkDirection | None, backward: LinkDirection | None) -> str:
    lines = [f"{link.name}: {link.rate} each way"]
    for load in (forward, backward):
        if load is not None:
            use = "" if load.use is None else f", {load.use:.0%} in use"
            state = "" if load.is_up else ", down"
            lines.append(f"from {load.source}: {size(load.bytes)} sent{use}, {load.drops} drops{state}")
    return "\n".join(lines)


def _node(node: Node, position: Point) -> str:
    x, y = position
    label = f'<text x="{x:.1f}" y="{y:.1f}">{escape(node.name)}</text>'
    if node.is_switch:
        width = max(46.0, 8.0 * len(node.name) + 12)
        shape = f'<rect class="node" x="{x - width / 2:.1f}" y="{y - 13:.1f}" width="{width:.1f}" height="26" rx="4"/>'
    elif node.kind is NodeKind.io:
        points = " ".join(
            f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in ((-22, 15), (-22, -9), (0, -20), (22, -9), (22, 15))
        )
        shape = f'<polygon class="node" points="{points}"/>'
    else:
        shape = f'<circle class="node" cx="{x:.1f}" cy="{y:.1f}" r="18"/>'
    return shape + label


def _legend(lab: Lab, width: float, top: float, *, seconds: float | None) -> str:
    title = f"lab {lab.name} ({lab.shape}): circles are hosts, boxes switches; a link is as wide as its rate"
    parts = [f'<text class="muted left" x="16" y="{top + 8:.0f}">{escape(title)}</text>']
    if seconds is None:
        return parts[0]
    step = (width - 32) / len(UTILISATION)
    names = ("idle", "to 20 %", "to 40 %", "to 60 %", "to 80 %", "full")
    for number, (tone, name) in enumerate(zip(UTILISATION, names, strict=True)):
        x = 16 + number * step
        fill = f"var({tone.variable})"
        parts.append(f'<rect x="{x:.1f}" y="{top + 22:.1f}" width="{step - 4:.1f}" height="7" fill="{fill}"/>')
        parts.append(f'<text class="muted left" x="{x:.1f}" y="{top + 38:.1f}">{name}</text>')
    caption = f"what each end sent in {seconds:g} s, of the link's rate"
    parts.append(f'<text class="muted left" x="16" y="{top + 53:.1f}">{caption}</text>')
    return "".join(parts)
