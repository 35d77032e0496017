"""Linpack's Rmax, which relates b_eff to the speed of the ranks (balance factor), as given or as measured by `hpcc`."""

import math
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from stressbench.experiments.scratch import temporary_directory
from stressbench.formats.bounds import LARGEST, SMALLEST
from stressbench.formats.files import limits, read_text
from stressbench.formats.units import parse_float
from stressbench.launch import program
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.launch_target import LaunchTarget
from stressbench.suites.hpcc import INPUT, OUTPUT, Rmax, hpcc_input, parse_linpack, problem_size

HPCC = "hpcc"


def rmax_from_text(text: str) -> Rmax:
    """Rmax from a number of GFlop/s. Raises LaunchMistake."""
    try:
        value = parse_float(text)
    except ValueError:
        value = math.nan
    if not SMALLEST <= value <= LARGEST:
        expected = f"Linpack's Rmax in GFlop/s, above 0, or {HPCC}; {SMALLEST:g} at least, {LARGEST:g} at most"
        raise LaunchMistake(f"--rmax: '{text}' must be {expected}")
    return Rmax(flops_per_s=value * 1e9, source="as given")


def require_hpcc(target: LaunchTarget, *, on: str) -> None:
    """Raise LaunchMistake where `hpcc` cannot run on the launch target."""
    if target.simulated:
        raise LaunchMistake(f"--rmax {HPCC}: --on {on} simulates ranks, which compute nothing; give Rmax in GFlop/s")
    if shutil.which(HPCC) is None:
        raise LaunchMistake(f"--rmax {HPCC}: there is no {HPCC} on PATH (Debian's package hpcc); or give it in GFlop/s")


def measure_rmax(
    target: LaunchTarget, *, ranks: int, memory_bytes: int | None, engine: Path | None, environment: Mapping[str, str]
) -> Rmax:
    """Run hpcc and return the Rmax that its Linpack reaches on these ranks.

    The matrix size follows from `memory_bytes`, the memory of all ranks together (None: the memory of this machine).
    Raises LaunchMistake.
    """
    n = problem_size(memory_bytes if memory_bytes is not None else _own_memory())
    with temporary_directory(HPCC) as folder:
        (folder / INPUT).write_text(hpcc_input(n=n, ranks=ranks), encoding="utf-8")
        outcome = program.run_program(
            (HPCC,), folder=folder, ranks=ranks, target=target, engine=engine, environment=environment
        )
        output = folder / OUTPUT
        text = _text_of(output)
    if outcome.stop_requests:
        raise LaunchMistake(f"--rmax {HPCC}: it was stopped")
    if outcome.status:
        raise LaunchMistake(f"--rmax {HPCC}: it ended with status {outcome.status}")
    try:
        return parse_linpack(text, ranks=ranks, n=n)
    except ValueError as fault:
        raise LaunchMistake(f"--rmax {HPCC}: {fault}") from fault


def _text_of(path: Path) -> str:
    """The text of an output file of hpcc, empty where the file is missing or cannot be read."""
    try:
        return read_text(path, limit=limits.OUTPUT, errors="replace")
    except OSError:
        return ""


def _own_memory() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
