"""Injection bandwidth on labs: streams lose what the rate loses, what is bound by latency does not."""

import json

import pytest
from support.lab_bench import STREAM, isolated_s, job, settled
from support.programs import CHECKOUT

FACTORS = (1, 2, 4, 8)
PAIRS = tuple(f"{2 * pair},{2 * pair + 1}" for pair in range(len(FACTORS)))  # of `injection`, the full rate first


@pytest.mark.parametrize("factor", FACTORS[1:])
def test_a_stream_between_slower_cards_takes_as_much_longer(lab_up, factor) -> None:
    injection = lab_up("injection")
    workload = job("full", PAIRS[0], STREAM) + job("slow", PAIRS[FACTORS.index(factor)], STREAM)

    def ratio() -> float:
        found = injection.run(workload, "--isolated", "1", "--contended", "0", "--repetitions", "4")
        return isolated_s(found, 1) / isolated_s(found, 0)

    assert settled(ratio, expected=factor, within=0.05) == pytest.approx(factor, rel=0.05)


def test_a_pingpong_of_small_messages_hardly_notices_half_the_rate(lab_up) -> None:
    """One at a time: of fast processors, one after the other come near to half the rate themselves."""
    injection = lab_up("injection")
    workload = "".join(job(f"at{number}", PAIRS[number], "pingpong -s 8 -i 1") for number in range(2))

    def ratio() -> float:
        found = injection.run(workload, "--isolated", "3", "--contended", "0", "--repetitions", "100")
        return isolated_s(found, 1) / isolated_s(found, 0)

    assert settled(ratio, expected=1, within=0.1) < 1.1


def test_degrade_tells_the_factor_of_a_stream_at_each_rate(lab_up) -> None:
    tiny = lab_up("tiny")
    words = ("degrade", "run", CHECKOUT / "workloads" / "degrade.sb", "--set", "pattern=stream", "--set", "nodes=2")
    options = ("-n", "2", "--on", "lab:tiny", "--isolated", "4", "--repetitions", "2", "-o", "stream")

    ran = tiny.stressbench(*words, *options)
    assert ran.status == 0, ran.said
    told = tiny.stressbench("degrade", "report", "stream", "--format", "json")

    assert told.status == 0, told.said
    curve = next(one for one in json.loads(told.output)["curves"] if one["motif"] is None)
    assert [one["factor"]["ratio"] for one in curve["points"][1:]] == [
        pytest.approx(by, rel=0.05) for by in FACTORS[1:]
    ]
