"""stressbench-ns3: messages over simulated TCP against arithmetic, and what it refuses."""

from itertools import pairwise

import pytest
from support.packet_networks import RATE, Simulator, incast, schedule, simulator_program

SIZE = 2**20
STREAM = schedule((f"l0: send {SIZE}b to 1 tag 1",), (f"l0: recv {SIZE}b from 0 tag 1",))

PING = schedule(
    (
        "l0: calc 100000000",
        "l1: send 8b to 1 tag 1",
        "mark: recv 8b from 1 tag 2",
        "l1 requires l0",
        "mark requires l1",
    ),
    ("l0: recv 8b from 0 tag 1", "l1: send 8b to 0 tag 2", "l1 requires l0"),
)
PING_BESIDE_TWO_STREAMS = ("ping ping.goal 0 1 1 once 0 h3 h0", "load load.goal 0 1 1 background 0 h0 h1 h2")


@pytest.fixture
def simulator(tmp_path) -> Simulator:
    return Simulator(simulator_program(), tmp_path)


def isolated_ping_s(simulator: Simulator) -> float:
    (time_s,) = simulator.simulate(simulator.network(), PING_BESIDE_TWO_STREAMS[0], ping=PING).times_s(0)
    return time_s - 0.1


def test_a_stream_takes_the_time_of_its_frames_at_the_rate_of_the_link(simulator):
    answer = simulator.simulate(simulator.network(), "a a.goal 1 3 1 once 0 h0 h1", a=STREAM)

    assert answer.times_s(1)[1:] == pytest.approx([SIZE * 8 / RATE] * 3, rel=0.02)


@pytest.mark.parametrize("senders", [2, 3])
def test_streams_to_one_host_share_its_link(simulator, senders):
    hosts = " ".join(f"h{number}" for number in range(senders + 1))

    answer = simulator.simulate(simulator.network(), f"a a.goal 1 3 1 once 0 {hosts}", a=incast(senders, SIZE))

    assert answer.times_s(0)[1:] == pytest.approx([senders * SIZE * 8 / RATE] * 3, rel=0.02)


def test_a_ring_uses_both_directions_of_each_link(simulator):
    size = 64 * 2**10  # without rendezvous: each way carries one message and the acknowledgements of another
    ring = schedule(*(
        (f"l0: send {size}b to {(rank + 1) % 4} tag 1", f"l1: recv {size}b from {(rank - 1) % 4} tag 1")
        for rank in range(4)
    ))  # fmt: skip

    answer = simulator.simulate(simulator.network(), "a a.goal 0 20 1 once 0 h0 h1 h2 h3", a=ring)

    last = max(one["end_ns"] for one in answer.records if one["type"] == "repetition") * 1e-9
    assert last == pytest.approx(20 * (size / 1448 * (1514 + 66)) * 8 / 100e6, rel=0.02)


def test_a_short_message_waits_for_all_bytes_in_the_queue_that_it_passes(simulator):
    answer = simulator.simulate(simulator.network(), *PING_BESIDE_TWO_STREAMS, ping=PING, load=incast(2, 8 * SIZE))

    queue = answer.links["s0" if ("s0", "h0") in answer.links else "switch", "h0"]["longest_queue_bytes"]
    (time_s,) = answer.times_s(0)
    assert time_s - 0.1 == pytest.approx(queue * 8 / 100e6, rel=0.05)


def test_a_short_message_waits_for_one_frame_of_each_other_sender_where_these_take_turns(simulator):
    network = simulator.network(fair=1)

    answer = simulator.simulate(network, *PING_BESIDE_TWO_STREAMS, ping=PING, load=incast(2, 8 * SIZE))

    (time_s,) = answer.times_s(0)
    frame_s = 1514 * 8 / 100e6
    assert frame_s < time_s - 0.1 - isolated_ping_s(simulator) <= 2 * frame_s


@pytest.mark.parametrize("queue", ["3KiB", "16KiB", "32KiB", "100KiB"])
def test_frames_are_dropped_at_a_full_queue_and_sent_again(simulator, queue):
    answer = simulator.simulate(
        simulator.network(queue=queue), "a a.goal 0 2 1 once 0 h0 h1 h2 h3", a=incast(3, SIZE)
    )  # fmt: skip

    assert answer.status == 0, answer.errors
    assert len(answer.times_s(0)) == 2
    to_root = [link for (_, target), link in answer.links.items() if target == "h0"]
    assert sum(link["drops"] for link in answer.links.values()) > 0
    assert sum(link["bytes"] for link in to_root) >= 2 * 3 * SIZE
    assert sum(answer.times_s(0)) > 2 * 3 * SIZE * 8 / RATE * 0.98


def test_the_end_of_a_message_that_is_lost_is_sent_again_after_the_least_timeout(simulator):
    # The burst and the queue of 3 KiB hold two frames each: the last two of six are lost, and nothing follows them.
    size = 6 * 1448 - 32
    stream = schedule((f"l0: send {size}b to 1 tag 1",), (f"l0: recv {size}b from 0 tag 1",))

    slow, fast = (
        simulator.simulate(
            simulator.network(queue="3KiB", min_timeout_ns=timeout_ns), "a a.goal 0 1 1 once 0 h0 h1", a=stream
        )
        for timeout_ns in (50_000_000, 10_000_000)
    )  # fmt: skip

    assert sum(link["drops"] for link in fast.links.values()) == 2
    assert slow.times_s(1)[0] - fast.times_s(1)[0] == pytest.approx(0.040, rel=0.01)


