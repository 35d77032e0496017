"""`stressbench compress` on a lab: rings of the real motif load links as they should, and slow what needs them."""

import pytest
from support.lab_bench import job

from stressbench.sensitivity import read_profile, slowdown_of

RINGS = ("--partners", "3", "--messages", "1", "--bubbles", "200ms,12ms", "--levels", "all")
PROBES = ("--every", "20ms", "--idle", "4s", "--no-after", "--link", "100Mbit", "--packet", "42KiB")


@pytest.fixture(scope="module")
def levels(lab_up):
    """Profile of an exchange of long messages between all hosts, and its levels, the lightest first."""
    tiny = lab_up("tiny")
    workload = tiny.folder / "all.sb"
    workload.write_text(job("all", "0-3", "alltoall -s 64KiB") + "[REPEAT] 10\n", encoding="utf-8")
    ended = tiny.stressbench(
        "compress",
        "--on",
        "lab:tiny",
        "-n",
        "4",
        "--rounds",
        "8",
        *RINGS,
        *PROBES,
        "-o",
        "all.json",
        workload,
        timeout_s=300,
    )
    assert ended.status == 0, ended.said
    profile = read_profile(tiny.folder / "all.json")
    return profile, sorted(profile.levels, key=lambda one: -one.configuration.pause_s)


def test_a_ring_takes_the_share_of_links_that_its_messages_and_sleeps_make(levels) -> None:
    """Three messages of 40 KiB take 10.3 ms of a link, and a sleep of 200 or 12 ms goes on meanwhile."""
    _, (light, heavy) = levels

    assert light.links is not None
    assert heavy.links is not None
    assert max(light.links.values()) == pytest.approx(10.3 / 200, rel=0.25)
    assert 0.4 < max(heavy.links.values()) <= 1.0


def test_what_needs_the_links_is_slowed_more_by_the_busier_ring(levels) -> None:
    profile, (light, heavy) = levels
    slowed = [slowdown_of(profile.alone_s, one.times_s).centre for one in (light, heavy)]

    assert slowed[0] < slowed[1]
    assert slowed[1] > 1.2
    assert len(light.times_s) == len(profile.alone_s) == 8
