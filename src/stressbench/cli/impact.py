"""`stressbench impact`: what a program does to the network, seen by light probes beside it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import orjson
import typer

from stressbench.cli.following import FOLLOWS, say, stop
from stressbench.cli.keeping import Keep, keep
from stressbench.cli.places import ABOUT, PLACES, place_of
from stressbench.cli.probing import Errand, measure
from stressbench.launch import machine as this_machine
from stressbench.launch import session
from stressbench.launch.duration import seconds
from stressbench.launch.engine import RunFile
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.lab import LabPlace
from stressbench.launch.place import HERE, Place
from stressbench.launch.simgrid import SimgridPlace
from stressbench.launch.sizes import size_bytes
from stressbench.launch.target import shape_of
from stressbench.report.units import count
from stressbench.sensitivity.errors import ProfileFileError
from stressbench.sensitivity.finding import ImpactFound, impact_found, seconds_for
from stressbench.sensitivity.pingpongs import Probing
from stressbench.sensitivity.probing import LEAST_SAMPLES

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
    stressbench impact --on lab:tiny --store profiles --name hpcc -- hpcc

Where the model does not hold the utilisation is "cannot tell", and why; latencies are shown all the same.
-o and --store keep every latency in a profile, for predictions.

Exit status: 0 done, 2 something to put right (nothing was started), 3 CMD or the probes failed, or CMD was too short,
130 interrupted.
"""
_SUFFIX = ".sb"


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
    every: Annotated[str, typer.Option(metavar="T", help="From a pair's ping-pong to its next one.")] = "100ms",
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
    seed: Annotated[int, typer.Option(metavar="S", help="Of the order of runs, and of the workload.")] = 1,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.json", help="Keep a profile with every latency.")
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep it among others: DIR/MACHINE/NAME.json, replaced or added to."),
    ] = None,
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
        probing_every = seconds(every, option="--every")
        where = _place(on)
        probing = Probing(
            pairs=_pairs(where, pairs, on=on), message_bytes=size_bytes(size, option="--size"), interval_s=probing_every
        )
        errand = _errand(
            words, probing=probing, place=where, on=on, ranks=ranks, ranks_per_node=ranks_per_node, rounds=rounds,
            placement=place, idle=idle, after=after, effect=effect, time_limit=time_limit, seed=seed, engine=engine,
            name=name,
        )  # fmt: skip
        kept = keep(errand, words, name=name, machine=machine, output=output, store=store)
        _tell_crowd(errand)
        with _folder() as folder:
            measured = measure(errand, folder=folder)
        found = impact_found(measured)
        _show(found, errand, kept, as_json=as_json)
        kept.write(measured)
    except (LaunchMistake, ProfileFileError) as mistake:
        raise stop(str(mistake)) from None
    except KeyboardInterrupt:
        raise stop("interrupted; nothing is claimed", status=session.INTERRUPTED) from None


def _place(on: str) -> Place:
    place = place_of(on, environment=os.environ)
    if isinstance(place, SimgridPlace):
        raise LaunchMistake(f"--on {on}: two programs cannot run side by side in a simulation; a lab or a cluster can")
    return place


def _pairs(place: Place, typed: int | None, *, on: str) -> int:
    """How many pairs of hosts. Raises LaunchMistake."""
    hosts = place.host_count
    if typed is not None and typed < 1:
        raise LaunchMistake(f"--pairs: {typed} is not at least 1")
    if hosts is None:
        if typed is None:
            raise LaunchMistake(f"--pairs: --on {on} does not say how many hosts there are; how many pairs?")
        return typed
    if typed is not None and typed > max(1, hosts // 2):
        there = "1 host" if hosts == 1 else f"{hosts} hosts"
        raise LaunchMistake(f"--pairs: {typed} pairs need {2 * typed} hosts; --on {on} has {there}")
    return typed or max(1, hosts // 2)


def _errand(
    words: list[str], *, probing: Probing, place: Place, on: str, ranks: int | None, ranks_per_node: int | None,
    rounds: int | None, placement: str | None, idle: str, after: bool, effect: int | None, time_limit: str | None,
    seed: int, engine: Path | None, name: str | None,
) -> Errand:  # fmt: skip
    """What is to be done, with every word checked that can be. Raises LaunchMistake."""
    workload = Path(words[0]) if len(words) == 1 and words[0].endswith(_SUFFIX) else None
    _check_words(words[0], workload)
    for option, given in (("--rounds", rounds), ("--ranks-per-node", ranks_per_node)):
        if workload is None and given is not None:
            raise LaunchMistake(f"{option} {given}: is for workloads, W{_SUFFIX}; {words[0]} is a program")
    for option, given in (("--rounds", rounds), ("--effect", effect)):
        if given is not None and given < 1:
            raise LaunchMistake(f"{option}: {given} is not at least 1")
    idle_s = seconds(idle, option="--idle")
    least_s = seconds_for(LEAST_SAMPLES, probing)
    if idle_s < least_s * (1 - 1e-9):
        raise LaunchMistake(
            f"--idle: {idle} is too short: {LEAST_SAMPLES} probes are the least, which is {least_s:g} s here"
        )
    return Errand(
        name=name or (words[0] if workload is not None else Path(words[0]).name),
        words=tuple(words),
        workload=workload,
        rounds=rounds or 10,
        shape=shape_of(
            ranks=ranks, ranks_per_node=ranks_per_node, run_file=RunFile(path=Path("run.jsonl")), default=place.ranks
        ),
        probing=probing,
        place=place,
        on=on,
        placement=placement,
        engine=engine,
        seed=seed,
        idle_s=idle_s,
        after=after,
        effect=effect or 0,
        limit_s=None if time_limit is None else seconds(time_limit, option="--time-limit"),
    )


def _check_words(program: str, workload: Path | None) -> None:
    if workload is not None:
        if not workload.is_file():
            raise LaunchMistake(f"{workload} is not a file" if workload.exists() else f"{workload} does not exist")
    elif shutil.which(program) is None:
        raise LaunchMistake(f"{program}: there is no such program that you may execute")


def _tell_crowd(errand: Errand) -> None:
    """Where all ranks are on this machine, and more of them than cores."""
    cores, all_ranks = this_machine.cores(), errand.shape.ranks + errand.probes
    here = isinstance(errand.place, LabPlace) or errand.place is HERE
    if here and not this_machine.allocated(os.environ) and all_ranks > cores:
        say(
            f"{count(errand.shape.ranks, 'rank')} and {errand.probes} of probes share {count(cores, 'core')}: "
            "probes wait for cores as well as for the network"
        )


@contextmanager
def _folder() -> Iterator[Path]:
    """In the current folder, which hosts share more often than /tmp."""
    home = Path.cwd() if os.access(Path.cwd(), os.W_OK) else None
    with TemporaryDirectory(prefix=".stressbench-impact-", dir=home) as name:
        yield Path(name)


def _show(found: ImpactFound, errand: Errand, kept: Keep, *, as_json: bool) -> None:
    if as_json:
        told = {
            "application": kept.application, "machine": kept.machine, "command": kept.command, "on": errand.on,
            "ranks": errand.shape.ranks, "probing": asdict(errand.probing), **asdict(found),
        }  # fmt: skip
        typer.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2))
        return
    from stressbench.report.terminal.impact_table import print_impact
    from stressbench.report.terminal.page import standard_output

    print_impact(found, name=errand.name, probing=errand.probing, console=standard_output())
