"""`stressbench validate`: the calls and times of a workload compared with those of the application it models."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.options.after_dashes import split_at_dashes, words_after_dashes
from stressbench.cli.options.captures import AnyTag
from stressbench.cli.options.common import Engine, TargetName, seed_option
from stressbench.cli.options.computation import ComputationOfProgram, CpuTime
from stressbench.cli.options.documents import AsJson, output_option
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.cli.options.share import share
from stressbench.cli.options.study_creation import OneRankCount
from stressbench.cli.options.wrapped_command import OPTIONS_BELONG_TO_COMMAND
from stressbench.console import emit
from stressbench.errors import UserError
from stressbench.exit_status import ExitStatus
from stressbench.experiments.validation.emission import NotEmitted
from stressbench.experiments.validation.running import run_validation
from stressbench.experiments.validation.spec import LAUNCHES, MOST_ITERATIONS, ValidationSpec
from stressbench.results.validation import Validation, Verdict
from stressbench.tracing.iterations import Boundaries

_HELP = """\
Compare a workload with the application that it models: the MPI calls of each rank, and the time of an iteration.

CMD is an MPI program without its mpirun, built with the engine's MPI. It is captured once to find the iterations that
make the calls of MOTIF or W.sb. Then CMD and the workload are launched in turn. In each turn the workload computes
between its calls for as long as CMD did, on each rank, so that both differ only in what they do in MPI. If CMD never
makes these calls, the first difference of each rank is reported. Without a workload, CMD is compared with a replay of
the calls of its own loop.

\b
Examples:
    stressbench validate -n 2 tealeaf -x 1000 -y 1000 -- ./tea_leaf
    stressbench validate -n 4 -- python3 heat.py
    stressbench validate -n 8 --on lab:tiny --within 5% -o tealeaf sweep3d --it-g 50 -- ./sweep3d.mpi
    stressbench validate -n 4 --from 'Allreduce[MIN]*' cloverleaf -x 960 -y 960 -- ./clover_leaf
    stressbench validate -n 4 --emit heat.sb heat-halo.sb -- python3 heat.py
    stressbench validate -n 2 --figures figures minife -x 48 -- ./miniFE.x -nx 48
    stressbench validate -n 2 --json minife -x 48 -- ./miniFE.x -nx 48 | jq .ratio

Calls are written as `stressbench trace show` prints them: an Isend is Is>PEER:TAG:BYTES, the sum of one double is
Allreduce[SUM]:8@RANKS. --from and --to take such a call or the name of an operation; * and ? match as in a shell.

Exit status: 0 the calls are the same (and, with --within, the times), 1 they differ, 2 invalid input, 3 a launch
failed, 130 interrupted.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    command_class = split_at_dashes("-- CMD...")
    app.command("validate", help=_HELP, cls=command_class, context_settings=OPTIONS_BELONG_TO_COMMAND)(validate)


@with_options
def validate(
    *,
    context: typer.Context,
    workload: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MOTIF [OPTIONS] | W.sb]",
            help="A motif with its options, or a workload of one job; default: a replay of CMD's own loop.",
            show_default=False,
        ),
    ] = None,
    ranks: OneRankCount = None,
    on: TargetName = "local",
    launches: Annotated[
        int, typer.Option(metavar="N", min=1, help="Launches of CMD and of the workload; 6 or more give an interval.")
    ] = LAUNCHES,
    within: Annotated[
        str | None, typer.Option(metavar="5%", help="Largest accepted deviation of the ratio of times from 1.")
    ] = None,
    computation: ComputationOfProgram = None,
    cpu_time: CpuTime = None,
    first: Annotated[
        str | None, typer.Option("--from", metavar="CALL", help="Call that begins an iteration of CMD.")
    ] = None,
    last: Annotated[
        str | None, typer.Option("--to", metavar="CALL", help="Call that ends an iteration of CMD.")
    ] = None,
    pcontrol: Annotated[
        bool, typer.Option("--pcontrol", help="Only compare what CMD does between MPI_Pcontrol(1) and MPI_Pcontrol(0).")
    ] = False,
    whole: Annotated[
        bool, typer.Option("--whole", help="Compare the whole run with its replay; calls may differ by launch.")
    ] = False,
    any_tag: AnyTag = False,
    iterations: Annotated[
        int, typer.Option(metavar="N", min=1, help="Measure at most this many iterations in a launch.")
    ] = MOST_ITERATIONS,
    seed: Annotated[int, seed_option("Random seed of the workload.", least=0)] = 1,
    emit_workload: Annotated[
        Path | None,
        typer.Option("--emit", metavar="FILE.sb", help="Write the workload with the computation of CMD."),
    ] = None,
    output: Annotated[
        Path | None,
        output_option("DIR", "Keep captures, launches and a report there."),
    ] = None,
    figures: FigureFiles,
    as_json: AsJson = False,
    engine: Engine = None,
) -> None:  # fmt: skip
    """Compare the two, print the result, and end with the status that it means."""
    figures.check()
    spec = ValidationSpec(
        workload=tuple(workload or ()), program=_program(words_after_dashes(context)), on=on, ranks=ranks,
        engine=engine, launches=launches, computation=computation, cpu_time=cpu_time,
        boundaries=Boundaries(first=first, last=last), begins_paused=pcontrol, whole=whole, any_tag=any_tag,
        most_iterations=iterations, seed=seed, emit=emit_workload, output=output,
        tolerance=None if within is None else share(within, option="--within", zero=False),
    )  # fmt: skip
    try:
        result = run_validation(spec, progress=emit)
    except NotEmitted as fault:
        _show(fault.result, figures, as_json=as_json)
        raise
    _show(result, figures, as_json=as_json)
    if not result.complete:
        raise typer.Exit(ExitStatus.interrupted)
    if result.verdict in (Verdict.different_calls, Verdict.outside):
        raise typer.Exit(ExitStatus.negative)


def _program(words: Sequence[str]) -> tuple[str, ...]:
    if not words:
        raise UserError("the program is missing; write it after --: stressbench validate -n 2 MOTIF -- ./app")
    return tuple(words)


def _show(result: Validation, figures: FigureFiles, *, as_json: bool) -> None:
    from stressbench.report.validation.document import brief, page

    if as_json:
        from stressbench.cli.console.documents import print_json

        print_json(result, Validation)
    else:
        from stressbench.report.renderers.text import show

        show(brief(result))
    figures.write(lambda: page(result), sources=())
