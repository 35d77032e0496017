"""Which links a frame takes, in each topology."""

import time

import pytest

from stressbench.labs.catalog import lab_file
from stressbench.labs.file import parse_lab, read_lab
from stressbench.labs.routing import cycle, path
from stressbench.labs.topology import Lab

RAIL = '[[rail]]\nrate = "1Gbit"\n'


def made(count: int, topology: str) -> Lab:
    text = f"[hosts]\ncount = {count}\n{RAIL}[topology]\n{topology}"
    return parse_lab(text, name="made", source="made.toml")


def way(lab: Lab, source: str, target: str, *, rail: int = 0) -> list[str]:
    return [link.name for link in path(lab, source, target, rail=rail)]


RING = made(6, 'kind = "ring"\nrate = "1Gbit"\n')
TORUS = made(9, 'kind = "torus"\ncolumns = 3\nrows = 3\nrate = "1Gbit"\n')
TWO_ROOTS = made(8, 'kind = "fat-tree"\nhosts_per_leaf = 2\nroots = 2\n')


def test_a_ring_is_gone_round_the_shorter_way() -> None:
    assert way(RING, "h0", "h2") == ["h0-s0", "s0-s1", "s1-s2", "h2-s2"]
    assert way(RING, "h0", "h5") == ["h0-s0", "s5-s0", "h5-s5"]


def test_a_torus_goes_along_the_row_first_then_along_the_column() -> None:
    assert way(TORUS, "h0", "h4") == ["h0-x0y0", "x0y0-x1y0", "x1y0-x1y1", "h4-x1y1"]
    assert way(TORUS, "h4", "h0") == ["h4-x1y1", "x0y1-x1y1", "x0y0-x0y1", "h0-x0y0"]
    assert way(TORUS, "h0", "h8") == ["h0-x0y0", "x2y0-x0y0", "x2y2-x2y0", "h8-x2y2"]  # round both ends


def test_a_torus_of_two_columns_has_one_link_between_them() -> None:
    flat = made(4, 'kind = "torus"\ncolumns = 2\nrows = 2\nrate = "1Gbit"\n')

    assert len(flat.links) == 4 + 4


def test_a_fat_tree_with_several_roots_chooses_by_the_destination() -> None:
    assert way(TWO_ROOTS, "h0", "h4")[1:3] == ["leaf0-root0", "leaf2-root0"]
    assert way(TWO_ROOTS, "h0", "h5")[1:3] == ["leaf0-root1", "leaf2-root1"]
    assert way(TWO_ROOTS, "h0", "h1") == ["h0-leaf0", "h1-leaf0"]


def test_uplinks_carry_the_hosts_rates_over_the_taper_shared_by_roots() -> None:
    tapered = made(8, 'kind = "fat-tree"\nhosts_per_leaf = 4\nroots = 2\ntaper = "4:1"\n')
    rates = {link.name: str(link.rate) for link in tapered.links}

    assert rates["leaf0-root0"] == "500Mbit"  # 4 x 1 Gbit / 4 / 2


def test_a_dragonfly_takes_one_link_between_groups_at_most() -> None:
    isambard = read_lab(lab_file("isambard"))
    groups = {link.name for link in isambard.links if link.name[:2] != link.name[5:7] and link.name.startswith("g")}

    crossed = [[name for name in way(isambard, "h0", f"h{number}") if name in groups] for number in range(1, 16)]

    assert len(groups) == 6  # one each pair of four
    assert [len(names) for names in crossed] == [0] * 3 + [1] * 12
    assert way(isambard, "h0", "h3") == ["h0-g0r0", "g0r0-g0r1", "h3-g0r1"]


def test_each_rail_has_its_own_ways() -> None:
    dual = read_lab(lab_file("dual-rail"))

    assert way(dual, "h0", "h1") == ["h0-s0", "h1-s0"]
    assert way(dual, "h0", "h1", rail=1) == ["h0-s0.1", "h1-s0.1"]


@pytest.mark.parametrize("name", ["tiny", "tinis", "dual-rail", "injection"])
def test_what_bridges_has_no_cycle(name: str) -> None:
    assert cycle(read_lab(lab_file(name))) == ()


def test_a_cycle_is_found() -> None:
    assert {link.name for link in cycle(RING)} == {f"s{number}-s{(number + 1) % 6}" for number in range(6)}


def test_a_cycle_is_found_quickly_among_many_links() -> None:
    switches = ", ".join(f'"s{number}"' for number in range(499))
    table = '[[link]]\nbetween = ["{}", "{}"]\nrate = "1Gbit"\n'
    chain = "".join(table.format(f"s{number}", f"s{number + 1}") for number in range(498))
    text = f'[hosts]\ncount = 1\n[topology]\nkind = "links"\nforwarding = "route"\nswitches = [{switches}]\n'
    lab = parse_lab(text + table.format("h0", "s0") + chain + table.format("s3", "s1"), name="made", source="made.toml")

    begin = time.process_time()
    found = cycle(lab)

    assert [link.name for link in found] == ["s2-s3", "s1-s2", "s3-s1"]
    assert time.process_time() - begin < 1


def test_no_switch_is_asked_to_pass_frames_through_a_host() -> None:
    for lab in (RING, TORUS, TWO_ROOTS):
        for target in lab.hosts[1:]:
            between = [link.ends for link in path(lab, "h0", target.name)][1:-1]
            assert all(lab.node(end.node).is_switch for ends in between for end in ends)
