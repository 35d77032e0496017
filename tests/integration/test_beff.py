"""b_eff sends to whom its definition says, and its number follows from its protocol."""

import json
import re
from collections import Counter
from itertools import pairwise

import pytest

# Rings of the second pattern, as the original program prints them.
SECOND = {7: (4, 3), 8: (4, 4), 14: (4, 5, 5), 29: (4, 4, 4, 4, 4, 4, 5)}
SIZE = 64


def neighbours(lengths) -> dict[int, tuple[int, int]]:
    """Of each rank, the one to its left and the one to its right."""
    found, first = {}, 0
    for length in lengths:
        ring = [first + (i % length) for i in range(length + 1)]
        found.update({right: (left, found.get(right, (0, 0))[1]) for left, right in pairwise(ring)})
        found.update({left: (found[left][0], right) for left, right in pairwise(ring)})
        first += length
    return found


def sent_by(sequence: str) -> Counter[tuple[str, int, int]]:
    """Method, receiver and size of each message; bytes of an alltoallv in one."""
    found: Counter[tuple[str, int, int]] = Counter()
    for token in sequence.split():
        if match := re.fullmatch(r"SR>(\d+):(\d+)<(\d+):(\d+)", token):
            found["sendrecv", int(match[1]), int(match[2])] += 1
        elif match := re.fullmatch(r"Is>(\d+):\d+:(\d+)", token):
            found["nonblocking", int(match[1]), int(match[2])] += 1
        elif match := re.fullmatch(r"Alltoallv:(\d+)@(\d+)", token):
            found["alltoallv", -1, int(match[1])] += 1
    return found


@pytest.mark.parametrize("ranks", SECOND)
def test_every_message_goes_where_the_definition_says(engine, stressbench, tmp_path, ranks) -> None:
    """Two iterations a method: one that is not timed, and a loop of one."""
    trace = tmp_path / "beff.trace"
    motif = f"b_eff --rings 2 --polygons 0 --sizes {SIZE} --loops 1 --best-of 1 --repetitions 1 --warmup 0 --pcontrol"
    done = engine.traced(
        engine.program, "motif", *motif.split(), ranks=ranks, trace=trace, STRESSBENCH_TRACE_PAUSED="1"
    )
    assert done.status == 0, done.text
    exported = stressbench("trace", "export", "--profile", trace)
    assert exported.status == 0, exported.text
    sequences = json.loads(exported.output)["sequence_all_ranks"]

    wanted = {
        rank: Counter({
            ("sendrecv", left, SIZE): 2, ("sendrecv", right, SIZE): 2, ("nonblocking", left, SIZE): 2,
            ("nonblocking", right, SIZE): 2, ("alltoallv", -1, 2 * SIZE): 2,
        })
        for rank, (left, right) in neighbours(SECOND[ranks]).items()
    }  # fmt: skip
    assert {int(rank): sent_by(sequence) for rank, sequence in sequences.items()} == wanted


def test_the_number_is_computed_again_from_its_protocol(stressbench, tmp_path) -> None:
    protocol = tmp_path / "four.jsonl"
    measured = stressbench("beff", "-n", "4", "--lmax", "32KiB", "--quick", "--extra", "-o", protocol, "--json")
    assert measured.status == 0, measured.text
    found = json.loads(measured.output)

    assert found["b_eff"] == pytest.approx(found["claimed"], rel=1e-12)
    assert Counter(one["kind"] for one in found["patterns"])["ring"] == 6
    assert {len(one["best"]) for one in found["patterns"]} == {21}
    assert found["reduced"] == ["6 random patterns instead of 30", "1 attempt instead of 3"]
    again = stressbench("beff", "--from", protocol, "--json")
    assert json.loads(again.output) == found
    refused = stressbench("beff", "-n", "4", "-o", protocol)
    assert refused.status == 2
    assert "already exists" in refused.errors


@pytest.mark.parametrize(("lmax", "length"), [("12", 12), ("4KiB", 4096)])
def test_bad_values_are_refused_before_anything_starts(stressbench, lmax: str, length: int) -> None:
    """With 4 KiB the last nine sizes would be the same, so that no number could be told from the protocol."""
    refused = stressbench("beff", "-n", "2", "--lmax", lmax)

    assert refused.status == 2
    assert f"--lmax, --memory: the longest message would have {length} bytes; b_eff needs 4104" in refused.text
