"""`stressbench compress`: how much a program is slowed down by a congested network, level by level."""

from dataclasses import asdict
from typing import Any

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.expansion import with_options
from stressbench.cli.options.following import FOLLOWS
from stressbench.cli.options.measurement import (
    Command,
    ProbeOptions,
    ProfileOptions,
    ProgramOptions,
    RunOptions,
    prepare,
)
from stressbench.cli.options.ring import RingOptions
from stressbench.cli.options.single import AsJson, Engine
from stressbench.console import error, note
from stressbench.exit_status import ExitStatus
from stressbench.experiments.interference import (
    CompressionMeasurement,
    LoadedLink,
    MeasurementSpec,
    ProfileDestination,
    RingPlan,
    measure_compression,
    write_compression_profile,
)
from stressbench.experiments.interference.spec import is_workload
from stressbench.interference.compression_analysis import CompressionResult, analyse_compression
from stressbench.interference.profile_assembly import impact_incompatibility

_HELP = """\
Measure how much a program is slowed down by a congested network. A ring of congestor ranks, one on each host, sends
more or fewer messages to its neighbours beside the program (active measurement, CompressionB). Light probes measure the
utilisation of the switch at each congestion level, without the program; the slowdown is the program's time beside the
ring divided by its isolated time.

CMD is an MPI program without its mpirun, built with the engine's MPI. It is started unchanged, and many times, on -n
ranks of the launch target, in the current directory. A workload, W.sb, runs with all its jobs at the same time and is
timed round by round.

\b
Examples:
    stressbench compress --on lab:tiny --store profiles --report hpcc.html -- hpcc
    stressbench compress -n 64 --on slurm -o hpcc.json -- ./hpcc
    stressbench compress -n 16 --on lab:tinis --levels 5 --runs 6 -- ./solver input.txt
    stressbench compress -n 8 --on lab:tiny --rounds 20 workloads/demo.sb
    stressbench compress -n 8 --on lab:tiny --partners 1,3 --bubbles 10us,1ms --levels all -- ./solver

Of all congestion levels (the paper has 40) those are measured that fill the largest gaps of utilisation; levels at
which CMD reaches --time-limit are dropped from the profile. -o and --store write a profile for predictions; a profile
in the store keeps its impact. --report draws all of it.

Exit status: 0 success, 2 invalid input (nothing was started), 3 CMD or the probes failed, or CMD was too short,
130 interrupted (congestion levels with times of CMD are kept).
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("compress", help=_HELP, context_settings=FOLLOWS, no_args_is_help=True)(compress)


@with_options
def compress(
    words: Command, program: ProgramOptions, ring: RingOptions, probes: ProbeOptions, run: RunOptions,
    profile: ProfileOptions, *, as_json: AsJson = False, engine: Engine = None,
) -> None:  # fmt: skip
    """Measure, print, write the profile."""
    target, link = program.target, run.loaded_link
    schedule = probes.schedule(program, target)
    plan = ring.plan(
        target, target_name=program.on, pairs=schedule.pairs, placement=probes.place, by_rounds=is_workload(words),
        packets=link.packets,
    )  # fmt: skip
    spec, destination = prepare(
        words, program, probes, run, profile, target=target, schedule=schedule,
        background_ranks=plan.background_ranks(target, pairs=schedule.pairs), engine=engine,
        incompatibility=impact_incompatibility,
    )  # fmt: skip
    measurement = measure_compression(spec, plan, progress=note)
    if measurement.interrupted is None:
        _print(measurement, spec, plan, destination, link, as_json=as_json)
    write_compression_profile(destination, spec, plan, measurement, link=link, progress=note)
    if measurement.interrupted is not None:
        error(f"{measurement.interrupted}; {_kept(measurement, destination)}")
        raise typer.Exit(ExitStatus.interrupted)


def _print(
    measurement: CompressionMeasurement, spec: MeasurementSpec, plan: RingPlan, destination: ProfileDestination,
    link: LoadedLink, *, as_json: bool,
) -> None:  # fmt: skip
    result = analyse_compression(measurement.data)
    if as_json:
        print_json(_described(result, spec, plan, destination, link), Any)
        return
    from stressbench.report.renderers.text import standard_output
    from stressbench.report.terminal.compression_table import print_compression

    print_compression(
        result, name=spec.name, nodes=plan.nodes, by_rounds=spec.workload is not None, console=standard_output()
    )  # fmt: skip


def _described(
    result: CompressionResult, spec: MeasurementSpec, plan: RingPlan, destination: ProfileDestination, link: LoadedLink
) -> dict[str, object]:
    return {
        "application": destination.application, "machine": destination.machine, "command": spec.command,
        "on": spec.target_name, "ranks": spec.shape.ranks, "probing": asdict(spec.schedule), "ring_nodes": plan.nodes,
        "seed": spec.seed, "link": link.rate, "packet": link.packet, **asdict(result),
    }  # fmt: skip


def _kept(measurement: CompressionMeasurement, destination: ProfileDestination) -> str:
    """What an interrupted measurement has."""
    data = measurement.data
    runs = [len(one.times_s) for one in data.completed_levels]
    many = f"{min(runs)}" if min(runs) == max(runs) else f"{min(runs)} to {max(runs)}"
    found = f"{len(runs)} congestion levels with {many} times each, and {len(data.alone_s)} isolated times"
    return f"kept {found}" if destination.is_requested else f"{found} are lost: -o or --store would have kept them"
