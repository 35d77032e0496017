"""`stressbench corun` on a lab: slowdowns that follow from links that programs share, or do not share."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from support.lab_bench import STREAM, TAPERED, Bench
from support.schemas import schema_faults

REPETITIONS = "18"
"""Of 2 MiB: about 3 s at the rate of the links."""


@pytest.fixture(scope="module")
def lab(lab_up) -> Bench:
    """Two hosts on each of two leaf switches, whose uplink has the rate of one host."""
    return lab_up("corun", TAPERED)


def corun(lab: Bench, *options: str, motif: str = STREAM, repetitions: str = REPETITIONS) -> Mapping[str, Any]:
    """A motif, which is a stream, beside the same one."""
    options_of_motif = f"{motif} --iterations 1 --repetitions {repetitions} --warmup 0"
    program = (str(lab.program), "motif", *options_of_motif.split())
    words = ("corun", "--on", f"lab:{lab.name}", "-n", "2", "--executions", "1", "--min-overlap", "50%", *options)
    ended = lab.stressbench(*words, "--names", "one,other", "--json", "--", *program, "++", *program, timeout_s=900)
    assert ended.status == 0, ended.text
    found: dict[str, Any] = json.loads(ended.output)
    assert schema_faults("corun", found) == []
    return found


def slowdowns(found: Mapping[str, Any]) -> list[tuple[float, float]]:
    """Of each execution of the first program that counts: its overlap, and its time over the isolated one."""
    own = [one for one in found["executions"] if one["program"] == "one" and one["counts"]]
    isolated = {one["block"]: one["value_s"] for one in own if not one["beside"]}
    beside = {one["block"]: one for one in own if one["beside"]}  # one for each block: they are independent
    return [(one["overlap"], one["value_s"] / isolated[block]) for block, one in beside.items()]


def test_streams_that_share_a_link_get_half_of_it_while_both_run(lab, measured, samples) -> None:
    """During the overlap o each gets half of the uplink, so that the slowdown is 1 / (1 - o/2). 5 %: as of a stream."""
    found = corun(lab, "--nodes", "interleaved", "--blocks", str(samples))

    ratios = [ratio * (1 - overlap / 2) for overlap, ratio in slowdowns(found)]
    measured.median("slowdown beside a stream over that of the shared link", ratios, expected=1, within=0.05)
    use = {(one["source"], one["target"]): one["contended"] for one in found["links"]}
    sent = use["h0", "leaf0"] + use["h1", "leaf0"]  # links of one rate: all that the hosts send crosses the uplink
    assert use["leaf0", "root0"] == pytest.approx(sent, rel=0.05)


def test_streams_on_switches_of_their_own_do_not_slow_each_other(lab, measured, samples) -> None:
    found = corun(lab, "--nodes", "disjoint", "--blocks", str(samples))

    ratios = [ratio for _, ratio in slowdowns(found)]
    measured.median("slowdown beside a stream on another switch", ratios, expected=1, within=0.05)


def test_programs_that_compute_have_cores_of_their_own(lab, measured, samples) -> None:
    """Each takes 0.2 s of processor time on each of its two hosts. With all cores in common, it is slowed by two."""
    found = corun(
        lab, "--nodes", "disjoint", "--blocks", str(samples), motif="compute -m 200000000 --mode cpu", repetitions="10"
    )

    ratios = [ratio for _, ratio in slowdowns(found)]
    measured.median("slowdown beside a program that computes", ratios, expected=1, within=0.05)
