"""Pictures of networks that are hard to read: a torus as a grid, places of labels, and hundreds of jobs and links."""

import random
import re
from itertools import product

import numpy as np
import pytest
from support.networks import large_run, large_torus, torus
from support.pages import Outline, figure

from stressbench.formats.topology import Network, NetworkLink
from stressbench.labs.networks import read_network
from stressbench.report.network.blocks import block_network
from stressbench.report.network.labels import Box, are_disjoint, box_around, covered, free_place
from stressbench.report.network.layout import NetworkLayout, Shape, layout_of
from stressbench.report.network.torus import torus_of
from stressbench.report.run import FORMATS
from stressbench.report.run.options import ReportOptions

render = FORMATS["html"]


def renamed(network: Network, *, seed: int) -> Network:
    """The same network with other names, its switches and links in another order."""
    rng = random.Random(seed)
    numbers = rng.sample(range(1000), len(network.switches))
    names = {old: f"S-{number:016x}" for old, number in zip(network.switches, numbers, strict=True)}
    links = [NetworkLink(a=names.get(link.a, link.a), b=names.get(link.b, link.b)) for link in network.links]
    switches = list(names.values())
    rng.shuffle(links)
    rng.shuffle(switches)
    return Network(name="n", hosts=network.hosts, switches=tuple(switches), links=tuple(links))


def placed(network: Network) -> NetworkLayout:
    return layout_of(block_network(network))


@pytest.mark.parametrize(("columns", "rows"), [(3, 3), (4, 4), (5, 3), (4, 2), (8, 6)])
def test_a_torus_of_a_lab_is_a_grid_with_its_columns_and_rows(columns: int, rows: int) -> None:
    layout = placed(torus(columns, rows))

    assert (layout.shape, layout.width, layout.height) == (Shape.grid, columns, rows)
    across = [layout.positions[f"x{x}y0"][0] for x in range(columns)]
    down = [layout.positions[f"x0y{y}"][1] for y in range(rows)]
    assert across == sorted(across)
    assert down == sorted(down, reverse=True)
    assert len(layout.around) == (rows if columns > 2 else 0) + (columns if rows > 2 else 0)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("columns", "rows"), [(3, 3), (4, 4), (5, 3), (4, 2), (3, 2), (7, 5)])
def test_a_torus_is_known_by_its_links_whatever_its_switches_are_called(columns: int, rows: int, seed: int) -> None:
    network = renamed(torus(columns, rows), seed=seed)
    layout = placed(network)

    assert layout.shape is Shape.grid
    assert sorted((layout.width, layout.height)) == sorted((columns, rows))
    assert len(set(layout.positions.values())) == len(layout.positions)
    switches = set(network.switches)
    for link in network.links:
        if {link.a, link.b} <= switches:
            (ax, ay), (bx, by) = layout.positions[link.a], layout.positions[link.b]
            around = (link.a, link.b) in layout.around or (link.b, link.a) in layout.around
            assert (round(abs(ax - bx) + abs(ay - by), 6) == 1) is not around


@pytest.mark.parametrize("lab", ["tinis", "isambard", "tiny", "dual-rail"])
def test_other_networks_are_no_torus(lab: str) -> None:
    assert torus_of(block_network(read_network(lab))) is None


def test_a_torus_with_one_link_moved_is_drawn_on_a_circle() -> None:
    network = torus(4, 3)
    links = [link for link in network.links if {link.a, link.b} != {"x0y0", "x1y0"}]
    changed = Network(
        name="n", hosts=network.hosts, switches=network.switches, links=(*links, NetworkLink(a="x0y0", b="x2y1"))
    )

    assert placed(changed).shape is Shape.circle


