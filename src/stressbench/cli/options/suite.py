"""Options that `beff` and `beff-io` share."""

import os
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from stressbench.experiments.suites import SuiteLaunch, suite_shape
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.targets import engine_for

ProtocolFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--from", metavar="FILE.jsonl", help="Evaluate this file instead of measuring."),
]
WithPublished: TypeAlias = Annotated[bool, typer.Option("--published", help="Also print the results of the paper.")]


def suite_launch(
    target: LaunchTarget, ranks: int | None, *, on: str, engine: Path | None, seed: str, verify: bool
) -> SuiteLaunch:  # fmt: skip
    """The launch of the suite on `target`. Raises LaunchMistake."""
    return SuiteLaunch(
        shape=suite_shape(target, ranks), target=target, target_name=on,
        engine=engine_for(target, engine, environment=os.environ), seed=seed, verify=verify,
    )  # fmt: skip
