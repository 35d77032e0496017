"""Messages of b_eff in the rings of its second pattern, as the definition says and as the tracer captures them."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

from support.programs import Engine

RINGS = {7: (4, 3), 8: (4, 4), 14: (4, 5, 5), 29: (4, 4, 4, 4, 4, 4, 5)}
"""Lengths of the rings by number of ranks, as the original program prints them."""
_SIZE = 64

Messages = Counter[tuple[str, int, int]]
"""Method, receiver and size of messages; bytes of an alltoallv in one."""


def _neighbours(lengths: tuple[int, ...]) -> dict[int, tuple[int, int]]:
    """Of each rank, the one to its left and the one to its right."""
    found: dict[int, tuple[int, int]] = {}
    first = 0
    for length in lengths:
        ring = [first + (i % length) for i in range(length + 1)]
        found.update({right: (left, found.get(right, (0, 0))[1]) for left, right in pairwise(ring)})
        found.update({left: (found[left][0], right) for left, right in pairwise(ring)})
        first += length
    return found


def defined_messages(ranks: int) -> Mapping[int, Messages]:
    """By rank, with two iterations a method: one that is not timed, and a loop of one."""
    return {
        rank: Counter({
            ("sendrecv", left, _SIZE): 2, ("sendrecv", right, _SIZE): 2, ("nonblocking", left, _SIZE): 2,
            ("nonblocking", right, _SIZE): 2, ("alltoallv", -1, 2 * _SIZE): 2,
        })
        for rank, (left, right) in _neighbours(RINGS[ranks]).items()
    }  # fmt: skip


def captured_messages(engine: Engine, folder: Path, ranks: int) -> Mapping[int, Messages]:
    """By rank, from a launch with a trace in the folder."""
    trace = folder / "beff.trace"
    motif = f"b_eff --rings 2 --polygons 0 --sizes {_SIZE} --loops 1 --best-of 1 --repetitions 1 --warmup 0 --pcontrol"
    done = engine.traced(
        engine.program, "motif", *motif.split(), ranks=ranks, trace=trace, STRESSBENCH_TRACE_PAUSED="1"
    )
    assert done.status == 0, done.text
    exported = engine.stressbench("trace", "export", "--profile", trace)
    assert exported.status == 0, exported.text
    sequences = json.loads(exported.output)["sequence_all_ranks"]
    return {int(rank): _sent_by(sequence) for rank, sequence in sequences.items()}


def _sent_by(sequence: str) -> Messages:
    found: Messages = Counter()
    for token in sequence.split():
        if match := re.fullmatch(r"SR>(\d+):(\d+)<(\d+):(\d+)", token):
            found["sendrecv", int(match[1]), int(match[2])] += 1
        elif match := re.fullmatch(r"Is>(\d+):\d+:(\d+)", token):
            found["nonblocking", int(match[1]), int(match[2])] += 1
        elif match := re.fullmatch(r"Alltoallv:(\d+)@(\d+)", token):
            found["alltoallv", -1, int(match[1])] += 1
    return found
