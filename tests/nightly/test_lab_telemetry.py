"""Telemetry on a lab: the NICs of hosts carry what motifs sent, and the record says which."""

import pytest
from support.lab_bench import PAYLOAD, STREAM, WINDOW, isolated, job

from stressbench.formats.run import HostCounter, read_run


def test_the_nics_of_a_stream_carry_what_the_motif_sent_and_are_the_busiest(lab_up) -> None:
    """Six measured repetitions and a warm-up. 2 %: MPI's headers, and what the launch sends itself."""
    tiny = lab_up("tiny")
    sent = 7 * WINDOW / PAYLOAD

    summary = tiny.run(
        job("a", "0,1", STREAM), *isolated(1, repetitions=6), "--telemetry", "ethernet", "--telemetry-limit", "30s"
    )

    counters: dict[str, HostCounter] = {
        one.counter: one for one in read_run(tiny.folder / "w.jsonl").rounds[0].telemetry or ()
    }
    for name, host in (("tx_bytes", "h0"), ("rx_bytes", "h1")):
        counter = counters[name]
        assert (counter.hosts, counter.devices, counter.unknown) == (4, 4, 0)
        assert (counter.largest[0].host, counter.largest[0].device) == (host, "eth0")
        assert counter.largest[0].value == pytest.approx(sent, rel=0.02)
        assert counter.max == counter.largest[0].value
        assert counter.min is not None
        assert counter.min < 0.01 * sent
    assert counters["tx_drops"].sum == 0
    assert summary.telemetry is not None
    assert {(one.host, one.counter) for one in summary.telemetry.busiest[:2]} == {
        ("h0", "tx_bytes"),
        ("h1", "rx_bytes"),
    }


def test_telemetry_and_the_lab_count_the_same_bytes(lab_up) -> None:
    """Counters of hosts are read at almost the same time as those of the lab's links. 1 %: what is sent in between."""
    tiny = lab_up("tiny")
    tiny.run(job("a", "0,1", STREAM), *isolated(1, repetitions=6), "--telemetry", "ethernet")
    found = read_run(tiny.folder / "w.jsonl").rounds[0]

    link = next(one for one in found.links or () if (one.link, one.source) == ("h0-s0", "h0"))
    nic = next(one for one in found.telemetry or () if one.counter == "tx_bytes")

    assert nic.largest[0].value == pytest.approx(link.bytes, rel=0.01)
