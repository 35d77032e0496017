"""`stressbench corun run`, also the default of `stressbench corun`: all programs at the same time."""

import typer

from stressbench.cli.console.coruns import print_and_exit
from stressbench.cli.options.after_dashes import split_at_dashes, words_after_dashes
from stressbench.cli.options.common import Engine
from stressbench.cli.options.corun import EXIT_STATUS, CorunOptions, Workloads, command_line
from stressbench.cli.options.documents import AsJson
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.cli.options.wrapped_command import OPTIONS_BELONG_TO_COMMAND
from stressbench.console import emit

_HELP = f"""\
Run two or more programs at the same time, and measure how much each is slowed by the others.

Programs are MPI programs without their mpirun, built with the engine's MPI; ++ separates them. W.sb is a workload, all
of whose jobs run. In each block, every program runs isolated, and all run together, in random order. A program that
ends while others still run is started again, so that none runs beside an idle machine; executions that others did not
run beside for long enough do not count. Times are from MPI_Init to MPI_Finalize.

\b
Examples:
    stressbench corun -n 4 --on lab:tiny -- ./cg 300 ++ ./ft 64
    stressbench corun -n 8,4 --nodes shared --on slurm -o both -- hpcc ++ lmp -in in.lj
    stressbench corun -n 2 --on lab:tiny --rounds 20 halo.sb -- ./cg 300
    stressbench corun -n 2 --on lab:tiny -- ./cg 300 ++ ./cg 300                 # two copies
    stressbench corun -n 4 --on lab:tiny --figures figures -- ./cg 300 ++ ./ft 64
    stressbench corun -n 4 --on lab:tiny --fom 'GFLOPS=([0-9.e+-]+) Gflops' -- ./xhpl ++ ./ft 64
    stressbench corun -n 4 --on lab:tiny --iteration-call cg=Allreduce -- ./cg 300 ++ ./ft 64
    stressbench corun -n 4 --on lab:tiny --json -- ./cg ++ ./ft | jq '.slowdowns[] | [.program, .slowdown.value]'

DIR gets launches.jsonl (every execution, written after each period), observations.jsonl (for `predict evaluate`) and
report.html. After Ctrl-C, the results of what was measured are printed.

{EXIT_STATUS}
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    command_class = split_at_dashes("[-- CMD... [++ CMD...]...]")
    app.command("run", help=_HELP, cls=command_class, context_settings=OPTIONS_BELONG_TO_COMMAND)(run)


@with_options
def run(
    *, context: typer.Context, workloads: Workloads = None, options: CorunOptions, figures: FigureFiles,
    as_json: AsJson = False, engine: Engine = None,
) -> None:  # fmt: skip
    """Measure, and print the slowdowns."""
    figures.check()
    words = command_line(workloads, words_after_dashes(context))
    result = options.spec(words, engine=engine).run(progress=emit)
    print_and_exit(result, figures, sources=options.sources, as_json=as_json)
