"""`stressbench impact`: what a program does to the network, seen by light probes beside it."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import orjson
import typer

from stressbench.cli.errands import (
    Typed,
    at_least_one,
    errand_of,
    probing_of,
    require_real,
    scratch,
    tell_crowd,
)
from stressbench.cli.following import FOLLOWS, stop
from stressbench.cli.keeping import Keep, keep
from stressbench.cli.launches import Ended
from stressbench.cli.link import Link, link_of
from stressbench.cli.pages import Report
from stressbench.cli.places import ABOUT, PLACES, place_of
from stressbench.cli.probing import measure
from stressbench.console import echo
from stressbench.interference.errors import ProfileFileError
from stressbench.interference.finding import ImpactFound, Measured, impact_found
from stressbench.interference.keeping import differences, profile_of, settings_of
from stressbench.interference.profile import Profile, Provenance
from stressbench.launch import session
from stressbench.launch.errors import LaunchMistake

_HELP = """\
Say how busy a program keeps the network: pairs of hosts play ping-pong now and then, on the idle machine and while the
program runs. From how much longer they take follows the switch's utilisation (active measurement, M/G/1).

CMD is an MPI program without its mpirun, built with the engine's MPI: it starts on -n ranks where --on says, in this
folder, unchanged. Or a workload, W.sb: all its jobs together. Its output passes through. Probes begin before it and
end with it; whatever either of them leaves behind is ended.

\b
Examples:
    stressbench impact --on lab:tiny -- hpcc
    stressbench impact -n 64 --on slurm -o hpcc.json -- ./hpcc
    stressbench impact -n 16 --on lab:tinis --every 20ms --effect 4 -- ./solver input.txt
    stressbench impact -n 8 --on lab:tiny --rounds 20 workloads/demo.sb
    stressbench impact --on lab:tiny --store profiles --name hpcc --report hpcc.html -- hpcc

Where the model does not hold the utilisation is "cannot tell", and why; latencies are shown all the same.
-o and --store keep every latency in a profile, for predictions; --report draws it, `stressbench sensitivity` later.

Exit status: 0 done, 2 something to put right (nothing was started), 3 CMD or the probes failed, or CMD was too short,
130 interrupted.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("impact", help=_HELP, context_settings=FOLLOWS, no_args_is_help=True)(impact)


def impact(
    words: Annotated[
        list[str], typer.Argument(metavar="[--] CMD... | W.sb", help="A program, or a workload.", show_default=False)
    ],
    ranks: Annotated[
        int | None,
        typer.Option("-n", "--ranks", metavar="N", help="Ranks of CMD; a lab has its own number.", show_default=False),
    ] = None,
    on: Annotated[str, typer.Option("--on", metavar=PLACES, help=f"Where both run. {ABOUT}.")] = "local",
    ranks_per_node: Annotated[
        int | None, typer.Option(metavar="K", help="Of a workload: call K consecutive ranks a node.")
    ] = None,
    rounds: Annotated[int | None, typer.Option(metavar="N", help="Of a workload; default: 10.")] = None,
    pairs: Annotated[
        int | None,
        typer.Option(metavar="K", help="Pairs of hosts that probe; default: all hosts, two by two; one on local."),
    ] = None,
    place: Annotated[
        str | None,
        typer.Option(metavar="WHERE", help="Who pairs with whom: linear (neighbours), interleaved or random:SEED."),
    ] = None,
    size: Annotated[str, typer.Option(metavar="SIZE", help="Of a probe's message.")] = "1KiB",
    every: Annotated[
        str, typer.Option(metavar="T", help="From a pair's ping-pong to its next one, on average.")
    ] = "100ms",
    idle: Annotated[str, typer.Option(metavar="T", help="How long probes run alone, before CMD and after.")] = "20s",
    after: Annotated[
        bool, typer.Option("--after/--no-after", help="Also probe after CMD: did the idle machine change?")
    ] = True,
    effect: Annotated[
        int | None,
        typer.Option(metavar="N", help="Run CMD N times with probes and N times without: what do they do to it?"),
    ] = None,
    time_limit: Annotated[
        str | None, typer.Option(metavar="T", help="End each run of CMD after this time; what was seen counts.")
    ] = None,
    link: Annotated[
        str | None, typer.Option(metavar="RATE", help="Of the link that the program loads, such as 10Gbit.")
    ] = None,
    packet: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Of the program's packets on it, such as 1514B.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="Of the order of runs, and of the workload.")] = 1,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.json", help="Keep a profile with every latency.")
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep it among others: DIR/MACHINE/NAME.json, replaced or added to."),
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
        at_least_one("--effect", effect)
        loaded = link_of(link, packet)
        typed = Typed(
            words=words, on=on, ranks=ranks, ranks_per_node=ranks_per_node, rounds=rounds, placement=place, idle=idle,
            after=after, time_limit=time_limit, seed=seed, engine=engine, name=name,
        )  # fmt: skip
        errand = errand_of(typed, probing=probing, place=where, companions=2 * probing.pairs)
        kept = keep(
            errand, words, name=name, machine=machine, output=output, store=store, page=page,
            probes=settings_of(probing, loaded.traffic), differs=differences,
        )  # fmt: skip
        tell_crowd(errand, called="probes")
        with scratch("impact") as folder:
            measured = measure(errand, folder=folder, effect=effect or 0, traffic=loaded.traffic)
        found = impact_found(measured)
        _show(found, kept, link=loaded, as_json=as_json)
        _write(
            kept,
            measured,
            cautions=found.cautions,
            configuration={"effect": str(effect or 0), **dict(loaded.provenance())},
        )
    except (LaunchMistake, ProfileFileError) as mistake:
        raise stop(str(mistake)) from None
    except Ended as ended:
        raise stop(str(ended), status=ended.status) from None
    except KeyboardInterrupt:
        raise stop("interrupted; nothing is claimed", status=session.INTERRUPTED) from None


def _write(
    kept: Keep, measured: Measured, *, cautions: tuple[str, ...], configuration: dict[str, str]
) -> None:  # fmt: skip
    def made(provenance: Provenance, known: Profile | None) -> Profile:
        return profile_of(
            measured, application=kept.application, machine=kept.machine, provenance=provenance, kept=known,
            by_rounds=kept.errand.workload is not None,
        )  # fmt: skip

    levels = 0 if kept.known is None else len(kept.known.levels)
    kept.write(
        made, pairs=measured.beside, configuration=configuration, cautions=cautions,
        also=f", with {levels} compressions that it held" if levels else "",
    )  # fmt: skip


def _show(found: ImpactFound, kept: Keep, *, link: Link, as_json: bool) -> None:
    errand = kept.errand
    if as_json:
        told = {
            "application": kept.application, "machine": kept.machine, "command": kept.command, "on": errand.on,
            "ranks": errand.shape.ranks, "probing": asdict(errand.probing), "link": link.rate, "packet": link.packet,
            **asdict(found),
        }  # fmt: skip
        echo(orjson.dumps(told, option=orjson.OPT_INDENT_2))
        return
    from stressbench.report.renderers.text import standard_output
    from stressbench.report.terminal.impact_table import print_impact

    print_impact(found, name=errand.name, probing=errand.probing, console=standard_output())
