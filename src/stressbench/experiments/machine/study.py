"""The study that runs the workloads of the suite: how often, how long, and under which placements. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stressbench.experiments.machine.suite import PLACEMENTS, Suite
from stressbench.experiments.study.cell_targets import absolute
from stressbench.formats.machines import SUITE_VERSION, SuiteSettings

WARMUP = 1


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much is measured: launches of each workload, blocks of one isolated and one contended round, and times.

    `min_time_s`: at least this long per job and round. `run_limit_s`: a launch starts no round that would end later.
    """

    launches: int
    blocks: int
    min_time_s: float
    run_limit_s: float


FULL = Effort(launches=3, blocks=4, min_time_s=0.5, run_limit_s=60)
QUICK = Effort(launches=1, blocks=6, min_time_s=0.02, run_limit_s=60)


def effort_of(settings: SuiteSettings) -> Effort:
    """How much the settings ask for."""
    return QUICK if settings.quick else FULL


def study_tables(suite: Suite, settings: SuiteSettings) -> Mapping[str, Any]:
    """The tables of the study file, whose paths are relative to the folder of the workloads."""
    effort = effort_of(settings)
    placed = [one.file for one in suite.benchmarks if one.placed]
    unplaced = [one.file for one in suite.benchmarks if not one.placed]
    placements = study_placements(settings) if placed else None
    exclude = [{"workload": unplaced, "placement": list(placements[1:])}] if placements and unplaced else None
    return {
        "about": f"stressbench machine, suite {SUITE_VERSION}",
        "seed": settings.seed,
        "repetitions": effort.launches,
        "factors": {
            "workload": [one.file for one in suite.benchmarks],
            "on": absolute(settings.on, folder=Path.cwd()),
            "ranks": settings.ranks,
            "ranks_per_node": settings.ranks_per_node,
            "placement": placements,
            "engine": settings.engine,
        },
        "run": {
            "isolated": effort.blocks, "contended": effort.blocks, "repetitions": 1, "warmup": WARMUP,
            "min_time": f"{effort.min_time_s * 1e3:.0f}ms", "time_limit": f"{effort.run_limit_s:.0f}s",
        },
        "exclude": exclude,
    }  # fmt: skip


def study_placements(settings: SuiteSettings) -> tuple[str, ...]:
    """The `PLACEMENTS` as a study file names them."""
    return tuple(f"{name}:{settings.seed}" if name == "random" else name for name in PLACEMENTS)
