"""Names in pictures of networks, from their boxes: labels of links cover no other label, host or switch."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from support.builders import MadeJob, MadePlan
from support.networks import Loads, run_on

from stressbench.formats.run import read_run
from stressbench.formats.topology import Network, NetworkLink
from stressbench.labs.file import parse_lab
from stressbench.labs.networks import network_of_lab, read_network
from stressbench.report.drawing import style
from stressbench.report.figures.network import draw
from stressbench.report.network.blocks import block_network
from stressbench.report.network.geometry import Geometry, geometry_of
from stressbench.report.network.labels import Box
from stressbench.report.network.layout import Shape, layout_of
from stressbench.report.plotting import Canvas
from stressbench.report.run.section import section_of

WIDTH_IN, WHOLE_WIDTH_IN, MANY_SLOTS = 4.08, 8.28, 20
"""Of one of two panels side by side, and of one below the other, for many hosts on levels."""
LAB = """\
[hosts]
count = {hosts}
[[rail]]
rate = "1Gbit"
[topology]
kind = "{kind}"
{keys}
"""
DRAGONFLY = 'groups = {groups}\nrouters_per_group = {routers}\nhosts_per_router = 2\nlocal_rate = "1Gbit"\n'
MADE = {
    "two-leaves": LAB.format(hosts=8, kind="fat-tree", keys="hosts_per_leaf = 4"),
    "fat-tree": LAB.format(hosts=32, kind="fat-tree", keys="hosts_per_leaf = 4\nroots = 2"),
    "large-fat-tree": LAB.format(hosts=64, kind="fat-tree", keys="hosts_per_leaf = 8\nroots = 4"),
    "one-switch": LAB.format(hosts=6, kind="single", keys=""),
    "ring": LAB.format(hosts=10, kind="ring", keys='rate = "1Gbit"'),
    "torus": LAB.format(hosts=12, kind="torus", keys='columns = 4\nrows = 3\nrate = "1Gbit"'),
    "dragonfly": LAB.format(
        hosts=24, kind="dragonfly", keys=DRAGONFLY.format(groups=4, routers=3) + 'global_rate = "1Gbit"'
    ),
}
SHIPPED = ("isambard", "tinis", "tiny", "cab", "dual-rail")
NETWORKS = (*SHIPPED, *MADE)
CROWDED_HOSTS, CROWDED_SWITCHES = {"tinis"}, {"large-fat-tree"}
"""Networks in whose pictures not all names of hosts have room, and not all names of switches."""


def network_called(name: str) -> Network:
    if name in MADE:
        return network_of_lab(parse_lab(MADE[name], name=name, source=f"{name}.toml"))
    return read_network(name)


def geometry(network: Network, labels: dict[tuple[str, str], str]) -> Geometry:
    blocks = block_network(network)
    layout = layout_of(blocks)
    wide = layout.shape is Shape.levels and layout.width > MANY_SLOTS
    return geometry_of(blocks, layout, width_in=WHOLE_WIDTH_IN if wide else WIDTH_IN, labels=[labels])


def overlapping(boxes: Sequence[Box]) -> list[tuple[Box, Box]]:
    return [
        (one, other)
        for one, other in combinations(boxes, 2)
        if min(one.right, other.right) > max(one.left, other.left)
        and min(one.top, other.top) > max(one.bottom, other.bottom)
    ]


@pytest.mark.parametrize("name", NETWORKS)
def test_labels_of_any_two_links_cover_no_name(name: str) -> None:
    network = network_called(name)
    links = list(block_network(network).links)

    for number in range(0, len(links), 3):
        pair = links[number], links[(number + len(links) // 2) % len(links)]
        labels = {(a, b): f"{a} → {b}\n100 %" for a, b in pair}
        drawn = geometry(network, labels)
        places = drawn.label_places(labels)

        assert overlapping([*drawn.texts, *places.values()]) == [], pair
        assert all(drawn.within_in.contains(place) for place in places.values())
        assert drawn.has_host_labels is (name not in CROWDED_HOSTS)
        assert (drawn.named_switches == set(network.switches)) is (name not in CROWDED_SWITCHES)


def test_where_a_picture_is_full_labels_are_above_it() -> None:
    """Sixteen switches with long names around a circle leave no room in the middle."""
    names = tuple(f"switch-of-rack-{number:02}" for number in range(16))
    hosts = tuple(f"n{number}" for number in range(16))
    links = [NetworkLink(a=host, b=name) for host, name in zip(hosts, names, strict=True)]
    links += [NetworkLink(a=a, b=b) for a, b in combinations(names, 2)]
    network = Network(name="full", hosts=hosts, switches=names, links=tuple(links))
    long = "\n".join(["switch-of-rack-00 → switch-of-rack-01", "70 %"] * 4)
    labels = {(names[0], names[1]): long, (names[2], names[3]): long}

    crowded = geometry(network, {})
    drawn = geometry(network, labels)

    assert not crowded.has_room_for(labels)
    assert drawn.height_in > crowded.height_in
    assert overlapping([*drawn.texts, *drawn.label_places(labels).values()]) == []
    assert all(drawn.within_in.contains(place) for place in drawn.label_places(labels).values())


def test_names_of_hosts_are_left_out_where_they_would_cover_those_of_switches() -> None:
    hosts = tuple(f"node-with-a-long-name-{number}" for number in range(40))
    links = [NetworkLink(a=host, b=f"s{number // 4}") for number, host in enumerate(hosts)]
    links += [NetworkLink(a=f"s{number}", b=f"s{(number + 1) % 10}") for number in range(10)]
    switches = tuple(f"s{number}" for number in range(10))
    drawn = geometry(Network(name="ring", hosts=hosts, switches=switches, links=tuple(links)), {})

    assert drawn.layout.shape is Shape.circle
    assert not drawn.has_host_labels
    assert overlapping(drawn.texts) == []


BUSY: dict[str, tuple[str, str]] = {
    "isambard": ("g0r0", "g0r1"), "tinis": ("leaf0", "root0"), "two-leaves": ("leaf0", "root0"),
    "one-switch": ("h0", "s0"), "fat-tree": ("leaf3", "root1"), "large-fat-tree": ("leaf2", "root1"),
}  # fmt: skip


def text_boxes(canvas: Canvas) -> Iterator[tuple[str, Box]]:
    """The texts of each panel and their boxes in pixels, as Matplotlib measures them."""
    renderer = FigureCanvasAgg(canvas).get_renderer()
    canvas.draw(renderer)
    for axes in canvas.axes:
        for text in axes.texts:
            at = Text.get_window_extent(text, renderer)  # without the line from a label to its link
            yield text.get_text(), Box(left=at.x0, bottom=at.y0, right=at.x1, top=at.y1)


@pytest.mark.parametrize("name", BUSY)
def test_no_text_of_a_drawn_network_covers_another(name: str, tmp_path: Path) -> None:
    network, busy = network_called(name), BUSY[name]
    last = len(network.hosts) - 1
    jobs = (MadeJob(name="cg", congestion=1.4, nodes=f"0-{last}:2"), MadeJob(name="fft", nodes=f"1-{last}:2"))
    other = next((a, b) for a, b in ((one.a, one.b) for one in network.links) if (a, b) != busy)
    loads: Loads = {busy: (0.4, 0.4), other: (0.0, 0.9)}
    run = read_run(run_on(network, jobs, loads, plan=MadePlan(blocks=6)).write(tmp_path))

    with style():
        figure = draw(section_of(run, number=1))
        assert figure is not None
        assert isinstance(figure.canvas, Canvas)
        found = list(text_boxes(figure.canvas))
    named = [text for text, _ in found if " → " in text]
    assert len(named) == 4  # two links in two panels
    assert overlapping([box for _, box in found]) == []
    width, height = figure.canvas.get_size_inches() * figure.canvas.dpi
    page = Box(left=0, bottom=0, right=float(width), top=float(height))
    assert [text for text, box in found if not page.contains(box)] == []
