"""Options of `stressbench rails run` that apply to programs."""

from dataclasses import dataclass
from typing import Annotated

import typer

from stressbench.cli.options.study_creation import Interval, figure_option
from stressbench.experiments.sweep.workload_rules import refuse_program_options


@dataclass(frozen=True, kw_only=True)
class RailProgramOptions:
    """What is read and recorded of a program's launches, and how far apart they start."""

    figures: Annotated[
        list[str] | None,
        figure_option("Figure of merit in the output of CMD: a regular expression with one group; can be repeated."),
    ] = None
    profile: Annotated[
        bool,
        typer.Option(
            "--profile", help="Record the time of each launch of CMD in point-to-point calls and in collectives."
        ),
    ] = False
    interval: Interval = None

    def refuse_for_workloads(self) -> None:
        """Raise StudyMistake if one of these options is given."""
        refuse_program_options(
            (("--fom", self.figures), ("--profile", self.profile), ("--interval", self.interval is not None))
        )
