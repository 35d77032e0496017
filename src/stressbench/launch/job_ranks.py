"""The ranks of each job of a workload, from the output of the engine's `describe --json`. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from stressbench.formats.ranges import parse_ranges
from stressbench.launch.errors import LaunchMistake


@dataclass(frozen=True, kw_only=True)
class Block:
    """`count` intervals of `width` consecutive ranks each, which start at `first`, `first + step` and so on."""

    first: int
    width: int
    step: int
    count: int


@dataclass(frozen=True, kw_only=True)
class JobRanks:
    """A job and its ranks, as a few blocks."""

    name: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, kw_only=True)
class JobPlacement:
    """What determines the ranks of jobs: a workload, the values of its variables, and the placement of its jobs."""

    workload: Path
    sets: tuple[str, ...] = ()
    placement: str | None = None

    def describe_command(self, engine: Path, *, ranks: int, ranks_per_node: int) -> tuple[str, ...]:
        """The engine's command that reports the ranks of jobs, without starting any."""
        placement_options = () if self.placement is None else ("--place", self.placement)
        set_options = tuple(word for text in self.sets for word in ("--set", text))
        shape_options = ("--ranks", str(ranks), "--ranks-per-node", str(ranks_per_node))
        return (str(engine), "describe", str(self.workload), "--json", *shape_options, *placement_options, *set_options)


def job_ranks(description: bytes, *, ranks_per_node: int) -> tuple[JobRanks, ...]:
    """The jobs in the workload's order. On a node that jobs share, the first one has the lowest ranks.

    Raises LaunchMistake where `told` is not output of `describe --json`.
    """
    try:
        jobs: list[dict[str, Any]] = orjson.loads(description)["jobs"]
        used_ranks: dict[int, int] = {}
        return tuple(_job(job, used_ranks, ranks_per_node) for job in jobs)
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, ValueError) as fault:
        raise LaunchMistake(f"what the engine describes cannot be understood: {fault}") from fault


def _job(job: dict[str, Any], used_ranks: dict[int, int], ranks_per_node: int) -> JobRanks:
    """The ranks of one job. `used_ranks`: ranks of earlier jobs by node, increased by those of this job."""
    nodes = parse_ranges(job["nodes"])
    ranks_on_node = int(job["ranks"]) // len(nodes)
    spans = []
    for node in sorted(nodes):
        spans.append((node * ranks_per_node + used_ranks.get(node, 0), ranks_on_node))
        used_ranks[node] = used_ranks.get(node, 0) + ranks_on_node
    return JobRanks(name=str(job["name"]), blocks=tuple(_blocks(_merged_spans(spans))))


def _merged_spans(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans (first, width) with adjacent ones merged."""
    merged: list[tuple[int, int]] = []
    for first, width in spans:
        if merged and sum(merged[-1]) == first:
            merged[-1] = (merged[-1][0], merged[-1][1] + width)
        else:
            merged.append((first, width))
    return merged


def _blocks(spans: Sequence[tuple[int, int]]) -> Iterator[Block]:
    """Merge spans of equal width at equal distance into blocks."""
    position = 0
    while position < len(spans):
        first, width = spans[position]
        step = spans[position + 1][0] - first if position + 1 < len(spans) else width
        count = 1
        while position + count < len(spans) and spans[position + count] == (first + count * step, width):
            count += 1
        yield Block(first=first, width=width, step=step, count=count)
        position += count
