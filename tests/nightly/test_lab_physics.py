"""A lab's links carry what they are said to, so that what MPI programs measure can be checked against truth."""

import pytest
from support.lab_bench import (
    PAYLOAD,
    RATE,
    STREAM,
    TAPERED,
    WINDOW,
    blocks,
    impacts,
    isolated,
    isolated_ratios,
    isolated_s,
    job,
)

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


def test_every_link_of_tiny_carries_a_stream_of_its_rate(lab_up, measured, samples) -> None:
    """3 %: the default tolerance of `lab check`, ten times what the token bucket's clock is off by."""
    tiny = lab_up("tiny")

    shares = tiny.shares(samples)

    assert {one["rate_bits_per_s"] for one in tiny.json("stats", "--interval", "0.1")} == {100_000_000}
    assert len(shares) == 8
    measured.medians({f"{a} to {b}": values for (a, b), values in shares.items()}, expected=1, within=0.03)


def test_a_stream_of_messages_takes_its_bytes_over_the_rate(lab_up, measured, samples) -> None:
    """5 %: a window of 2 MiB starts and ends with a latency, and MPI's headers travel with it."""
    found = lab_up("tiny").run(job("a", "0,1", STREAM), *isolated(samples))

    measured.median("time of a window [s]", isolated_s(found), expected=WINDOW * 8 / RATE, within=0.05)


def test_links_carry_what_the_round_sent_and_nothing_else_does(lab_up) -> None:
    """Six measured repetitions and a warm-up; what returns is acknowledgements, elsewhere is the launch's own."""
    tiny = lab_up("tiny")
    sent = 7 * WINDOW / PAYLOAD

    links = {
        (one.link, one.source): one
        for one in tiny.run(job("a", "0,1", STREAM), *isolated(1, repetitions=6)).links or ()
    }

    there = [links["h0-s0", "h0"], links["h1-s0", "s0"]]
    assert [one.bytes for one in there] == pytest.approx([sent] * 2, rel=0.02)
    assert [one.rate_bits_per_s for one in there] == [100_000_000] * 2
    assert max(one.bytes for one in links.values() if one not in there) < 0.05 * sent
    assert sum(one.drops for one in links.values()) == 0


def test_messages_that_go_both_ways_at_once_fill_a_link_both_ways(lab_up, measured, samples) -> None:
    """But for an acknowledgement, of 66 bytes, of each frame. 10 %: how many there are is TCP's affair."""
    expected = 2**20 * 8 / RATE * (1 + 66 / 1514)

    found = lab_up("tiny").run(job("both", "0,1", "sendrecv -s 1MiB"), *isolated(samples))

    measured.median("time of 1 MiB each way [s]", isolated_s(found), expected=expected, within=0.1)


def test_an_incast_takes_what_all_senders_send_over_the_receivers_rate(lab_up, measured, samples) -> None:
    """5 %: as of a stream."""
    expected = 3 * 512 * 2**10 * 8 / RATE

    found = lab_up("tiny").run(job("in", "0-3", "incast -s 512KiB"), *isolated(samples))

    measured.median("time of three times 512 KiB [s]", isolated_s(found), expected=expected, within=0.05)


@pytest.mark.parametrize(("pairs", "impact", "within"), [(("0,2", "1,3"), 2.0, 0.05), (("0,1", "2,3"), 1.0, 0.03)])
def test_two_streams_share_what_they_share(lab_up, measured, samples, pairs, impact, within) -> None:
    """Over the tapered uplink each gets half; within one switch each, nobody notices the other.

    5 %: one of two streams may get a window more than the other; 3 %: the links' own.
    """
    tapered = lab_up("tapered", TAPERED)
    workload = job("one", pairs[0], STREAM) + job("other", pairs[1], STREAM)

    found = tapered.run(workload, *blocks(samples))

    ratios = {f"impact of {one.name}": impacts(found, one.job) for one in found.jobs}
    measured.medians(ratios, expected=impact, within=within)


def test_a_quarter_of_the_rate_takes_four_times_as_long(lab_up, measured, samples) -> None:
    """Two pairs in turns, one over links that were slowed while the lab is up. 5 %: as of a stream."""
    tiny = lab_up("tiny")
    for host in ("h2", "h3"):
        tiny.set(host, "rate=quarter")
    try:
        found = tiny.run(job("full", "0,1", STREAM) + job("quarter", "2,3", STREAM), *isolated(samples))
    finally:
        tiny.set("hosts", "rate=full")

    ratios = isolated_ratios(found, 1, over=0)
    measured.median("time at a quarter over time at the full rate", ratios, expected=4.0, within=0.05)


def test_two_rails_carry_twice_as_much_as_one(lab_up, measured, samples) -> None:
    """In long messages: of those of 512 KiB one rail carries 56 %. Launches take turns.

    10 %: Open MPI divides a message by estimates of the rails' bandwidths.
    """
    one, two = lab_up("tiny"), lab_up("dual-rail")
    workload = job("a", "0,1", "bandwidth -s 2MiB -w 2")

    gains = [
        isolated_s(one.run(workload, *isolated(1)))[0] / isolated_s(two.run(workload, *isolated(1)))[0]
        for _ in range(samples)
    ]

    measured.median("time on one rail over time on two", gains, expected=2.0, within=0.1)


def test_the_shipped_rates_of_injection_stand_to_each_other_as_said(lab_up, measured, samples) -> None:
    """h0 and h1 at the full rate, h2 and h3 at half, and so on. 5 %: two streams, each within 3 %."""
    injection = lab_up("injection")
    found = injection.json("check", "--streams", str(samples), status=None)
    rates = {
        one["source"]: [share * one["rate_bits_per_s"] for share in one["shares"]]
        for one in found
        if one["target"] == "s0"
    }

    fits = {
        f"h0's rate over {host}'s, over {share}": [a / b / share for a, b in zip(rates["h0"], rates[host], strict=True)]
        for host, share in (("h2", 2), ("h4", 4), ("h6", 8))
    }
    measured.medians(fits, expected=1, within=0.05)


def test_background_noise_loads_the_links_between_its_hosts_and_no_other(lab_up, measured, samples) -> None:
    """10 %: datagrams leave every few milliseconds, and a look at the counters lasts a second."""
    noisy = lab_up("noisy", NOISY)

    looks = [noisy.json("stats") for _ in range(samples)]

    used = [one["use"] for look in looks for one in look if one["source"] == "h0"]
    measured.median("use of h0's link", used, expected=0.2, within=0.1)
    quiet = [
        one["use"] for look in looks for one in look if one["source"] in ("h1", "h2", "h3") or one["target"] == "h2"
    ]
    assert max(quiet) < 0.01
