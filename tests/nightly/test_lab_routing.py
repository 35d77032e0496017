"""How switches of a lab choose among paths: rates of TCP streams, and whether their frames stay in order."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from support import tcp_streams
from support.lab_bench import PAYLOAD, Bench
from support.programs import Started

from stressbench.labs.capabilities import load_dependent_routing

RATE_BITS_PER_S = 40e6
MEASURED_S = 3.0
NICS = '[hosts]\ncount = {hosts}\n[[rail]]\nrate = "40Mbit"\n'
NETWORKS = {
    "dragonfly": NICS.format(hosts=16)
    + '[topology]\nkind = "dragonfly"\ngroups = 4\nrouters_per_group = 2\nhosts_per_router = 2\n'
    'local_rate = "80Mbit"\nglobal_rate = "40Mbit"\n',
    "fat-tree": NICS.format(hosts=8) + '[topology]\nkind = "fat-tree"\nhosts_per_leaf = 4\nroots = 4\n',
}
COLLIDING = (("h0", "h4"), ("h1", "h5"))  # of one router, to another that has the same link to it
TO_NEXT_GROUP = tuple((f"h{host}", f"h{(host + 4) % 16}") for host in range(16))
UNORDERED = ("TCPOFOQueue", "TCPSACKReorder", "TCPTSReorder", "RetransSegs")


@dataclass(frozen=True)
class Measured:
    """Shares of a NIC's payload by stream, and frames that TCP got out of order or sent again."""

    shares: tuple[float, ...]
    unordered: int


def in_host(bench: Bench, host: str, *command: str) -> list[str]:
    return [sys.executable, "-m", "stressbench", "lab", "exec", "--lab", bench.name, host, "--", *command]


def unordered(bench: Bench, hosts: Iterable[str]) -> int:
    """Sum of counters of TCP of these hosts."""
    total = 0
    for host in hosts:
        ended = bench.stressbench(
            "lab", "exec", "--lab", bench.name, host, "--", "cat", "/proc/net/netstat", "/proc/net/snmp"
        )
        lines = ended.output.splitlines()
        for names, values in zip(lines[::2], lines[1::2], strict=True):
            found = dict(zip(names.split(), values.split(), strict=True))
            total += sum(int(found.get(name, 0)) for name in UNORDERED)
    return total


def streams(bench: Bench, pairs: Sequence[tuple[str, str]], *, each: int = 1) -> Measured:
    """TCP streams, so many for each pair of hosts, all at the same time."""
    program = [sys.executable, str(Path(tcp_streams.__file__))]
    hosts = sorted({host for pair in pairs for host in pair})
    before = unordered(bench, hosts)
    with ExitStack() as stack:

        def start(host: str, *words: str) -> subprocess.Popen[str]:
            command = in_host(bench, host, *program, *words)
            return stack.enter_context(Started(command, cwd=bench.folder, environment=bench.environment))

        shared = stack.enter_context(tempfile.TemporaryDirectory(dir=bench.folder))
        waiting = ("receive", str(MEASURED_S), str(each), shared, str(len(pairs)))
        receivers = [start(target, *waiting) for _, target in pairs]
        senders = [start(source, "send", target, str(each)) for source, target in pairs]
        received = [sum(json.loads(one.communicate(timeout=60)[0]).values()) for one in receivers]
        for sender in senders:
            sender.communicate(timeout=60)
    full = RATE_BITS_PER_S * PAYLOAD * MEASURED_S / 8
    return Measured(tuple(one / full for one in received), unordered(bench, hosts) - before)


