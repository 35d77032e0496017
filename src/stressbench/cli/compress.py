"""`stressbench compress`: slowdown of a program on a congested network, level by level."""

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
from stressbench.cli.options.ring import RingOptions
from stressbench.cli.options.wrapped_command import OPTIONS_BELONG_TO_COMMAND, ProgramCommand
from stressbench.console import emit, error
from stressbench.exit_status import ExitStatus
from stressbench.experiments.interference.prepared import PreparedCompression
from stressbench.experiments.interference.spec import MeasurementSpec, is_workload
from stressbench.interference.profile_assembly import impact_incompatibility
from stressbench.interference.reports import CompressionReport

_HELP = """\
Measure how much a program is slowed down by a congested network. While it runs, each rank of a ring of congestors, one
on each host, sends messages to its neighbours (active measurement, CompressionB). Light probes measure the utilisation
of the switch at each congestion level without the program; the slowdown is the program's time with the ring divided by
its isolated time.

CMD is an MPI program without its mpirun, built with the engine's MPI. It is started unchanged many times, on -n ranks
of the launch target, in the current directory. A workload, W.sb, runs with all its jobs at the same time and is timed
round by round.

\b
Examples:
    stressbench compress --on lab:tiny --store profiles --report hpcc.html --figures figures -- hpcc
    stressbench compress --on lab:tiny --store profiles --rings rings -- ./next-program
    stressbench compress -n 64 --on slurm -o hpcc.json -- ./hpcc
    stressbench compress -n 16 --on lab:tinis --levels 5 --runs 6 -- ./solver input.txt
    stressbench compress -n 8 --on lab:tiny --rounds 20 workloads/demo.sb
    stressbench compress -n 8 --on lab:tiny --partners 1,3 --bubbles 10us,1ms --levels all -- ./solver

Of all congestion levels (40 in the paper), those that fill the largest gaps in utilisation are measured; levels at
which CMD reaches --time-limit are dropped from the profile. -o and --store write a profile for predictions; a profile
that is already in the store keeps its impact. --report draws all of it. With --rings, programs that are measured with
the same options share the probes of the rings.

Exit status: 0 success, 2 invalid input (nothing was started), 3 CMD or the probes failed, or CMD was too short, 130
interrupted (congestion levels at which CMD was timed are kept).
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("compress", help=_HELP, context_settings=OPTIONS_BELONG_TO_COMMAND, no_args_is_help=True)(compress)


@with_options
def compress(
    words: ProgramCommand, program: ProgramOptions, ring: RingOptions, probes: ProbeOptions, run: ProgramRunOptions,
    profile: ProfileOptions, figures: FigureFiles, *, as_json: AsJson = False, engine: Engine = None,
) -> None:  # fmt: skip
    """Measure and print the slowdown at each congestion level, and write the profile."""
    target, link = program.target, run.loaded_link
    schedule = probes.schedule(target, target_name=program.on)
    plan = ring.plan(
        target, target_name=program.on, pairs=schedule.pairs, placement=probes.place, by_rounds=is_workload(words),
        packets=link.packets,
    )  # fmt: skip
    spec, destination = prepare(
        words, program, probes, run, profile, figures, target=target, schedule=schedule,
        background_ranks=plan.background_ranks(target, pairs=schedule.pairs), engine=engine,
        incompatibility=impact_incompatibility,
    )  # fmt: skip
    prepared = PreparedCompression(spec=spec, destination=destination, link=link, plan=plan, rings=ring.rings)
    measured = prepared.run(progress=emit)
    if measured.report is not None:
        _print(measured.report, spec, as_json=as_json)
    measured.write_profile(progress=emit)
    if measured.interruption is not None:
        error(measured.interruption)
        raise typer.Exit(ExitStatus.interrupted)


def _print(report: CompressionReport, spec: MeasurementSpec, *, as_json: bool) -> None:
    if as_json:
        print_json(report, CompressionReport)
        return
    from stressbench.report.interference.compression import document_of
    from stressbench.report.renderers.text import show

    show(document_of(report, name=spec.name, nodes=report.ring_nodes, by_rounds=spec.workload is not None))
