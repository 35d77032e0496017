"""Options of commands that carry out a study."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from stressbench.cli.options.common import time_limit_option
from stressbench.cli.options.documents import json_option, output_option
from stressbench.experiments.study.execution import StudyOptions
from stressbench.experiments.sweep import option_values
from stressbench.experiments.sweep.launches import refuse_workload_options
from stressbench.formats.study.fields import MAX_RETRIES

EXIT_STATUS = (
    "Exit status: 0 all runs are done, 2 invalid input (nothing was started), 3 runs failed in all attempts, 130 "
    "interrupted\nor the time limit was reached (`study resume` continues)."
)
Folder: TypeAlias = Annotated[Path, typer.Argument(metavar="DIR", help="Directory of a study.", show_default=False)]
StudyArgument: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE.toml", help="A shipped study (see `study list`), or a study file.", show_default=False
    ),
]
NewDirectory: TypeAlias = Annotated[
    Path | None, output_option("DIR", "Directory of the measurements; required unless --dry-run.")
]
DryRun: TypeAlias = Annotated[bool, typer.Option("--dry-run", help="List the runs in their order, and start nothing.")]
Share: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--share",
        help="Share the runs with other commands that have this option at the same time, such as the tasks of a job "
        "array; each run is carried out once (slurm, flux and simgrid only).",
    ),
]
PlanAsJson: TypeAlias = Annotated[bool, json_option("With --dry-run: JSON output; times in seconds, unknown is null.")]


@dataclass(frozen=True, kw_only=True)
class SequentialStudyOptions:
    """How often failed runs are tried again, and when to stop."""

    retries: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            max=MAX_RETRIES,
            help="Total retries of a failed run, recorded in DIR; default: that of the study file, or 1.",
        ),
    ] = None
    time_limit: Annotated[
        str | None,
        time_limit_option("Start no run that would end after this time, for example 55min."),
    ] = None

    def value(self) -> StudyOptions:
        """The options as the experiment expects them."""
        return StudyOptions(retries=self.retries, time_limit_s=self._limit_s())

    def _limit_s(self) -> float | None:
        limit = option_values.time("--time-limit", self.time_limit)
        return None if limit is None else limit.value

    def refuse_for_program(self, program: Sequence[str]) -> None:
        """Raise StudyMistake if one of these options is given: launches of a program are not a study."""
        refuse_workload_options(
            program, (("--retries", self.retries is not None), ("--time-limit", self.time_limit is not None))
        )


@dataclass(frozen=True, kw_only=True)
class StudyRunOptions(SequentialStudyOptions):
    """The options of `SequentialStudyOptions`, and the number of concurrent runs."""

    jobs: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, help="Concurrent runs, each on separate nodes (slurm, flux and simgrid only)."
        ),
    ] = 1

    def value(self) -> StudyOptions:
        """The options as the experiment expects them."""
        return StudyOptions(retries=self.retries, time_limit_s=self._limit_s(), jobs=self.jobs)

    def refuse_for_program(self, program: Sequence[str]) -> None:
        """Raise StudyMistake if one of these options is given."""
        super().refuse_for_program(program)
        refuse_workload_options(program, (("--jobs", self.jobs != 1),))
