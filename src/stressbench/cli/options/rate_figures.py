"""Options of `stressbench degrade run`: figures of merit of a program."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.options.study_creation import LowerFigures, figure_option
from stressbench.experiments.sweep.rates.program_output import HPCC_N, FigureOptions


@dataclass(frozen=True, kw_only=True)
class RateFigureOptions:
    """The figures of merit of a program, and where they are read from."""

    figures: Annotated[
        list[str] | None,
        figure_option(
            "Figure of merit of CMD, higher is better: a regular expression with one group; can be repeated."
        ),
    ] = None
    lower: LowerFigures = None
    figure_file: Annotated[
        Path | None,
        typer.Option(
            "--fom-file", metavar="FILE", show_default=False,
            help="Read figures from this file instead of standard output; it is removed before each launch.",
        ),
    ] = None  # fmt: skip
    hpcc: Annotated[
        bool,
        typer.Option(
            "--hpcc", help="CMD is HPC Challenge: read hpccoutf.txt, and write its input file if there is none."
        ),
    ] = False
    hpcc_n: Annotated[
        int | None,
        typer.Option(
            "--hpcc-n",
            metavar="N",
            show_default=False,
            help=f"Matrix order of HPC Challenge's Linpack; default: {HPCC_N}.",
        ),
    ] = None

    def value(self) -> FigureOptions:
        """The options as the experiment expects them."""
        return FigureOptions(
            figures=self.figures or (), lower=self.lower or (), file=self.figure_file, hpcc=self.hpcc,
            hpcc_n=self.hpcc_n,
        )  # fmt: skip