def test_hosts_of_a_torus_are_beside_their_switch_and_nobody_elses() -> None:
    layout = placed(torus(4, 3, per_switch=2))

    for x, y in product(range(4), range(3)):
        first = 2 * (4 * y + x)
        for host in (first, first + 1):
            dx = layout.positions[f"h{host}"][0] - layout.positions[f"x{x}y{y}"][0]
            dy = layout.positions[f"h{host}"][1] - layout.positions[f"x{x}y{y}"][1]
            assert 0 < dx < 0.7
            assert -0.7 < dy < 0


def test_a_box_covers_the_lines_that_cross_it() -> None:
    box = box_around((0.0, 0.0), width=2.0, height=1.0)
    lines = np.array([
        [-5.0, 0.0, 5.0, 0.0], [0.0, -5.0, 0.0, 5.0], [-5.0, -5.0, 5.0, 5.0],  # through its middle
        [0.2, 0.1, 0.3, 0.2],  # inside
        [-5.0, 0.6, 5.0, 0.6], [1.1, -5.0, 1.1, 5.0], [2.0, 0.0, 5.0, 0.0], [0.0, 3.0, 3.0, 0.0],  # beside it
    ])  # fmt: skip

    assert covered(box, lines) == 4
    assert [covered(box, lines[number : number + 1]) for number in range(8)] == [1, 1, 1, 1, 0, 0, 0, 0]


def test_a_label_is_where_it_covers_no_line_and_no_other_label_if_there_is_such_a_place() -> None:
    within = Box(left=0, bottom=0, right=4, top=4)
    fan = np.array([[2.0, 0.0, x, 3.0] for x in np.linspace(0, 4, 60)])
    other = Box(left=0, bottom=3.2, right=4, top=4)

    free = free_place((2.0, 1.5), width=1.2, height=0.5, within=within, segments=fan, boxes=(), labels=())
    assert covered(free, fan) == 0
    assert within.contains(free)

    beside = free_place((2.0, 1.5), width=1.2, height=0.5, within=within, segments=fan, boxes=(), labels=(other,))
    assert not beside.overlaps(other)


def test_a_label_stays_close_to_its_link_where_there_is_room() -> None:
    within = Box(left=0, bottom=0, right=8, top=4)
    line = np.array([[4.0, 0.0, 4.0, 4.0]])

    place = free_place((4.0, 2.0), width=1.0, height=0.4, within=within, segments=line, boxes=(), labels=())

    assert covered(place, line) == 0
    assert abs(place.centre[0] - 4.0) < 0.8


@pytest.mark.parametrize(("shift", "disjoint"), [(1.01, True), (0.99, False)])
def test_names_have_room_if_their_boxes_do_not_overlap(shift: float, disjoint: bool) -> None:
    boxes = [box_around((shift * number, 0.0), width=1.0, height=0.2) for number in range(5)]

    assert are_disjoint([*boxes[1:], boxes[0], box_around((0.0, 1.0), width=9.0, height=0.2)]) is disjoint


@pytest.fixture(scope="module")
def large_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    run = large_run(tmp_path_factory.mktemp("large"))
    return render([run], ReportOptions(network=large_torus()))


def test_200_jobs_on_1024_nodes_with_500_links_make_a_page_of_a_fair_size(large_page: str) -> None:
    Outline(large_page)
    assert len(large_page) < 5_000_000
    assert len(figure(large_page, "run1-network")) < 1_500_000


def test_a_picture_of_many_jobs_and_links_has_only_labels_that_fit(large_page: str) -> None:
    drawn = figure(large_page, "run1-network")
    texts = [text for text in re.findall(r"<text[^>]*>([^<]+)</text>", drawn) if text.strip()]

    assert texts.count("x9y9 → x9y10") == 2  # in both panels
    assert "4" not in texts  # numbers of hosts
    assert not [text for text in texts if re.fullmatch(r"x\d+y\d+|h\d+", text)]
    jobs = [text for text in texts if re.fullmatch(r"job\d+ \(5\)", text)]
    assert len(jobs) == 24
    assert "and 176 other jobs" in texts
    assert "1,024 hosts, 256 switches, 1,536 links" in drawn