def exchanges(bench: Bench, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Shares of a NIC's payload that each host of these pairs receives while it sends over the same connection."""
    program = [sys.executable, str(Path(tcp_streams.__file__)), "exchange", str(MEASURED_S)]
    with ExitStack() as stack:

        def start(host: str, *words: str) -> subprocess.Popen[str]:
            command = in_host(bench, host, *program, *words)
            return stack.enter_context(Started(command, cwd=bench.folder, environment=bench.environment))

        hosts = [start(*one) for source, target in pairs for one in ((target,), (source, target))]
        received = [json.loads(one.communicate(timeout=60)[0]) for one in hosts]
    return [one / (RATE_BITS_PER_S * PAYLOAD * MEASURED_S / 8) for one in received]


@pytest.fixture
def routed(lab_up) -> Callable[[str, str], Bench]:
    """A lab of this network with this routing."""

    def routed(routing: str, network: str) -> Bench:
        if routing == "adaptive" and not load_dependent_routing().there:
            pytest.skip(f"no switch routes adaptively here: {load_dependent_routing().remedy}")
        return lab_up(f"{routing}-{network}", f'routing = "{routing}"\n{NETWORKS[network]}')

    return routed


@pytest.mark.parametrize(("routing", "share"), [("static", 0.5), ("adaptive", 1.0)])
def test_two_streams_collide_on_a_global_link_unless_one_can_avoid_it(
    routed, measured, samples, routing, share
) -> None:
    """5 % of the mean; 10 % in the worst case of a stream, whose acknowledgements may share a link with the other."""
    bench = routed(routing, "dragonfly")

    found = [streams(bench, COLLIDING) for _ in range(samples)]

    measured.median("mean share of both", [sum(one.shares) / 2 for one in found], expected=share, within=0.05)
    if routing == "adaptive":
        measured.median("share of the slower", [min(one.shares) for one in found], expected=share, within=0.1)
        assert sum(one["late"] for one in bench.json("stats", "--interval", "0.1") if one["late"] is not None) == 0


def test_connections_that_send_both_ways_share_a_global_link_and_go_on(routed, measured, samples) -> None:
    """Switches make both hosts of such a connection stop, which must not let either of them wait for the other.

    Of four connections between two groups, each way can have a link of its own and two detours: half of a NIC's rate
    for most, and none for a connection that waits. 80 %: any that goes on.
    """
    bench = routed("adaptive", "dragonfly")

    found = [exchanges(bench, TO_NEXT_GROUP[:4]) for _ in range(samples)]

    measured.median("share of the slowest direction", [min(one) for one in found], expected=0.5, within=0.8)
    assert min(min(one) for one in found) > 0


def test_the_worst_permutation_for_minimal_routing_gains(routed, measured, samples) -> None:
    """Each host sends to the next group, so that four streams share a global link: 0.25 each with minimal routing.

    Of x streams on minimal paths and 4 - x on others, which use two global links each, three links of a group carry
    x + 2 (4 - x): at best 7/3 streams a link with x = 1, 0.43 each. Flows are not split, and switches see only their
    own ports: 25 %.
    """
    minimal, adaptive = routed("static", "dragonfly"), routed("adaptive", "dragonfly")

    found = [streams(bench, TO_NEXT_GROUP) for _ in range(samples) for bench in (minimal, adaptive)]

    shares = [sum(one.shares) / len(one.shares) for one in found]
    measured.median("mean share, static", shares[::2], expected=0.25, within=0.05)
    gains = [after / before for before, after in zip(shares[::2], shares[1::2], strict=True)]
    measured.median("gain of adaptive routing", gains, expected=0.43 / 0.25, within=0.25)
    assert sum(one.unordered for one in found[1::2]) <= samples  # of a million frames


def test_streams_use_the_uplinks_of_a_fat_tree_evenly(routed, measured, samples) -> None:
    bench = routed("adaptive", "fat-tree")
    pairs = [(f"h{number}", f"h{number + 4}") for number in range(4)]

    found = [streams(bench, pairs) for _ in range(samples)]

    measured.median("share of the slowest stream", [min(one.shares) for one in found], expected=1.0, within=0.1)


@pytest.mark.parametrize(("routing", "used"), [("static", 1), ("ecmp", 4)])
def test_connections_of_one_pair_of_hosts_have_one_path_or_are_hashed_over_all(routed, routing, used) -> None:
    """Of 32 connections, none takes one of the four uplinks once in 2,500 times."""
    bench = routed(routing, "fat-tree")
    before = bench.sent()

    found = streams(bench, [("h0", "h4")], each=32)

    after = bench.sent()
    uplinks = [after[end] - before[end] for end in after if end[0].startswith("leaf0-root") and end[1] == "leaf0"]
    assert len(uplinks) == 4
    assert sum(one > sum(uplinks) / 100 for one in uplinks) == used
    assert sum(found.shares) == pytest.approx(1, rel=0.1)


def counted(bench: Bench) -> dict[tuple[str, str], tuple[int, int, int]]:
    """Bytes of each port of a switch: those of its frames, those on minimal and those on other paths."""
    return {
        (one["source"], one["target"]): (one["bytes"], one["minimal_bytes"], one["nonminimal_bytes"])
        for one in bench.json("stats", "--interval", "0.1") if one["minimal_bytes"] is not None
    }  # fmt: skip


def test_switches_count_what_they_send_on_minimal_and_on_other_paths(routed) -> None:
    """Of two streams that collide on their minimal path, one soon takes another: about half of what they send."""
    bench = routed("adaptive", "dragonfly")
    before = counted(bench)

    streams(bench, COLLIDING)

    after = counted(bench)
    sent = {port: [b - a for a, b in zip(before[port], after[port], strict=True)] for port in after}
    for port, (frames, minimal, other) in sent.items():
        if frames > 10**6:
            assert minimal + other == pytest.approx(frames, rel=0.02), port
    of_first = [values for (source, target), values in sent.items() if source == "g0r0" and target.startswith("g")]
    minimal, other = (sum(values[kind] for values in of_first) for kind in (1, 2))
    assert 0.2 < other / (minimal + other) < 0.8