def test_pause_frames_keep_a_short_queue_without_drops(simulator):
    network = simulator.network(queue="32KiB", pause_bytes=16_384)

    answer = simulator.simulate(network, "a a.goal 0 2 1 once 0 h0 h1 h2 h3", a=incast(3, SIZE))

    assert sum(link["drops"] for link in answer.links.values()) == 0
    assert sum(link["pauses"] for link in answer.links.values()) > 0
    switch_queues = [link["longest_queue_bytes"] for (_, target), link in answer.links.items() if target == "h0"]
    assert max(switch_queues) < 3 * (16_384 + 5 * 1514)
    assert answer.times_s(0)[1] == pytest.approx(3 * SIZE * 8 / RATE, rel=0.02)


@pytest.mark.parametrize("parts", [1, 2])
def test_ranks_wait_for_each_other_before_each_batch_of_repetitions(simulator, parts):
    # Senders of short messages do not wait for the receiver within a batch; the first batch is one repetition.
    work = schedule(("l0: calc 30000000",), ("l0: calc 30000000",))

    answer = simulator.simulate(
        simulator.network(), f"a a.goal 0 {parts} {parts} sustain 0 h0 h1 h2", "work work.goal 0 1 1 once 0 h3 h3",
        a=incast(2, 1400), work=work,
    )  # fmt: skip

    spans: dict[int, list[tuple[int, int]]] = {0: [], 1: [], 2: []}
    for one in answer.records:
        if one["type"] == "repetition" and one["job"] == 0:
            spans[one["rank"]].append((one["start_ns"], one["end_ns"]))
    received = [end for _, end in spans[0]]
    for sender in (1, 2):
        starts = [start for start, _ in spans[sender]]
        assert starts[parts] > received[parts - 1]
        assert starts[2 * parts] > received[2 * parts - 1]
        assert parts == 1 or starts[1] < received[0]


def test_the_same_round_gives_the_same_times_to_the_nanosecond(simulator):
    network = simulator.network()

    first, second = (
        simulator.simulate(network, "a a.goal 1 3 1 once 0 h0 h1 h2 h3", a=incast(3, SIZE)).records for _ in range(2)
    )

    assert first == second


def test_a_deadlock_names_the_ranks_and_their_operations(simulator):
    both_receive = schedule(("l0: recv 8b from 1 tag 7",), ("l0: recv 8b from 0 tag 7",))

    answer = simulator.simulate(simulator.network(), "a a.goal 0 1 1 once 0 h0 h1", a=both_receive)

    assert answer.status == 3
    assert "deadlock: 2 ranks" in answer.errors
    assert "job a, rank 1, repetition 0: l0: receive 8 bytes from rank 0, tag 7" in answer.errors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("num_ranks 2\nrank 0 {\nl0: sned 8b to 1 tag 1\n}\n", "a.goal:3: 'l0: sned 8b to 1 tag 1': expected"),
        ("num_ranks 2\nrank 0 {\nl0: send 8b to 2 tag 1\n}\n", "a.goal:3: rank 2: ranks are 0 to 1"),
        ("num_ranks 2\nrank 0 {\nl0: calc 1\nl0 requires l9\n}\n", "a.goal:4: 'l9' is no operation of this rank"),
        ("num_ranks 2\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a\n}\n", "depend on each other"),
        ("num_ranks 2\nrank 0 {\na: calc 1\n", "the file ends within a rank"),
    ],
)
def test_a_schedule_with_a_mistake_is_refused_with_its_line(simulator, text, message):
    answer = simulator.simulate(simulator.network(), "a a.goal 0 1 1 once 0 h0 h1", a=text)

    assert (answer.status, message in answer.errors) == (2, True), answer.errors


def test_an_unknown_host_is_refused_with_the_line_of_the_round(simulator):
    answer = simulator.simulate(simulator.network(), "a a.goal 0 1 1 once 0 h0 h9", a=STREAM)

    assert answer.status == 2
    assert "round.txt:2: 'h9' is no host of the network" in answer.errors


def test_ranks_of_a_background_job_do_not_wait_between_short_batches(simulator):
    """The decision on the next batch arrives while one runs, behind other messages; the first two are agreed on."""
    ring = schedule(*(
        (f"l0: send 262144b to {(rank + 1) % 3} tag 1", f"l1: recv 262144b from {(rank - 1) % 3} tag 1")
        for rank in range(3)
    ))  # fmt: skip
    work = schedule(("l0: calc 1000000000",), ("l0: calc 1000000000",))

    answer = simulator.simulate(
        simulator.network(), "work work.goal 0 1 1 once 0 h3 h3", "a a.goal 0 1 1 background 0 h0 h1 h2",
        a=ring, work=work,
    )  # fmt: skip

    for rank in range(3):
        spans = [
            (one["start_ns"], one["end_ns"])
            for one in answer.records
            if one["type"] == "repetition" and one["job"] == 1 and one["rank"] == rank
        ]
        gaps = [start - end for (_, end), (start, _) in pairwise(spans)]
        assert gaps[0] > 0
        assert len(gaps) > 20
        assert set(gaps[1:]) == {0}
