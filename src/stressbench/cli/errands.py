"""What `impact` and `compress` are told to measure: a program or a workload at a place, and the probes beside it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

from stressbench.cli.following import say
from stressbench.interference.pingpongs import Probing
from stressbench.interference.probing import LEAST_SAMPLES
from stressbench.interference.sides import seconds_for
from stressbench.launch import machine as this_machine
from stressbench.launch.engine import RunFile
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.execute import stopping
from stressbench.launch.lab import LabPlace
from stressbench.launch.option_values import seconds, size_bytes
from stressbench.launch.place import HERE, Place
from stressbench.launch.simgrid import SimgridPlace
from stressbench.launch.target import Shape, shape_of
from stressbench.report.units import count

_SUFFIX = ".sb"
_ROUNDS = 10


@dataclass(frozen=True, kw_only=True)
class Errand:
    """What is to be measured. `words`: a program, or all jobs of `workload` together, `rounds` times.

    `name`: for sentences. `companions`: ranks that run beside it at most. Times in s; `limit_s` is that of each run of
    the program.
    """

    name: str
    words: tuple[str, ...]
    workload: Path | None
    rounds: int
    shape: Shape
    probing: Probing
    companions: int
    place: Place
    on: str
    placement: str | None
    engine: Path | None
    seed: int
    idle_s: float
    after: bool
    limit_s: float | None

    @property
    def probes(self) -> int:
        """Ranks that send them."""
        return 2 * self.probing.pairs


@dataclass(frozen=True, kw_only=True)
class Typed:
    """Options that both commands have, as they were typed."""

    words: list[str]
    on: str
    ranks: int | None
    ranks_per_node: int | None
    rounds: int | None
    placement: str | None
    idle: str
    after: bool
    time_limit: str | None
    seed: int
    engine: Path | None
    name: str | None


def errand_of(typed: Typed, *, probing: Probing, place: Place, companions: int) -> Errand:
    """What is to be done, with every word checked that can be. Raises LaunchMistake."""
    words = typed.words
    workload = Path(words[0]) if is_workload(words) else None
    _check_words(words[0], workload)
    for option, given in (("--rounds", typed.rounds), ("--ranks-per-node", typed.ranks_per_node)):
        if workload is None and given is not None:
            raise LaunchMistake(f"{option} {given}: is for workloads, W{_SUFFIX}; {words[0]} is a program")
    at_least_one("--rounds", typed.rounds)
    idle_s = seconds(typed.idle, option="--idle")
    least_s = seconds_for(LEAST_SAMPLES, probing)
    if idle_s < least_s * (1 - 1e-9):
        raise LaunchMistake(
            f"--idle: {typed.idle} is too short: {LEAST_SAMPLES} probes are the least, which is {least_s:g} s here"
        )
    return Errand(
        name=typed.name or (words[0] if workload is not None else Path(words[0]).name),
        words=tuple(words),
        workload=workload,
        rounds=typed.rounds or _ROUNDS,
        shape=shape_of(
            ranks=typed.ranks, ranks_per_node=typed.ranks_per_node, run_file=RunFile(path=Path("run.jsonl")),
            default=place.ranks,
        ),
        probing=probing,
        companions=companions,
        place=place,
        on=typed.on,
        placement=typed.placement,
        engine=typed.engine,
        seed=typed.seed,
        idle_s=idle_s,
        after=typed.after,
        limit_s=None if typed.time_limit is None else seconds(typed.time_limit, option="--time-limit"),
    )  # fmt: skip


def is_workload(words: list[str]) -> bool:
    """Whether that is W.sb, and not a program with its arguments."""
    return len(words) == 1 and words[0].endswith(_SUFFIX)


def at_least_one(option: str, given: int | None) -> None:
    """Raise LaunchMistake below 1."""
    if given is not None and given < 1:
        raise LaunchMistake(f"{option}: {given} is not at least 1")


def _check_words(program: str, workload: Path | None) -> None:
    if workload is not None:
        if not workload.is_file():
            raise LaunchMistake(f"{workload} is not a file" if workload.exists() else f"{workload} does not exist")
    elif shutil.which(program) is None:
        raise LaunchMistake(f"{program}: there is no such program that you may execute")


def require_real(place: Place, *, on: str) -> Place:
    """The place, where two launches can run at a time. Raises LaunchMistake."""
    if isinstance(place, SimgridPlace):
        raise LaunchMistake(f"--on {on}: two programs cannot run side by side in a simulation; a lab or a cluster can")
    return place


def pairs_at(place: Place, typed: int | None, *, on: str) -> int:
    """How many pairs of hosts. Raises LaunchMistake."""
    hosts = place.host_count
    at_least_one("--pairs", typed)
    if hosts is None:
        if typed is None:
            raise LaunchMistake(f"--pairs: --on {on} does not say how many hosts there are; how many pairs?")
        return typed
    if typed is not None and typed > max(1, hosts // 2):
        there = "1 host" if hosts == 1 else f"{hosts} hosts"
        raise LaunchMistake(f"--pairs: {typed} pairs need {2 * typed} hosts; --on {on} has {there}")
    return typed or max(1, hosts // 2)


def probing_of(place: Place, *, on: str, pairs: int | None, size: str, every: str) -> Probing:
    """How probes are sent. Raises LaunchMistake."""
    interval_s = seconds(every, option="--every")
    return Probing(
        pairs=pairs_at(place, pairs, on=on), message_bytes=size_bytes(size, option="--size"), interval_s=interval_s
    )  # fmt: skip


def tell_crowd(errand: Errand, *, called: str) -> None:
    """Where all ranks are on this machine, and more of them than cores; `called`: what the companions are."""
    cores, all_ranks = this_machine.cores(), errand.shape.ranks + errand.companions
    here = isinstance(errand.place, LabPlace) or errand.place is HERE
    if here and not this_machine.allocated(os.environ) and all_ranks > cores:
        say(
            f"{count(errand.shape.ranks, 'rank')} and {errand.companions} of {called} share {count(cores, 'core')}: "
            "probes wait for cores as well as for the network"
        )


@contextmanager
def scratch(command: str) -> Iterator[Path]:
    """A folder of a command's own, in the current one, which hosts share more often than /tmp.

    It goes when somebody says stop between two launches, too: that is a KeyboardInterrupt, whatever the signal.
    """
    home = Path.cwd() if os.access(Path.cwd(), os.W_OK) else None
    with TemporaryDirectory(prefix=f".stressbench-{command}-", dir=home) as name, stopping(_interrupt):
        yield Path(name)


def _interrupt(number: int, frame: FrameType | None) -> None:  # noqa: ARG001  a signal's handler
    raise KeyboardInterrupt
