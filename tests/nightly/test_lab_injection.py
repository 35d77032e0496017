"""Injection bandwidth on labs: streams lose what the rate loses, what is bound by latency does not."""

import json

import pytest
from support.lab_bench import STREAM, isolated, isolated_ratios, job
from support.measured import around, at_most, reported_ratio
from support.programs import CHECKOUT

FACTORS = (1, 2, 4, 8)
PAIRS = tuple(f"{2 * pair},{2 * pair + 1}" for pair in range(len(FACTORS)))  # of `injection`, the full rate first


@pytest.mark.parametrize("factor", FACTORS[1:])
def test_a_stream_between_slower_nics_takes_as_much_longer(lab_up, measured, samples, factor) -> None:
    """5 %: two streams, each within 3 % of its rate."""
    workload = job("full", PAIRS[0], STREAM) + job("slow", PAIRS[FACTORS.index(factor)], STREAM)

    found = lab_up("injection").run(workload, *isolated(samples))

    ratios = isolated_ratios(found, 1, over=0)
    measured.median("time between slower NICs over time at the full rate", ratios, expected=factor, within=0.05)


def test_a_pingpong_of_small_messages_hardly_notices_half_the_rate(lab_up, measured, samples) -> None:
    """One at a time: of fast processors, one after the other come near to half the rate themselves.

    A tenth: what a frame of 100 bytes takes longer on the wire, 8 us, of a round trip's 100 us.
    """
    workload = "".join(job(f"at{number}", PAIRS[number], "pingpong -s 8 -i 1") for number in range(2))

    found = lab_up("injection").run(workload, *isolated(samples, repetitions=100))

    ratios = isolated_ratios(found, 1, over=0)
    measured.bounded("time at half the rate over time at the full rate", ratios, at_most(1.1))


def test_degrade_tells_the_factor_of_a_stream_at_each_rate(lab_up, measured, samples) -> None:
    """5 %: as of a stream. The intervals are the report's own, of so many rounds at each rate."""
    tiny = lab_up("tiny")
    words = ("degrade", "run", CHECKOUT / "workloads" / "degrade.sb", "--set", "pattern=stream", "--set", "nodes=2")
    options = ("-n", "2", "--on", "lab:tiny", "--isolated", str(samples), "--repetitions", "2", "-o", "stream")

    ran = tiny.stressbench(*words, *options, timeout_s=900)
    assert ran.status == 0, ran.text
    reported = tiny.stressbench("degrade", "report", "stream", "--format", "json")

    assert reported.status == 0, reported.text
    curve = next(one for one in json.loads(reported.output)["curves"] if one["motif"] is None)
    assert len(curve["points"]) == len(FACTORS)
    measured.judge(
        reported_ratio(f"factor at 1/{by} of the rate", point["factor"], samples, around(by, within=0.05))
        for by, point in zip(FACTORS[1:], curve["points"][1:], strict=True)
    )
