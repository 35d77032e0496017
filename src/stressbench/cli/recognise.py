"""`stressbench recognise`: the motifs of a captured program, as a workload."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.options.captures import AnyTag, JobName
from stressbench.cli.options.common import Engine, ranks_option
from stressbench.cli.options.documents import AsJson, output_option
from stressbench.console import emit, note
from stressbench.exit_status import ExitStatus
from stressbench.experiments.recognition import recognise_captures
from stressbench.tracing.recognition.recognised import RecognisedCaptures

_HELP = """\
Find the motifs whose calls a captured program makes, with the options for which they send what the program sent, and
write them as a workload. Unlike the recorded program, motifs run on other numbers of ranks and other sizes.

From the sizes of messages, options of each motif of an application are estimated. The engine then lists the calls of
the motif with these options, which have to be those of the program on every rank: peers, tags, sizes and order. Several
captures of the same program and input on other numbers of ranks show what one of them leaves open. Of several captures
on the same number of ranks, the computation is the median.

Other loops, and what the program does between its motifs, become motif stencil if all ranks make the same calls to
their neighbours on a process grid, or to partners in recursive doubling or a binomial tree. What remains is replayed
from trace files that are written next to APP.sb, as long as the workload is not scaled.

With --ranks or --size, the motifs of the first capture are scaled: the mesh is divided among the ranks anew, and
computation is that of the motif's own law, with the factor that the capture gives.

\b
Examples:
    stressbench capture -o app.trace mpirun -n 4 ./tea_leaf
    stressbench recognise app.trace -o app.sb
    stressbench recognise app-4.trace app-8.trace -o app.sb
    stressbench recognise app-4.trace app-4-again.trace app-4-third.trace -o app.sb     (median times)
    stressbench recognise app.trace -n 128 -o app-128.sb      (the same mesh)
    stressbench recognise app.trace -n 128 --size 32 -o app-128-weak.sb   (32 times as many cells)
    stressbench recognise --json app.trace | jq '.captures[0].motifs[].candidate'

Exit status: 0 a motif was recognised in the first capture, 1 none was, 2 invalid input, 3 the engine failed.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("recognise", help=_HELP, no_args_is_help=True)(recognise)


def recognise(
    captures: Annotated[
        list[Path], typer.Argument(metavar="FILE.trace...", help="Captures of the same program and input.")
    ],
    ranks: Annotated[int | None, ranks_option("Scale to this many ranks.", metavar="P")] = None,
    size: Annotated[float, typer.Option(metavar="F", help="Scale to F times the cells of all ranks together.")] = 1.0,
    any_tag: AnyTag = False,
    output: Annotated[Path | None, output_option("APP.sb", "Workload file to write.")] = None,
    job: JobName = None,
    as_json: AsJson = False,
    engine: Engine = None,
) -> None:
    """Print the motifs, write the workload, and end with the status that the result means."""
    result = recognise_captures(
        captures, ranks=ranks, size=size, any_tag=any_tag, output=output, job=job, engine=engine, progress=emit
    )
    _print(result, as_json=as_json)
    if not result.captures[0].motifs:
        raise typer.Exit(ExitStatus.negative)
    if output is not None:
        note(f"next: stressbench run {output} -n {(result.scaled or result.captures[0]).ranks}")


def _print(result: RecognisedCaptures, *, as_json: bool) -> None:
    if as_json:
        from stressbench.cli.console.documents import print_json

        print_json(result, RecognisedCaptures)
        return
    from stressbench.report.recognition import recognition_document
    from stressbench.report.renderers.text import show

    show(recognition_document(result))
