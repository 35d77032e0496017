"""A lab's links carry what they are said to, so that what MPI programs measure can be checked against truth."""

import pytest
from support.lab_bench import PAYLOAD, RATE, STREAM, TAPERED, WINDOW, isolated_s, job, settled

NOISY = """
[hosts]
count = 4
[[rail]]
rate = "100Mbit"
[topology]
kind = "single"
[[noise]]
from = "h0"
to = "h1"
rate = "20Mbit"
"""
ROUNDS = ("--isolated", "2", "--contended", "2", "--repetitions", "6")
ALONE = ("--isolated", "1", "--contended", "0", "--repetitions", "6")


def test_every_link_of_tiny_carries_a_stream_of_its_rate(lab_up) -> None:
    tiny = lab_up("tiny")

    def worst() -> float:
        shares = [one["share"] for one in tiny.json("check", status=None)]
        assert len(shares) == 8
        return float(max(shares, key=lambda share: abs(share - 1)))

    assert settled(worst, expected=1, within=0.03) == pytest.approx(1, abs=0.03)


def test_a_stream_of_messages_takes_its_bytes_over_the_rate(lab_up) -> None:
    tiny = lab_up("tiny")
    expected = WINDOW * 8 / RATE

    taken = settled(lambda: isolated_s(tiny.run(job("a", "0,1", STREAM), *ALONE)), expected=expected, within=0.05)

    assert taken == pytest.approx(expected, rel=0.05)


def test_links_carry_what_the_round_sent_and_nothing_else_does(lab_up) -> None:
    """Six measured repetitions and a warm-up; what returns is acknowledgements, elsewhere is the launch's own."""
    tiny = lab_up("tiny")
    sent = 7 * WINDOW / PAYLOAD

    links = {(one.link, one.source): one for one in tiny.run(job("a", "0,1", STREAM), *ALONE).links or ()}

    there = [links["h0-s0", "h0"], links["h1-s0", "s0"]]
    assert [one.bytes for one in there] == pytest.approx([sent] * 2, rel=0.02)
    assert [one.rate_bits_per_s for one in there] == [100_000_000] * 2
    assert max(one.bytes for one in links.values() if one not in there) < 0.05 * sent
    assert sum(one.drops for one in links.values()) == 0


def test_messages_that_go_both_ways_at_once_fill_a_link_both_ways(lab_up) -> None:
    """But for an acknowledgement, of 66 bytes, of each frame."""
    tiny = lab_up("tiny")
    expected = 2**20 * 8 / RATE * (1 + 66 / 1514)
    workload = job("both", "0,1", "sendrecv -s 1MiB")

    taken = settled(lambda: isolated_s(tiny.run(workload, *ALONE)), expected=expected, within=0.1)

    assert taken == pytest.approx(expected, rel=0.1)


def test_an_incast_takes_what_all_senders_send_over_the_receivers_rate(lab_up) -> None:
    tiny = lab_up("tiny")
    expected = 3 * 512 * 2**10 * 8 / RATE
    workload = job("in", "0-3", "incast -s 512KiB")

    taken = settled(lambda: isolated_s(tiny.run(workload, *ALONE)), expected=expected, within=0.05)

    assert taken == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize(("pairs", "impact", "within"), [(("0,2", "1,3"), 2.0, 0.05), (("0,1", "2,3"), 1.0, 0.03)])
def test_two_streams_share_what_they_share(lab_up, pairs, impact, within) -> None:
    """Over the tapered uplink each gets half; within one switch each, nobody notices the other."""
    tapered = lab_up("tapered", TAPERED)
    workload = job("one", pairs[0], STREAM) + job("other", pairs[1], STREAM)

    def worst() -> float:
        ratios = [one.timing.impact.ratio for one in tapered.run(workload, *ROUNDS).jobs]
        return max((ratio for ratio in ratios if ratio is not None), key=lambda ratio: abs(ratio - impact))

    assert settled(worst, expected=impact, within=within) == pytest.approx(impact, rel=within)


def test_a_quarter_of_the_rate_takes_four_times_as_long(lab_up) -> None:
    tiny = lab_up("tiny")
    workload = job("a", "2,3", STREAM)

    def ratio() -> float:
        tiny.set("hosts", "rate=full")
        full = isolated_s(tiny.run(workload, *ALONE))
        tiny.set("hosts", "rate=quarter")
        quarter = isolated_s(tiny.run(workload, *ALONE))
        tiny.set("hosts", "rate=full")
        return quarter / full

    assert settled(ratio, expected=4.0, within=0.05) == pytest.approx(4.0, rel=0.05)


def test_two_rails_carry_twice_as_much_as_one(lab_up) -> None:
    """In long messages: of those of 512 KiB one rail carries 56 %."""
    one, two = lab_up("tiny"), lab_up("dual-rail")
    workload = job("a", "0,1", "bandwidth -s 2MiB -w 2")

    def gain() -> float:
        return isolated_s(one.run(workload, *ALONE)) / isolated_s(two.run(workload, *ALONE))

    assert settled(gain, expected=2.0, within=0.1) == pytest.approx(2.0, rel=0.1)


def test_the_shipped_rates_of_injection_stand_to_each_other_as_said(lab_up) -> None:
    """h0 and h1 at the full rate, h2 and h3 at half, and so on."""
    injection = lab_up("injection")

    def worst() -> float:
        """Of the rates below the full one: how often it fits, over how often it should."""
        found = injection.json("check", status=None)
        rates = {(one["source"]): one["payload_bits_per_s"] for one in found if one["target"] == "s0"}
        fits = [rates["h0"] / rates[host] / share for host, share in (("h2", 2), ("h4", 4), ("h6", 8))]
        return float(max(fits, key=lambda fit: abs(fit - 1)))

    assert settled(worst, expected=1, within=0.05) == pytest.approx(1, abs=0.05)


def test_background_noise_loads_the_links_between_its_hosts_and_no_other(lab_up) -> None:
    noisy = lab_up("noisy", NOISY)

    def use() -> float:
        return float(next(one["use"] for one in noisy.json("stats") if one["source"] == "h0"))

    assert settled(use, expected=0.2, within=0.1) == pytest.approx(0.2, rel=0.1)
    quiet = [one["use"] for one in noisy.json("stats") if one["source"] in ("h1", "h2", "h3") or one["target"] == "h2"]
    assert max(quiet) < 0.01
