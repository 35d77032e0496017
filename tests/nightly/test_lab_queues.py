"""Which frames a switch of a lab sends next: shares of TCP streams, and how long a byte waits beside them."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pytest
from support import tcp_streams
from support.lab_bench import Bench
from support.programs import Started

from stressbench.labs.capabilities import marks
from stressbench.labs.shaping import PAYLOAD_SHARE

NETWORK = """
[hosts]
count = 4
[[rail]]
rate = "100Mbit"
[topology]
kind = "single"
"""
QUEUES = {
    "fifo": 'arbitration = "fifo"',
    "fair": 'arbitration = "fair"',
    "marking": 'queue = "256KiB"\nmarking = "1ms"',
}
MARKED_AFTER_S = 1e-3
TO_RECEIVER = "h0"
MEASURED_S = 3.0
RATE_BITS_PER_S = 100e6
FRAME_S = 1514 * 8 / RATE_BITS_PER_S


@dataclass(frozen=True)
class Measured:
    """Shares of the receiver's link by sender, what it carries, a byte's round trips, and the queue before it."""

    shares: list[float]
    payload_bits_per_s: float
    round_trips_s: list[float]
    waiting_bytes: int


def streams(bench: Bench, counts: Sequence[int], *, pinged_by: str | None = None) -> Measured:
    """So many streams from h1, h2 and so on; `pinged_by` sends single bytes beside them."""

    def start(stack: ExitStack, host: str, *words: str) -> subprocess.Popen[str]:
        program = [sys.executable, str(Path(tcp_streams.__file__)), *words]
        command = [sys.executable, "-m", "stressbench", "lab", "exec", "--lab", bench.name, host, "--", *program]
        return stack.enter_context(Started(command, cwd=bench.folder, environment=bench.environment))

    pings, waiting_bytes = "[]", 0
    with ExitStack() as stack:
        receiver = start(stack, TO_RECEIVER, "receive", str(MEASURED_S), str(sum(counts)))
        senders = [
            start(stack, f"h{number}", "send", TO_RECEIVER, str(count))
            for number, count in enumerate(counts, start=1)
            if count
        ]
        if pinged_by is not None:
            start(stack, TO_RECEIVER, "echo")
            pinging = start(stack, pinged_by, "ping", TO_RECEIVER, str(MEASURED_S / 2))
            time.sleep(MEASURED_S / 2)
            ends = bench.json("stats", "--interval", "0.1")
            waiting_bytes = next(one["waiting_bytes"] for one in ends if one["target"] == TO_RECEIVER)
            pings = pinging.communicate(timeout=60)[0]
        received = json.loads(receiver.communicate(timeout=60)[0])
        for sender in senders:
            sender.communicate(timeout=60)
    total = sum(received.values())
    shares = [received.get(f"10.10.0.{number + 1}", 0) / total for number in range(1, len(counts) + 1)]
    return Measured(shares, total * 8 / MEASURED_S, json.loads(pings), waiting_bytes)


@pytest.fixture
def queued(lab_up) -> Callable[[str], Bench]:
    """A lab with these queues."""

    def queued(kind: str) -> Bench:
        if kind == "marking" and not marks().there:
            pytest.skip(f"no frames are marked here: {marks().remedy}")
        return lab_up(kind, QUEUES[kind] + NETWORK)

    return queued


@pytest.mark.parametrize("kind", QUEUES)
def test_three_streams_get_a_third_each(queued, measured, samples, kind) -> None:
    """10 %: over three seconds, and whatever windows TCP opens."""
    bench = queued(kind)

    shares = [streams(bench, (1, 1, 1)).shares for _ in range(samples)]

    by_sender = {f"share of h{number + 1}": [one[number] for one in shares] for number in range(3)}
    measured.medians(by_sender, expected=1 / 3, within=0.1)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("fifo", (4 / 6, 1 / 6, 1 / 6)), ("fair", (1 / 3, 1 / 3, 1 / 3)), ("marking", (4 / 6, 1 / 6, 1 / 6))],
)
def test_a_host_with_four_streams_gets_four_shares_or_one(queued, measured, samples, kind, expected) -> None:
    """10 % of a fair share; 20 % of one that follows from the windows of streams, which are alike but not equal."""
    bench = queued(kind)

    shares = [streams(bench, (4, 1, 1)).shares for _ in range(samples)]

    for number, share in enumerate(expected):
        measured.median(
            f"share of h{number + 1}", [one[number] for one in shares], expected=share,
            within=0.1 if kind == "fair" else 0.2,
        )  # fmt: skip


def test_a_byte_waits_for_all_frames_or_for_one_of_each_host(queued, measured, samples) -> None:
    """Two streams have most of their windows in the queue of the receiver's link: a byte waits until it has been sent.

    25 %: the queue is read once. In turns, a byte waits for a frame of each stream and for one that the token bucket
    has taken already; its way back and software may take as long again.
    """
    fifo, fair = queued("fifo"), queued("fair")

    found = [streams(bench, (0, 1, 1), pinged_by="h1") for _ in range(samples) for bench in (fifo, fair)]

    of_queue = [median(one.round_trips_s) / (one.waiting_bytes * 8 / RATE_BITS_PER_S) for one in found[::2]]
    measured.median("round trip over the time of the queue, fifo", of_queue, expected=1.0, within=0.25)
    in_turns = [median(one.round_trips_s) / (3 * FRAME_S) for one in found[1::2]]
    measured.median("round trip over the time of three frames, fair", in_turns, expected=1.0, within=1.0)
    assert min(one.waiting_bytes for one in found) > 64 * 2**10  # in both, as much waits


def test_a_byte_waits_about_as_long_as_frames_may_without_a_mark(queued, measured, samples) -> None:
    """TCP opens its windows until frames are marked, and halves them then. 75 %: from a quarter to nearly twice that.

    The link stays full; 10 %: a stream that has halved its window may leave it idle.
    """
    bench = queued("marking")

    found = [streams(bench, (0, 1, 1), pinged_by="h1") for _ in range(samples)]

    waits = [median(one.round_trips_s) / MARKED_AFTER_S for one in found]
    measured.median("round trip over the limit", waits, expected=1.0, within=0.75)
    used = [one.payload_bits_per_s / (RATE_BITS_PER_S * PAYLOAD_SHARE) for one in found]
    measured.median("share of the link", used, expected=1.0, within=0.1)
