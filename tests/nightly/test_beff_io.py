"""b_eff_io takes the time that it is given, and its number follows from what it keeps."""

import json
import signal
import sys
from collections import Counter

import pytest
from support.measured import Tolerated
from support.programs import LIMIT_S, Started, wait_until

ROWS = 43 * 3  # of Table 2, three ways
GIVEN_S = 9
MIB = 1 << 20
UNITS = 64  # of an access, in Table 2
SMALL = ("--mpart", "2MiB", "--limit", "512MiB")


def protocol_of(path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def recomputed(lines: list[dict]) -> float:
    """The number, by the definition's own words and nobody else's code."""
    values: Counter[str] = Counter()
    for line in lines:
        if line["type"] == "file":
            values[line["access"]] += (2 if line["pattern_type"] == 0 else 1) * line["bytes"] / line["time_s"] / 6
    return values["write"] / 4 + values["rewrite"] / 4 + values["read"] / 2


def test_writing_takes_the_time_that_it_is_given(stressbench, tmp_path, measured, few_samples) -> None:
    """On this machine's disk, of types 0 to 2: the others make as many calls as type 2, whatever time they take.

    10 % less, where patterns end early by half a call; half as much again, where a disk is slow at the last calls.
    """
    took = []
    for number in range(few_samples):
        protocol, file = tmp_path / f"{number}.jsonl", tmp_path / f"f{number}"
        words = ("-n", "4", "-T", f"{GIVEN_S}s", "--mpart", "2MiB", "--file", file, "-o", protocol, "--json")
        done = stressbench("beff-io", *words)
        assert done.status == 0, done.text
        timed = [
            line
            for line in protocol_of(protocol)
            if line["type"] == "pattern" and line["access"] == "write" and line["pattern_type"] < 3 and line["units"]
        ]
        given_s = GIVEN_S / 3 * sum(line["units"] for line in timed) / UNITS
        took.append(sum(line["time_s"] for line in timed) / given_s)
        assert json.loads(done.output)["elapsed_s"] < 1.5 * GIVEN_S  # reading ends with what was written

    measured.bounded("time of writing over its share of T", took, Tolerated(low=0.9, high=1.5, expected=1))


def test_its_number_follows_again(stressbench, tmp_path) -> None:
    protocol = tmp_path / "disk.jsonl"
    done = stressbench("beff-io", "-n", "4", "-T", "10s", *SMALL, "--file", tmp_path / "f", "-o", protocol, "--json")
    assert done.status == 0, done.text
    found = json.loads(done.output)
    lines = protocol_of(protocol)

    assert Counter(line["type"] for line in lines) == {"b_eff_io": 1, "pattern": ROWS, "file": 15, "end": 1}
    assert found["b_eff_io"] == pytest.approx(recomputed(lines), rel=1e-12)
    assert found["claimed"] == pytest.approx(recomputed(lines), rel=1e-12)
    assert {line["pattern_type"] for line in lines if line["type"] == "file"} == set(range(5))
    assert list(tmp_path.glob("f*")) == []


@pytest.mark.parametrize("ranks", [1, 2, 4, 8])
def test_segments_follow_from_the_separate_files(stressbench, tmp_path, ranks: int) -> None:
    """Section 5.1 of the paper: a chunk as often as a rank of type 2 wrote it on average; segments of whole MB."""
    protocol = tmp_path / "segments.jsonl"
    words = ("-n", ranks, "-T", "6s", "--mpart", "2MiB", "--file", tmp_path / "f", "-o", protocol)
    done = stressbench("beff-io", *words)
    assert done.status == 0, done.text
    rows = {(line["access"], line["number"]): line for line in protocol_of(protocol) if line["type"] == "pattern"}
    calls = [ranks * (rows["write", number]["calls"] // ranks) for number in range(17, 25)]
    for access in ("write", "rewrite", "read"):
        for first, fills in ((25, 33), (34, 42)):
            segmented = [rows[access, number] for number in range(first, fills)]
            assert [row["calls"] for row in segmented] == calls
            assert [row["bytes"] for row in segmented] == [row["calls"] * row["chunk_bytes"] for row in segmented]
            filled = rows[access, fills]["bytes"]
            assert 0 <= filled < ranks * MIB
            assert (sum(row["bytes"] for row in segmented) + filled) % (ranks * MIB) == 0


def test_every_byte_is_right_in_all_types(stressbench, tmp_path) -> None:
    options = ("-T", "5s", "--mpart", "1MiB", "--limit", "64MiB", "--verify", "--file", tmp_path / "f")
    done = stressbench("beff-io", "-n", "3", *options, "--json")

    assert done.status == 0, done.text
    assert json.loads(done.output)["b_eff_io"] > 0


def test_one_that_is_interrupted_shows_what_it_has_and_claims_no_number(engine, tmp_path) -> None:
    protocol = tmp_path / "cut.jsonl"
    words = ("beff-io", "-n", "2", "-T", "20s", "--mpart", "1MiB", "--file", "f", "-o", protocol)
    command = [sys.executable, "-m", "stressbench", *map(str, words)]
    environment = {"STRESSBENCH_MPI": str(engine.program)}
    with Started(command, cwd=tmp_path, environment=environment) as process:
        wait_until(lambda: protocol.exists() and b'"file"' in protocol.read_bytes(), "a file is measured")
        process.send_signal(signal.SIGINT)  # after the round, please, which takes as long again and more
        assert process.stderr is not None
        while "the engine finishes the current round" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)  # now; another signal is another request, however soon it comes
        output, _ = process.communicate(timeout=LIMIT_S)

    assert process.returncode == 130
    assert "INCOMPLETE" in output
    assert protocol_of(protocol)[-1]["type"] in ("pattern", "file")


def test_bad_values_are_refused_before_anything_starts(stressbench, tmp_path) -> None:
    for words, said in (
        (("--types", "3"), "the length of segments follows from types 0 to 2"),
        (("--mpart", "1000"), "--mpart: 1000: expected 1 MiB or more"),
        (("-T", "0s"), "-T"),
    ):
        refused = stressbench("beff-io", "-n", "2", *words, "--file", tmp_path / "f")

        assert refused.status == 2, refused.text
        assert said in refused.text
