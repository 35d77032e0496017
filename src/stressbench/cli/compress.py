"""`stressbench compress`: how much a program is slowed by a network that others keep busy, ring by ring."""

import os
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.compressing import measure
from stressbench.cli.compression_plan import Rings, companions_of, plan_of
from stressbench.cli.compression_telling import said_interrupted, show, write
from stressbench.cli.errands import (
    Typed,
    errand_of,
    is_workload,
    probing_of,
    require_real,
    scratch,
    tell_crowd,
)
from stressbench.cli.following import FOLLOWS, stop
from stressbench.cli.keeping import keep
from stressbench.cli.launches import Ended
from stressbench.cli.link import link_of
from stressbench.cli.pages import Report
from stressbench.cli.places import ABOUT, PLACES, place_of
from stressbench.formats.errors import ProfileFileError
from stressbench.interference.keeping import impact_differences, settings_of
from stressbench.launch import session
from stressbench.launch.errors import LaunchMistake

_HELP = """\
Say how much a program is slowed by a network that is kept busy: beside it a ring of ranks, one a host, sends messages
to its neighbours, more or less of them (active measurement, CompressionB). How busy each ring keeps the switch light
probes say, without the program; how much it slows the program, the program's own time beside it and alone.

CMD is an MPI program without its mpirun, built with the engine's MPI: it starts on -n ranks where --on says, in this
folder, unchanged, many times. Or a workload, W.sb: all its jobs together, timed round by round.

\b
Examples:
    stressbench compress --on lab:tiny --store profiles --report hpcc.html -- hpcc
    stressbench compress -n 64 --on slurm -o hpcc.json -- ./hpcc
    stressbench compress -n 16 --on lab:tinis --levels 5 --runs 6 -- ./solver input.txt
    stressbench compress -n 8 --on lab:tiny --rounds 20 workloads/demo.sb
    stressbench compress -n 8 --on lab:tiny --partners 1,3 --bubbles 10us,1ms --levels all -- ./solver

Of all rings (the paper has 40) those are taken that fill the largest gaps of utilisation. -o and --store keep a
profile, for predictions; an impact that a store holds stays in it. --report draws all of it.

Exit status: 0 done, 2 something to put right (nothing was started), 3 CMD or the probes failed, or CMD was too short,
130 interrupted (rings beside which CMD has run are kept).
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("compress", help=_HELP, context_settings=FOLLOWS, no_args_is_help=True)(compress)


def compress(
    words: Annotated[
        list[str], typer.Argument(metavar="[--] CMD... | W.sb", help="A program, or a workload.", show_default=False)
    ],
    ranks: Annotated[
        int | None,
        typer.Option("-n", "--ranks", metavar="N", help="Ranks of CMD; a lab has its own number.", show_default=False),
    ] = None,
    on: Annotated[str, typer.Option("--on", metavar=PLACES, help=f"Where all run. {ABOUT}.")] = "local",
    ranks_per_node: Annotated[
        int | None, typer.Option(metavar="K", help="Of a workload: call K consecutive ranks a node.")
    ] = None,
    rounds: Annotated[int | None, typer.Option(metavar="N", help="Of a workload, each a time; default: 10.")] = None,
    runs: Annotated[
        int | None,
        typer.Option(metavar="R", help="Runs alone, and beside each ring; default: 4, of a workload 1."),
    ] = None,
    levels: Annotated[str, typer.Option(metavar="K|all", help="How many rings at most.")] = "8",
    partners: Annotated[
        str | None, typer.Option(metavar="LIST", help="Of each rank; default: 1,4,7,14,17 as far as there are ranks.")
    ] = None,
    bubbles: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Sleeps, such as 10us,1ms, or cycles; default: 2.5e4 to 2.5e7 cycles."),
    ] = None,
    clock: Annotated[
        str | None, typer.Option(metavar="HZ", help="What cycles are of; default: 2.6GHz, the paper's.")
    ] = None,
    messages: Annotated[
        str | None, typer.Option(metavar="LIST", help="To each partner before a sleep; default: 1,10.")
    ] = None,
    message_size: Annotated[str, typer.Option(metavar="SIZE", help="Of the ring's messages.")] = "40KiB",
    nodes: Annotated[
        int | None, typer.Option(metavar="N", help="Hosts with a rank of the ring; default: all.", show_default=False)
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(metavar="K", help="Pairs of hosts that probe; default: all hosts, two by two; one on local."),
    ] = None,
    place: Annotated[
        str | None, typer.Option(metavar="WHERE", help="Who pairs with whom: linear (neighbours) or interleaved.")
    ] = None,
    size: Annotated[str, typer.Option(metavar="SIZE", help="Of a probe's message.")] = "1KiB",
    every: Annotated[
        str, typer.Option(metavar="T", help="From a pair's ping-pong to its next one, on average.")
    ] = "100ms",
    idle: Annotated[
        str, typer.Option(metavar="T", help="How long probes run: on the idle machine, and beside each ring.")
    ] = "20s",
    after: Annotated[
        bool, typer.Option("--after/--no-after", help="Also probe at the end: did the idle machine change?")
    ] = True,
    time_limit: Annotated[
        str | None, typer.Option(metavar="T", help="End each run of CMD after this time; a ring too heavy for it goes.")
    ] = None,
    link: Annotated[
        str | None, typer.Option(metavar="RATE", help="Of the link that is loaded, such as 10Gbit.")
    ] = None,
    packet: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Of the ring's packets on it, such as 1514B.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="Of the order of runs, and of the workload.")] = 1,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.json", help="Keep a profile with every time.")
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep it among others: DIR/MACHINE/NAME.json, with the impact it holds."),
    ] = None,
    page: Report = None,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Of the application; default: CMD's.")] = None,
    machine: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of the machine in profiles; default: the lab's, or the host's.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Every number, s; behind CMD's own output.")] = False,
    engine: Annotated[
        Path | None, typer.Option(metavar="PATH", help="stressbench-mpi; default: as `stressbench run` finds it.")
    ] = None,
) -> None:
    """Check, measure, show, keep."""
    try:
        where = require_real(place_of(on, environment=os.environ), on=on)
        probing = probing_of(where, on=on, pairs=pairs, size=size, every=every)
        typed = Typed(
            words=words, on=on, ranks=ranks, ranks_per_node=ranks_per_node, rounds=rounds, placement=place, idle=idle,
            after=after, time_limit=time_limit, seed=seed, engine=engine, name=name,
        )  # fmt: skip
        rings = Rings(
            partners=partners, bubbles=bubbles, messages=messages, message_size=message_size, clock=clock,
            levels=levels, nodes=nodes,
        )  # fmt: skip
        plan = plan_of(
            rings, place=where, on=on, pairs=probing.pairs, placement=place, runs=runs,
            by_rounds=is_workload(words), link=link_of(link, packet),
        )  # fmt: skip
        errand = errand_of(
            typed, probing=probing, place=where, companions=companions_of(plan, place=where, pairs=probing.pairs)
        )  # fmt: skip
        kept = keep(
            errand, words, name=name, machine=machine, output=output, store=store, page=page,
            probes=settings_of(probing, plan.link.traffic), differs=impact_differences,
        )  # fmt: skip
        tell_crowd(errand, called="probes and ring")
        with scratch("compress") as folder:
            taken = measure(errand, plan, folder=folder)
        if taken.interrupted is None:
            show(taken.measured, kept, plan, as_json=as_json)
        write(kept, taken, plan)
    except (LaunchMistake, ProfileFileError) as mistake:
        raise stop(str(mistake)) from None
    except Ended as ended:
        raise stop(str(ended), status=ended.status) from None
    except KeyboardInterrupt:
        raise stop("interrupted; nothing is claimed", status=session.INTERRUPTED) from None
    if taken.interrupted is not None:
        raise stop(said_interrupted(taken, kept), status=session.INTERRUPTED)
