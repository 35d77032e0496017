"""`--rmax`: Linpack's Rmax as it was typed, or as `hpcc` measures it on the same ranks."""

import math
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from stressbench.formats.files import limits, read_text
from stressbench.launch import program
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.place import Place
from stressbench.launch.simgrid import SimgridPlace
from stressbench.suites.hpcc import INPUT, OUTPUT, Rmax, hpcc_input, parse_linpack, problem_size

HPCC = "hpcc"


def typed_rmax(text: str) -> Rmax | None:
    """GFlop/s as typed; None for `hpcc`. Raises LaunchMistake."""
    if text == HPCC:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise LaunchMistake(f"--rmax: '{text}' must be Linpack's Rmax in GFlop/s, above 0, or {HPCC}")
    return Rmax(flops_per_s=value * 1e9, source="as given")


def require_hpcc(place: Place, *, on: str) -> None:
    """Raise LaunchMistake where `hpcc` cannot run."""
    if isinstance(place, SimgridPlace):
        raise LaunchMistake(f"--rmax {HPCC}: --on {on} simulates ranks, which compute nothing; give Rmax in GFlop/s")
    if shutil.which(HPCC) is None:
        raise LaunchMistake(f"--rmax {HPCC}: there is no {HPCC} on PATH (Debian's package hpcc); or give it in GFlop/s")


def measured_rmax(
    place: Place, *, ranks: int, memory_bytes: int | None, engine: Path | None, environment: Mapping[str, str]
) -> Rmax:
    """What Linpack reaches on these ranks; `memory_bytes` of all of them, None: this machine's. Raises LaunchMistake.

    Files lie in the current folder meanwhile, which hosts share more often than /tmp.
    """
    n = problem_size(memory_bytes if memory_bytes is not None else _own_memory())
    home = Path.cwd() if os.access(Path.cwd(), os.W_OK) else None
    with TemporaryDirectory(prefix=".stressbench-hpcc-", dir=home) as name:
        folder = Path(name)
        (folder / INPUT).write_text(hpcc_input(n=n, ranks=ranks), encoding="utf-8")
        ended = program.run_program(
            (HPCC,), folder=folder, ranks=ranks, place=place, engine=engine, environment=environment
        )
        written = folder / OUTPUT
        text = _text_of(written)
    if ended.stop_requests:
        raise LaunchMistake(f"--rmax {HPCC}: it was told to stop")
    if ended.status:
        raise LaunchMistake(f"--rmax {HPCC}: it ended with status {ended.status}")
    try:
        return parse_linpack(text, ranks=ranks, n=n)
    except ValueError as fault:
        raise LaunchMistake(f"--rmax {HPCC}: {fault}") from fault


def _text_of(path: Path) -> str:
    """What hpcc wrote; empty where it wrote nothing, or something else."""
    try:
        return read_text(path, limit=limits.OUTPUT, errors="replace")
    except OSError:
        return ""


def _own_memory() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
