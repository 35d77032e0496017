"""Which ranks of a launch each job of a workload has, from what the engine's `describe --json` says. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from stressbench.formats.ranges import parse_ranges
from stressbench.launch.errors import LaunchMistake


@dataclass(frozen=True, kw_only=True)
class Block:
    """Ranks first ... first + width - 1, and `count` times in all the same again `step` further on."""

    first: int
    width: int
    step: int
    count: int


@dataclass(frozen=True, kw_only=True)
class JobRanks:
    """A job and its ranks, in few blocks however many there are."""

    name: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, kw_only=True)
class JobPlacement:
    """What decides about ranks of jobs: a workload, values of its variables, and where its jobs go."""

    workload: Path
    sets: tuple[str, ...] = ()
    placement: str | None = None

    def question(self, engine: Path, *, ranks: int, ranks_per_node: int) -> tuple[str, ...]:
        """The engine's command that tells it, and starts no ranks."""
        placed = () if self.placement is None else ("--place", self.placement)
        named = tuple(word for text in self.sets for word in ("--set", text))
        shape = ("--ranks", str(ranks), "--ranks-per-node", str(ranks_per_node))
        return (str(engine), "describe", str(self.workload), "--json", *shape, *placed, *named)


def job_ranks(told: bytes, *, ranks_per_node: int) -> tuple[JobRanks, ...]:
    """The jobs in the workload's order. On a node that jobs share, the first one has the lowest ranks.

    Raises LaunchMistake where the text is not what engines say.
    """
    try:
        jobs: list[dict[str, Any]] = orjson.loads(told)["jobs"]
        taken: dict[int, int] = {}
        return tuple(_job(job, taken, ranks_per_node) for job in jobs)
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, ValueError) as fault:
        raise LaunchMistake(f"what the engine describes cannot be understood: {fault}") from fault


def _job(job: dict[str, Any], taken: dict[int, int], ranks_per_node: int) -> JobRanks:
    """`taken`: how many ranks of each node earlier jobs have; grows by this job's."""
    nodes = parse_ranges(job["nodes"])
    each = int(job["ranks"]) // len(nodes)
    spans = []
    for node in sorted(nodes):
        spans.append((node * ranks_per_node + taken.get(node, 0), each))
        taken[node] = taken.get(node, 0) + each
    return JobRanks(name=str(job["name"]), blocks=tuple(_blocks(_joined(spans))))


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """First and width, in order, without seams between spans that meet."""
    joined: list[tuple[int, int]] = []
    for first, width in spans:
        if joined and sum(joined[-1]) == first:
            joined[-1] = (joined[-1][0], joined[-1][1] + width)
        else:
            joined.append((first, width))
    return joined


def _blocks(spans: Sequence[tuple[int, int]]) -> Iterator[Block]:
    """Spans of one width at one distance become one block."""
    at = 0
    while at < len(spans):
        first, width = spans[at]
        step = spans[at + 1][0] - first if at + 1 < len(spans) else width
        count = 1
        while at + count < len(spans) and spans[at + count] == (first + count * step, width):
            count += 1
        yield Block(first=first, width=width, step=step, count=count)
        at += count
