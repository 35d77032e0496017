"""Rounds of a simulated run: their order, and what the simulator says of each."""

import random
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from stressbench.errors import MachineFault, UserError
from stressbench.exit_status import ExitStatus
from stressbench.formats.run.records import Finish, Kind, Role
from stressbench.packets.jobs import ScheduledJob
from stressbench.packets.options import RunOptions

_START_SPREAD_NS = 50_000  # jobs start at random times within this


@dataclass(frozen=True, kw_only=True)
class PlannedRound:
    """A round: its number from 1, its block, and its job, None if contended."""

    number: int
    block: int
    job: ScheduledJob | None

    @property
    def kind(self) -> Kind:
        """Isolated with a job, else contended."""
        return Kind.contended if self.job is None else Kind.isolated


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One execution of its schedule by a rank, in ns since the start of the round."""

    start_ns: int
    end_ns: int


@dataclass(frozen=True, kw_only=True)
class SimulatedRound:
    """`executions[job][k][rank]`: of the k-th execution that all ranks have completed, by position of the job."""

    duration_ns: int
    links: Sequence[Any]
    executions: Sequence[Sequence[Sequence[Span]]]


def planned_rounds(options: RunOptions, jobs: Sequence[ScheduledJob]) -> Iterator[PlannedRound]:
    """Blocks of isolated and contended rounds, each block in random order; the seed determines it."""
    measured = [job for job in jobs if job.job.role is Role.measured]
    blocks = max(options.isolated, options.contended)
    number = 0
    for block in range(blocks):
        rounds: list[ScheduledJob | None] = []
        if _has_round(block, options.isolated, blocks):
            rounds += measured
        if _has_round(block, options.contended, blocks):
            rounds.append(None)
        random.Random(f"{options.seed}:order:{block}").shuffle(rounds)
        for job in rounds:
            number += 1
            yield PlannedRound(number=number, block=block, job=job)


def _has_round(block: int, count: int, blocks: int) -> bool:
    return (block + 1) * count // blocks > block * count // blocks


def simulator_version(simulator: Path) -> str:
    """The simulator with its version, as "ns-3 3.37". Raises MachineFault where it does not run."""
    completed = subprocess.run([str(simulator), "--version"], capture_output=True, text=True, check=False)
    if completed.returncode != ExitStatus.ok:
        why = completed.stderr.strip()
        raise MachineFault(f"{simulator} --version ended with status {completed.returncode}: {why}")
    return completed.stdout.strip()


def simulate(options: RunOptions, planned: PlannedRound, jobs: Sequence[ScheduledJob], folder: Path) -> SimulatedRound:
    """Run the simulator. Raises MachineFault with its message, and UserError where it refuses its input."""
    start = random.Random(f"{options.seed}:start:{planned.number}")
    lines = ["stressbench-round 1"]
    for job in jobs:
        repetitions = job.job.repeat or options.repetitions
        ending = "once" if planned.job is not None or options.finish is Finish.once else "sustain"
        if job.job.role is Role.background:
            ending = "background"
        hosts = " ".join(options.hosts[rank] for rank in job.ranks)
        lines.append(
            f"job {job.job.name} {job.goal.name} {options.warmup * job.parts} {repetitions * job.parts} {job.parts} "
            f"{ending} {start.randrange(_START_SPREAD_NS)} {hosts}"
        )
    round_file, output = folder / "round.txt", folder / "output.jsonl"
    round_file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = [str(options.simulator), str(options.network), str(round_file), "--output", str(output)]
    completed = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if completed.returncode != ExitStatus.ok:
        why = completed.stderr.decode(errors="replace").strip().removeprefix("stressbench-ns3: ")
        if completed.returncode < 0:
            why = f"stressbench-ns3 was ended by signal {-completed.returncode}"
        why = why or f"{options.simulator} ended with status {completed.returncode}"
        raise (UserError if completed.returncode == ExitStatus.bad_input else MachineFault)(*why.splitlines())
    return _read(output, jobs)


def _read(output: Path, jobs: Sequence[ScheduledJob]) -> SimulatedRound:
    spans: list[list[list[Span]]] = [[[] for _ in job.ranks] for job in jobs]
    end: Any = None
    with output.open("rb") as file:
        for line in file:
            record = orjson.loads(line)
            if record["type"] == "end":
                end = record
                continue
            span = Span(start_ns=record["start_ns"], end_ns=record["end_ns"])
            spans[record["job"]][record["rank"]].append(span)
    executions = [list(zip(*ranks, strict=False)) for ranks in spans]
    return SimulatedRound(duration_ns=end["duration_ns"], links=end["links"], executions=executions)
