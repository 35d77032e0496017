"""The picture of a lab."""

import itertools
import math
import xml.etree.ElementTree as ET

import pytest

from stressbench.labs.catalog import lab_file, shipped
from stressbench.labs.file import parse_lab, read_lab
from stressbench.labs.layout import layout
from stressbench.labs.status import LinkDirection
from stressbench.labs.topology import Lab
from stressbench.report.labs.drawing import colour_of, draw

SVG = "{http://www.w3.org/2000/svg}"
TORUS = """
[hosts]
count = 18
[[rail]]
rate = "1Gbit"
[topology]
kind = "torus"
columns = 3
rows = 3
hosts_per_switch = 2
rate = "1Gbit"
"""


def labs() -> list[Lab]:
    return [*(read_lab(lab_file(name)) for name in shipped()), parse_lab(TORUS, name="torus", source="torus.toml")]


def load(source: str, target: str, *, use: float, is_up: bool = True) -> LinkDirection:
    return LinkDirection(
        link="h0-s0", source=source, target=target, rate_bits_per_s=100_000_000, is_up=is_up,
        bytes=5 * 2**20, frames=1, drops=3, waiting_bytes=0, use=use,
    )  # fmt: skip


@pytest.mark.parametrize("lab", labs(), ids=lambda lab: lab.name)
def test_every_node_and_link_is_drawn_and_no_two_nodes_touch(lab: Lab) -> None:
    drawn = ET.fromstring(draw(lab))
    placed = layout(lab)

    assert {text.text for text in drawn.iter(f"{SVG}text")} >= {node.name for node in lab.nodes}
    assert len(list(drawn.iter(f"{SVG}g"))) == len(lab.links)
    assert placed.positions.keys() == {node.name for node in lab.nodes}
    assert min(math.dist(a, b) for a, b in itertools.combinations(placed.positions.values(), 2)) > 40
    assert all(0 < x < placed.width and 0 < y < placed.height for x, y in placed.positions.values())


def test_each_half_of_a_link_shows_what_its_end_sends() -> None:
    loads = (load("h0", "s0", use=1.0), load("s0", "h0", use=0.0))

    picture = draw(read_lab(lab_file("tiny")), loads, seconds=1.0)
    halves = [line.attrib["stroke"] for line in ET.fromstring(picture).find(f"{SVG}g").iter(f"{SVG}line")]

    assert halves == [colour_of(1.0), colour_of(0.0)]
    assert "from h0: 5 MiB sent, 100% in use, 3 drops" in picture


def test_a_link_that_is_down_is_dashed() -> None:
    picture = draw(read_lab(lab_file("tiny")), (load("h0", "s0", use=0.0, is_up=False),))

    assert picture.count("stroke-dasharray") == 1


def test_load_has_a_colour_of_its_own_in_each_fifth() -> None:
    colours = [colour_of(use) for use in (None, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0, 1.1)]

    assert len(set(colours)) == 6
    assert colours[-1] == colours[-2] == colours[-3]
