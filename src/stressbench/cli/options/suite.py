"""Options that `beff` and `beff-io` share."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from stressbench.cli.options.common import Engine, TargetName, seed_option
from stressbench.cli.options.documents import AsJson, output_option
from stressbench.cli.options.report_page import ReportPage
from stressbench.cli.options.study_creation import OneRankCount
from stressbench.experiments.suites import SuiteLaunch, suite_launch
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.targets import resolve_target


def memory_option(length: str) -> Any:
    """The option `--memory`, from which the `length` of the longest access follows."""
    return typer.Option(metavar="SIZE", help=f"Memory per rank; 1/128 of it is {length}. Default: detected.")


@dataclass(frozen=True, kw_only=True)
class SuiteOptions:
    """Where a suite runs, which protocol file it writes or reads, and how its result is shown."""

    ranks: OneRankCount = None
    on: TargetName = "local"
    output: Annotated[
        Path | None, output_option("FILE.jsonl", "Protocol to write, with the time of every measurement.")
    ] = None
    protocol_file: Annotated[
        Path | None, typer.Option("--from", metavar="FILE.jsonl", help="Evaluate this file instead of measuring.")
    ] = None
    seed: Annotated[str, seed_option("Random seed of the run.")] = "1"
    page: ReportPage = None
    published: Annotated[bool, typer.Option("--published", help="Also print the results of the paper.")] = False
    engine: Engine = None
    as_json: AsJson = False

    @property
    def target(self) -> LaunchTarget:
        """The launch target. Raises LaunchMistake."""
        return resolve_target(self.on, environment=os.environ)

    @property
    def sources(self) -> tuple[Path, ...]:
        """The protocol file that is evaluated or was written; none without one."""
        path = self.output if self.protocol_file is None else self.protocol_file
        return () if path is None else (path,)

    def launch(self, target: LaunchTarget, *, verify: bool) -> SuiteLaunch:
        """The launch of the suite on `target`. Raises LaunchMistake."""
        return suite_launch(target, self.ranks, on=self.on, engine=self.engine, seed=self.seed, verify=verify)
