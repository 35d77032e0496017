"""`stressbench impact`: utilisation of the network by a program, measured with light probes while it runs."""

from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.common import Engine
from stressbench.cli.options.documents import AsJson
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.figure_files import FigureFiles
from stressbench.cli.options.measurement import (
    ProfileOptions,
    ProgramOptions,
    ProgramRunOptions,
    prepare,
)
from stressbench.cli.options.probes import ProbeOptions
from stressbench.cli.options.wrapped_command import OPTIONS_BELONG_TO_COMMAND, ProgramCommand
from stressbench.console import emit
from stressbench.experiments.interference.prepared import PreparedImpact
from stressbench.experiments.interference.spec import require_positive
from stressbench.interference.profile_assembly import levels_incompatibility
from stressbench.interference.reports import ImpactReport

_HELP = """\
Measure how busy a program keeps the network. Pairs of hosts exchange light ping-pong probes, on the idle machine and
while the program runs. The utilisation of the switch follows from how much longer probes take while it runs (active
measurement with an M/G/1 queue).

CMD is an MPI program without its mpirun, built with the engine's MPI. It is started unchanged on -n ranks of the launch
target, in the current directory; its output passes through. A workload, W.sb, runs with all its jobs at the same time.
Probes start before CMD and stop after it. Processes that either of them leaves behind are terminated.

\b
Examples:
    stressbench impact --on lab:tiny -- hpcc
    stressbench impact -n 64 --on slurm -o hpcc.json -- ./hpcc
    stressbench impact -n 16 --on lab:tinis --every 20ms --effect 4 -- ./solver input.txt
    stressbench impact -n 8 --on lab:tiny --rounds 20 workloads/demo.sb
    stressbench impact --on lab:tiny --store profiles --name hpcc --report hpcc.html --figures figures -- hpcc

Where the queueing model does not apply, the utilisation is inconclusive; latencies are shown with the reason.
-o and --store write a profile with every latency, for predictions; --report and `stressbench sensitivity` draw it.

Exit status: 0 success, 2 invalid input (nothing was started), 3 CMD or the probes failed, or CMD was too short,
130 interrupted.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("impact", help=_HELP, context_settings=OPTIONS_BELONG_TO_COMMAND, no_args_is_help=True)(impact)


@with_options
def impact(
    words: ProgramCommand, program: ProgramOptions, probes: ProbeOptions, *,
    effect: Annotated[
        int | None,
        typer.Option(metavar="N", help="Run CMD N times with probes and N times without, to measure their effect."),
    ] = None,
    run: ProgramRunOptions, profile: ProfileOptions, figures: FigureFiles, as_json: AsJson = False,
    engine: Engine = None,
) -> None:  # fmt: skip
    """Measure and print the utilisation of the network, and write the profile."""
    target = program.target
    schedule = probes.schedule(target, target_name=program.on)
    require_positive("--effect", effect)
    link = run.loaded_link
    spec, destination = prepare(
        words, program, probes, run, profile, figures, target=target, schedule=schedule,
        background_ranks=2 * schedule.pairs, engine=engine, incompatibility=levels_incompatibility,
    )  # fmt: skip
    prepared = PreparedImpact(spec=spec, destination=destination, link=link, effect_runs=effect or 0)
    measured = prepared.run(progress=emit)
    if as_json:
        print_json(measured.report, ImpactReport)
    else:
        from stressbench.report.interference.impact import document_of
        from stressbench.report.renderers.text import show

        show(document_of(measured.report, name=spec.name, probing=spec.schedule))
    measured.write_profile(progress=emit)
