"""The suites' numbers on links whose rates are known."""

import json

import pytest
from support.lab_bench import RATE, SERVED, require_storage, settled

ACKNOWLEDGED = RATE / 8 / (1 + 66 / 1514)  # bytes/s of a link that carries both ways: a frame is answered by 66 bytes
B_EFF = "b_eff --rings 1,6 --polygons 1 --sizes 2MiB --best-of 1"


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


def test_b_eff_io_of_a_lab_takes_a_minute_and_writes_no_faster_than_its_links(lab_up) -> None:
    """Four hosts to two I/O nodes behind one link each; every byte that is read is looked at."""
    require_storage()
    served = lab_up("suites-io", SERVED)
    options = ("-T", "60s", "--mpart", "2MiB", "--verify", "--json")
    measured = served.stressbench("beff-io", "--on", "lab:suites-io", *options, timeout_s=300)
    assert measured.status == 0, measured.said
    found = json.loads(measured.output)

    assert 54 < found["elapsed_s"] < 90  # 62 on a quiet machine; a busy one makes the last calls longer
    (partition,) = found["partitions"]
    write = next(one for one in partition["accesses"] if one["access"] == "write")
    assert 0 < write["value"] < 2 * RATE / 8
    assert [one["pattern_type"] for one in write["types"]] == [0, 1, 2, 3, 4]
