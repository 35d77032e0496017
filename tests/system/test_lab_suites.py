"""The suites' numbers on links whose rates are known."""

import json

import pytest
from lab_bench import RATE, settled

ACKNOWLEDGED = RATE / 8 / (1 + 66 / 1514)  # bytes/s of a link that carries both ways: a frame is answered by 66 bytes
B_EFF = "b_eff --rings 1,6 --polygons 2 --sizes 2MiB --best-of 1"


def b_eff(bench) -> float:
    """Bytes a second of all four hosts, with long messages alone."""
    protocol = bench.folder / "b_eff.jsonl"
    protocol.unlink(missing_ok=True)
    workload = f"[JOB_NAME] b\n[NID_LIST] 0-3\n[MOTIF] {B_EFF} --protocol {protocol}\n"
    bench.run(workload, "--isolated", "1", "--contended", "0", "--repetitions", "1", "--warmup", "0")
    evaluated = bench.stressbench("beff", "--from", protocol, "--json")
    assert evaluated.status == 0, evaluated.said
    return float(json.loads(evaluated.output)["b_eff"])


def test_b_eff_of_long_messages_is_what_the_links_carry(lab_up) -> None:
    tiny = lab_up("tiny")
    expected = 4 * ACKNOWLEDGED

    assert settled(lambda: b_eff(tiny), expected=expected, within=0.1) == pytest.approx(expected, rel=0.1)


def test_half_the_rate_is_half_of_b_eff(lab_up) -> None:
    tiny = lab_up("tiny")

    def ratio() -> float:
        tiny.set("hosts", "rate=full")
        full = b_eff(tiny)
        tiny.set("hosts", "rate=half")
        half = b_eff(tiny)
        tiny.set("hosts", "rate=full")
        return half / full

    assert settled(ratio, expected=0.5, within=0.05) == pytest.approx(0.5, rel=0.05)
