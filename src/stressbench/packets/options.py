"""Options of a simulated run: those of `stressbench-mpi run` that apply."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stressbench.formats.run.records import Finish

NOT_APPLICABLE = (
    "--continue", "--min-time", "--until-interval", "--time-limit", "--stall-limit", "--verify", "--telemetry",
    "--telemetry-command", "--telemetry-limit",
)  # fmt: skip
"""Options of the engine that a packet-level simulation does not have."""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """`description`: JSON for the header's `simulation`; `hosts`: of each rank, separated by commas."""

    simulator: Path
    network: Path
    description: Path
    hosts: tuple[str, ...]
    engine: Path
    workload: Path
    output: Path
    run_id: str | None
    ranks_per_node: int | None
    isolated: int
    contended: int
    repetitions: int
    warmup: int
    finish: Finish
    place: str
    seed: int
    sets: tuple[str, ...]


def run_options(words: Sequence[str]) -> RunOptions:
    """Parse the arguments; mistakes end the program with status 2."""
    parser = argparse.ArgumentParser(prog="stressbench.packets", allow_abbrev=False)
    for name in ("--simulator", "--network", "--description", "--output"):
        parser.add_argument(name, type=Path, required=True)
    parser.add_argument("--hosts", required=True, type=lambda text: tuple(text.split(",")))
    parser.add_argument("engine", type=Path)
    parser.add_argument("command", choices=("run",))
    parser.add_argument("workload", type=Path)
    parser.add_argument("--quiet", action="store_true")
    parser.add_argument("--run-id")
    parser.add_argument("--ranks-per-node", type=_at_least(1))
    parser.add_argument("--isolated", type=_at_least(0), default=10)
    parser.add_argument("--contended", type=_at_least(0), default=10)
    parser.add_argument("--repetitions", type=_at_least(1), default=10)
    parser.add_argument("--warmup", type=_at_least(0), default=1)
    parser.add_argument("--finish", type=Finish, choices=tuple(Finish), default=Finish.sustain)
    parser.add_argument("--place", default="linear")
    parser.add_argument("--seed", type=_at_least(0), default=1)
    parser.add_argument("--set", action="append", default=[], dest="sets")
    values = vars(parser.parse_args(words))
    del values["command"], values["quiet"]
    return RunOptions(**{**values, "sets": tuple(values["sets"])})


class _at_least:  # noqa: N801  a type of argparse, named in its messages
    def __init__(self, lowest: int) -> None:
        self.lowest = lowest
        self.__name__ = f"integer of at least {lowest}"

    def __call__(self, text: str) -> int:
        value = int(text)
        if value < self.lowest:
            raise ValueError
        return value
