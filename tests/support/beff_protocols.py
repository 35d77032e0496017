"""A complete b_eff protocol with invented times."""

import os
from pathlib import Path
from typing import Any

import pytest

from support.fake_launcher import FAKE_ENGINE, put_mpirun
from support.io_protocols import write_lines

LMAX = 2**20
FACTOR = (LMAX / 4096) ** (1 / 8)
SIZES = [*(2**power for power in range(13)), *(int(4096 * FACTOR**step + 0.5) for step in range(1, 9))]


def made_beff(folder: Path, *, ranks: int = 4, name: str = "beff.jsonl") -> Path:
    patterns: list[dict[str, Any]] = [
        *({"kind": "ring", "name": f"ring {number}", "messages": 2 * ranks} for number in range(1, 7)),
        *({"kind": "random", "name": f"random {number}", "messages": 2 * ranks} for number in range(1, 31)),
        {"kind": "extra", "name": "ping-pong", "messages": 1},
    ]
    head = {
        "type": "b_eff", "version": 1, "round": 1, "ranks": ranks, "lmax_bytes": LMAX, "memory_bytes": 128 * LMAX,
        "random": "uniform", "seed": 7, "attempts": 3, "sizes": SIZES, "patterns": patterns,
    }  # fmt: skip
    loops = [
        {
            "type": "loop", "pattern": index, "size_bytes": size, "method": method, "attempt": 0, "loops": 10,
            "time_s": (1 + index / 10) * (2e-5 + size / 1e9) * (1 + order / 10),
        }
        for index, pattern in enumerate(patterns)
        for order, method in enumerate(
            ("pingpong",) if pattern["kind"] == "extra" else ("sendrecv", "alltoallv", "nonblocking")
        )
        for size in SIZES
    ]  # fmt: skip
    end = {"type": "end", "b_eff_bytes_per_s": 1.0, "timed_s": 1.0, "elapsed_s": 1.02}
    return write_lines(folder / name, [head, *loops, end])


def put_beff_machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in `folder`, with a launcher and an engine that are made up; its `bin` is first on PATH."""
    put_mpirun(folder / "bin")
    monkeypatch.setenv("PATH", f"{folder / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("STRESSBENCH_MPI", str(FAKE_ENGINE))
    monkeypatch.setenv("FAKE_PROTOCOL", str(made_beff(folder, name="made.jsonl")))
    monkeypatch.setenv("FAKE_LAUNCHES", str(folder / "launches"))
    monkeypatch.chdir(folder)
