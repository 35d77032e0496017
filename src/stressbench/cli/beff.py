"""`stressbench beff`: the effective bandwidth of a machine, by itself."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import orjson
import typer

from stressbench.cli.balance import HPCC, measured_rmax, require_hpcc, typed_rmax
from stressbench.cli.following import say
from stressbench.cli.pages import Report, check_page, write_page
from stressbench.cli.places import ABOUT, PLACES, engine_for, place_of
from stressbench.cli.suites import Alone, measure, mistakes_told, options_of, protocol_file, shape_at
from stressbench.console import echo
from stressbench.launch import session
from stressbench.launch.errors import LaunchMistake
from stressbench.report.renderers import render
from stressbench.report.renderers.text import show
from stressbench.report.suites import beff as documents
from stressbench.suites.beff import BEff, b_eff_of
from stressbench.suites.errors import SuiteFileError
from stressbench.suites.hpcc import Rmax
from stressbench.suites.protocol import read_protocols

_HELP = """\
Measure the effective bandwidth b_eff (Rabenseifner and Koniges): one number for a network, and what it is made of.

All ranks send around rings: six patterns of neighbours and thirty at random, 21 message sizes, three ways to send, the
best of three. Two minutes to ten; --quick takes a ninth of the measurements, and says that its number is another.
-o keeps every loop's time; --from computes the number again from such a file, without MPI.

\b
Examples:
    stressbench beff -n 8 -o machine.jsonl
    stressbench beff -n 128 --on slurm --memory 2GiB --extra -o machine.jsonl
    stressbench beff --on lab:tiny --lmax 256KiB --quick
    stressbench beff -n 8 --rmax hpcc --report machine.html
    stressbench beff --from machine.jsonl --json

Exit status: 0 done, 2 something to put right, 3 the run failed, 130 interrupted (no number is claimed).
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("beff", help=_HELP)(beff)


def beff(
    ranks: Annotated[
        int | None,
        typer.Option(
            "-n", "--ranks", metavar="N", help="How many MPI ranks; a lab has its own number.", show_default=False
        ),
    ] = None,
    on: Annotated[str, typer.Option("--on", metavar=PLACES, help=f"Where ranks start. {ABOUT}.")] = "local",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.jsonl", help="Keep the protocol: every loop's time.")
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Memory a rank; its 128th is the longest message. Default: found."),
    ] = None,
    lmax: Annotated[str | None, typer.Option(metavar="SIZE", help="The longest message itself.")] = None,
    drawn: Annotated[
        str | None, typer.Option("--random", metavar="uniform|legacy", help="How random patterns are drawn.")
    ] = None,
    seed: Annotated[str, typer.Option(metavar="S", help="Reproduces the random patterns.")] = "1",
    quick: Annotated[bool, typer.Option("--quick", help="Fewer patterns and attempts: less exact.")] = False,
    extra: Annotated[
        bool, typer.Option("--extra", help="Ping-pong, bisections, grids too; they do not count.")
    ] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Look at every byte that arrives, not at two.")] = False,
    rmax: Annotated[
        str | None,
        typer.Option(
            metavar="GFLOPS|hpcc",
            help="Linpack's Rmax of these ranks: adds the balance factor. hpcc: run it afterwards, a small one.",
        ),
    ] = None,
    page: Report = None,
    published: Annotated[bool, typer.Option("--published", help="Also print what the paper published.")] = False,
    evaluated: Annotated[
        Path | None, typer.Option("--from", metavar="FILE.jsonl", help="Measure nothing; evaluate this protocol.")
    ] = None,
    engine: Annotated[
        Path | None, typer.Option(metavar="PATH", help="stressbench-mpi; default: as `stressbench run` finds it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Every number, bytes/s; for programs.")] = False,
) -> None:
    """Run or read, evaluate, show."""
    status = session.DONE
    with mistakes_told():
        balance = None if rmax is None else typed_rmax(rmax)
        check_page(page)
        if evaluated is not None:
            if rmax == HPCC:
                raise LaunchMistake(f"--rmax {HPCC}: runs behind a measurement; with --from give it in GFlop/s")
            result = _evaluate(evaluated)
        else:
            place = place_of(on, environment=os.environ)
            if rmax == HPCC:
                require_hpcc(place, on=on)
            options = options_of(
                ("--memory", memory), ("--lmax", lmax), ("--random", drawn),
                flags=(("--quick", quick), ("--extra", extra)),
            )  # fmt: skip
            alone = Alone(
                motif="b_eff", options=options, shape=shape_at(place, ranks), on=on, place=place, engine=engine,
                seed=seed, verify=verify,
            )  # fmt: skip
            result = _measured(alone, output)
            if rmax == HPCC:
                balance, status = _run_hpcc(alone, result)
        if page is not None:
            write_page(page, render("html", documents.page(result, rmax=balance)))
    _show(result, rmax=balance, as_json=as_json, published=published)
    raise typer.Exit(status)


def _measured(alone: Alone, output: Path | None) -> BEff:
    with protocol_file(output, motif="beff") as (folder, protocol):
        status = measure(alone, folder=folder, protocol=protocol)
        if status != session.DONE:
            if output is not None and protocol.exists():
                say(f"what was measured lies in {output}; it is not complete, and gives no number")
            raise typer.Exit(status)
        return _evaluate(protocol)


def _run_hpcc(alone: Alone, result: BEff) -> tuple[Rmax | None, int]:
    """Rmax and 0; where it fails, what is measured already is shown all the same."""
    say("b_eff is measured; now hpcc")
    try:
        found = measured_rmax(
            alone.place, ranks=result.ranks,
            memory_bytes=None if result.memory_bytes is None else result.memory_bytes * result.ranks,
            engine=engine_for(alone.place, alone.engine, environment=os.environ), environment=os.environ,
        )  # fmt: skip
    except LaunchMistake as mistake:
        say(str(mistake))
        return None, session.FAULT
    return found, session.DONE


def _evaluate(path: Path) -> BEff:
    result = b_eff_of(read_protocols(path)[-1])
    if result is None:
        raise SuiteFileError(f"{path}: not every pattern was measured at every size; no number follows from that")
    return result


def _show(result: BEff, *, rmax: Rmax | None, as_json: bool, published: bool) -> None:
    if as_json:
        told = {
            **asdict(result),
            "rmax_flops_per_s": None if rmax is None else rmax.flops_per_s,
            "balance_bytes_per_flop": None if rmax is None else result.b_eff / rmax.flops_per_s,
        }
        echo(orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS))
        return
    show(documents.brief(result, rmax=rmax, published=published))
