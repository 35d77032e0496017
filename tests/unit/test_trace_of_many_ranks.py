"""Memory of `trace show --profile` for a trace of very many ranks, of which it keeps some numbers each."""

import re
import subprocess
import sys
import zlib
from pathlib import Path

from support.traces import MadeRank, MadeTrace, allreduce, isend, line_of, waitall

RANKS = 30_000
OWN, FOLLOWING = 777_777_777, 888_888_888  # placeholders in the line of a rank
MOST_BYTES_A_RANK = 1_000  # four times what it was when this was written, 230 bytes
SHOWN = """
import contextlib, re, sys
from stressbench.cli.console.app import build
with contextlib.suppress(SystemExit):
    build(requested=("trace",))(["trace", "show", "--profile", sys.argv[1]])
sys.stderr.write(re.search("VmHWM.*", open("/proc/self/status").read())[0])
"""


def ring_of(folder: Path, ranks: int) -> Path:
    """Each rank sends to the next one. Lines are made one by one, so that the test needs no memory for them."""
    path = folder / f"{ranks}.trace"
    header = MadeTrace([MadeRank([allreduce()])], header={"ranks": ranks, "hosts": 1}).records()[0]
    calls = [isend(FOLLOWING, size=4096, n=10), waitall(0, n=10), allreduce(n=10)]
    line = MadeTrace([MadeRank(calls)]).records()[1] | {
        "rank": OWN, "comms": [{"slot": 0, "size": ranks, "rank": OWN, "members": [[0, 1, ranks]], "inter": False}]
    }  # fmt: skip
    body = line_of(line).rpartition(b',"crc32"')[0]
    with path.open("wb") as file:
        file.write(line_of(header))
        for rank in range(ranks):
            following = str((rank + 1) % ranks).encode()
            text = body.replace(str(OWN).encode(), str(rank).encode()).replace(str(FOLLOWING).encode(), following)
            file.write(text + b',"crc32":"%08x"}\n' % zlib.crc32(text))
        file.write(line_of({"type": "end", "ranks": ranks, "complete": True}))
    return path


def peak_bytes(trace: Path) -> int:
    """Largest memory of a process that shows the profile."""
    ended = subprocess.run([sys.executable, "-c", SHOWN, trace], capture_output=True, text=True, check=True)
    assert f"{trace.stem} ranks" in ended.stdout.replace(",", "")
    found = re.search(r"VmHWM:\s+(\d+) kB", ended.stderr)
    assert found is not None, ended.stderr
    return int(found[1]) * 1024


def test_a_profile_keeps_a_few_numbers_for_each_rank(tmp_path: Path) -> None:
    few = peak_bytes(ring_of(tmp_path, 100))
    many = peak_bytes(ring_of(tmp_path, RANKS))

    assert many - few < MOST_BYTES_A_RANK * RANKS
