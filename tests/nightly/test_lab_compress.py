"""`stressbench compress` on a lab: rings of the real motif load links as they should, and slow what needs them."""

import pytest
from support.lab_bench import job
from support.measured import Tolerated, at_least, reported_ratio

from stressbench.formats.profiles.profile import read_profile
from stressbench.interference.profile_analysis import slowdown_interval

RINGS = ("--partners", "3", "--messages", "1", "--bubbles", "67ms,4ms", "--levels", "all")
PROBES = ("--every", "20ms", "--idle", "4s", "--no-after", "--link", "100Mbit", "--packet", "42KiB")


@pytest.fixture(scope="module")
def levels(lab_up, samples):
    """Profile of an exchange of long messages between all hosts, and its levels, the lightest first."""
    tiny = lab_up("tiny")
    workload = tiny.folder / "all.sb"
    workload.write_text(job("all", "0-3", "alltoall -s 64KiB") + "[REPEAT] 10\n", encoding="utf-8")
    words = ("compress", "--on", "lab:tiny", "-n", "4", "--rounds", str(samples))
    ended = tiny.stressbench(*words, *RINGS, *PROBES, "-o", "all.json", workload, timeout_s=900)
    assert ended.status == 0, ended.text
    profile = read_profile(tiny.folder / "all.json")
    return profile, sorted(profile.levels, key=lambda one: -one.configuration.pause_s)


def test_a_ring_takes_the_share_of_links_that_its_messages_and_sleeps_make(levels, measured) -> None:
    """A message of 40 KiB takes 3.44 ms of a link, and a sleep of 67 or 4 ms follows to each of three partners.

    A sample is one end of one link, all of which carry the ring. A quarter: sleeps end late, acknowledgements count.
    """
    _, (light, heavy) = levels

    assert len(light.links) == len(heavy.links) == 8
    measured.median("use of links, sleeps of 67 ms", [*light.links.values()], expected=3.44 / 67, within=0.25)
    tolerated = Tolerated(low=0.4, high=1.0, expected=3.44 / 4)
    measured.bounded("use of links, sleeps of 4 ms", [*heavy.links.values()], tolerated)


def test_what_needs_the_links_is_slowed_more_by_the_busier_ring(levels, measured, samples) -> None:
    """A fifth: what an exchange that fills its links must lose at least to a ring that fills them by half."""
    profile, (light, heavy) = levels
    slowed = {one.configuration.pause_s: slowdown_interval(profile.alone_s, one.times_s) for one in (light, heavy)}

    assert len(light.times_s) == len(heavy.times_s) == len(profile.alone_s) == samples
    more = slowdown_interval(light.times_s, heavy.times_s)
    reported = {
        "slow-down by the busier ring": (slowed[heavy.configuration.pause_s], at_least(1.2)),
        "time beside the busier ring over the other": (more, at_least(1.0)),
    }
    measured.judge(
        reported_ratio(name, {"ratio": one.centre, "low": one.low, "high": one.high}, samples, tolerated)
        for name, (one, tolerated) in reported.items()
    )
