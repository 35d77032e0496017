"""The suites' numbers on links whose rates are known."""

import json

from support.lab_bench import RATE, SERVED, require_storage

ACKNOWLEDGED = RATE / 8 / (1 + 66 / 1514)  # bytes/s of a link that carries both ways: a frame is answered by 66 bytes
B_EFF = "b_eff --rings 1,6 --polygons 1 --sizes 2MiB --best-of 1"


def b_eff(bench) -> float:
    """Bytes a second of all four hosts, with long messages alone."""
    protocol = bench.folder / "b_eff.jsonl"
    protocol.unlink(missing_ok=True)
    workload = f"[JOB_NAME] b\n[NID_LIST] 0-3\n[MOTIF] {B_EFF} --protocol {protocol}\n"
    bench.run(workload, "--isolated", "1", "--contended", "0", "--repetitions", "1", "--warmup", "0")
    evaluated = bench.stressbench("beff", "--from", protocol, "--json")
    assert evaluated.status == 0, evaluated.text
    return float(json.loads(evaluated.output)["b_eff"])


def test_b_eff_of_long_messages_is_what_the_links_carry(lab_up, measured, few_samples) -> None:
    """10 %: of both ways at once, how many acknowledgements there are is TCP's affair."""
    tiny = lab_up("tiny")

    values = [b_eff(tiny) for _ in range(few_samples)]

    measured.median("b_eff [bytes/s]", values, expected=4 * ACKNOWLEDGED, within=0.1)


def test_half_the_rate_is_half_of_b_eff(lab_up, measured, few_samples) -> None:
    """Launches take turns. 5 %: as of a stream."""
    tiny, ratios = lab_up("tiny"), []

    for _ in range(few_samples):
        full = b_eff(tiny)
        tiny.set("hosts", "rate=half")
        try:
            ratios.append(b_eff(tiny) / full)
        finally:
            tiny.set("hosts", "rate=full")

    measured.median("b_eff at half the rate over b_eff", ratios, expected=0.5, within=0.05)


def test_b_eff_io_of_a_lab_writes_no_faster_than_its_links(lab_up) -> None:
    """Four hosts to two I/O nodes behind one link each; every byte that is read is looked at."""
    require_storage()
    served = lab_up("suites-io", SERVED)
    options = ("-T", "60s", "--mpart", "2MiB", "--verify", "--json")
    measured = served.stressbench("beff-io", "--on", "lab:suites-io", *options, timeout_s=300)
    assert measured.status == 0, measured.text
    found = json.loads(measured.output)

    (partition,) = found["partitions"]
    write = next(one for one in partition["accesses"] if one["access"] == "write")
    assert 0 < write["value"] < 2 * RATE / 8
    assert [one["pattern_type"] for one in write["types"]] == [0, 1, 2, 3, 4]
