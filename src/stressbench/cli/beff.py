"""`stressbench beff`: the effective bandwidth of a machine, by itself."""

import os
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import orjson
import typer
from rich.console import Console

from stressbench.cli.following import say
from stressbench.cli.places import ABOUT, PLACES, engine_for, place_of
from stressbench.launch import session
from stressbench.launch.ending import explain
from stressbench.launch.engine import EngineOptions, RunFile
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.stopping import Patience
from stressbench.launch.target import shape_of
from stressbench.report.terminal.page import new_table, print_table, standard_output
from stressbench.report.units import digits, rate, size
from stressbench.suite.beff import BEff, b_eff_of
from stressbench.suite.errors import SuiteFileError
from stressbench.suite.protocol import Kind, read_protocols
from stressbench.suite.published import SOURCE, TABLE_1

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
        float | None,
        typer.Option(
            metavar="GFLOPS",
            min=0.0,
            help="Linpack's Rmax of these ranks: adds the balance factor.",
            show_default=False,
        ),
    ] = None,
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
    try:
        if evaluated is not None:
            result = _evaluate(evaluated)
        else:
            words = _motif(memory=memory, lmax=lmax, drawn=drawn, quick=quick, extra=extra)
            with tempfile.TemporaryDirectory(prefix="stressbench-beff-") as name:
                protocol = (output or Path(name, "protocol.jsonl")).absolute()
                if protocol.exists():
                    raise LaunchMistake(f"-o {protocol}: is there already; name a new file, or remove it")
                options = EngineOptions(
                    isolated="1", contended="0", repetitions="1", warmup="0", seed=seed, verify=verify
                )
                status = _measure(
                    Path(name), f"{words} --protocol {protocol}", ranks=ranks, on=on, engine=engine, options=options
                )
                if status != session.DONE:
                    if output is not None and protocol.exists():
                        say(f"what was measured lies in {output}; it is not complete, and gives no number")
                    raise typer.Exit(status)
                result = _evaluate(protocol)
    except (LaunchMistake, SuiteFileError) as mistake:
        say(str(mistake))
        raise typer.Exit(session.MISTAKE) from None
    if as_json:
        balance = None if not rmax else result.b_eff / (rmax * 1e9)
        typer.echo(
            orjson.dumps(
                {**asdict(result), "balance_bytes_per_flop": balance},
                option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS,
            )
        )
        return
    _print(standard_output(), result, rmax=rmax)
    if published:
        _print_published(standard_output())


def _motif(*, memory: str | None, lmax: str | None, drawn: str | None, quick: bool, extra: bool) -> str:
    valued = (("--memory", memory), ("--lmax", lmax), ("--random", drawn))
    words = [text for option, value in valued if value is not None for text in (option, value)]
    flags = [option for option, given in (("--quick", quick), ("--extra", extra)) if given]
    return " ".join(["b_eff", *words, *flags])


def _measure(
    folder: Path, motif: str, *, ranks: int | None, on: str, engine: Path | None, options: EngineOptions
) -> int:
    """Run the motif alone; its exit status."""
    place = place_of(on, environment=os.environ)
    workload, run_file = folder / "b_eff.sb", RunFile(path=folder / "run.jsonl")
    shape = shape_of(ranks=ranks, ranks_per_node=1, run_file=run_file, default=place.ranks)
    workload.write_text(f"[JOB_NAME] b_eff\n[NODES] {shape.ranks}\n[MOTIF] {motif}\n", encoding="utf-8")
    wish = session.Wish(
        workload=workload, ranks=shape.ranks, ranks_per_node=shape.ranks_per_node, run_file=run_file,
        options=options.with_stall_limit(place.stall_limit), mpirun=None,
        engine=engine_for(place, engine, environment=os.environ), launcher_arguments=(), realtime=False,
        terminal=False, place=place, patience=Patience(), on=on,
    )  # fmt: skip
    prepared = session.prepare(wish, environment=os.environ)
    if isinstance(prepared, int):
        return prepared
    ending = session.run(prepared, run_file=run_file.path)
    for sentence in explain(ending, wish=wish):
        if "--continue" not in sentence:
            say(sentence)
    return ending.status


def _evaluate(path: Path) -> BEff:
    result = b_eff_of(read_protocols(path)[-1])
    if result is None:
        raise SuiteFileError(f"{path}: not every pattern was measured at every size; no number follows from that")
    return result


def _print(console: Console, found: BEff, *, rmax: float | None) -> None:
    table = new_table(left=("",), right=("all ranks", "a rank"))

    def row(name: str, value: float | None) -> None:
        table.add_row(name, rate(value), rate(None if value is None else value / found.ranks))

    row("b_eff", found.b_eff)
    row("  rings", found.rings)
    row("  random patterns", found.polygons)
    row("at Lmax", found.at_lmax)
    row("  rings", found.rings_at_lmax)
    if found.pingpong is not None:
        table.add_row("ping-pong at Lmax", "", rate(found.pingpong))
    console.print(
        f"{found.ranks} ranks, Lmax {size(found.lmax_bytes)}, random patterns {found.random}, seed {found.seed}"
    )
    print_table(console, table)
    patterns = new_table(left=("pattern",), right=("mean over sizes", "at Lmax"), last=("best method at Lmax",))
    longest = max(found.patterns[0].best)
    for one in found.patterns:
        if one.kind is Kind.random:
            continue
        best = max(one.methods, key=lambda method: one.methods[method].get(longest, 0.0))
        patterns.add_row(one.name, rate(one.mean), rate(one.best[longest]), best)
    print_table(console, patterns)
    if rmax:
        console.print(f"balance: {digits(found.b_eff / (rmax * 1e9))} bytes a floating-point operation (b_eff / Rmax)")
    for reason in found.reduced:
        console.print(f"not comparable with published numbers: {reason}")
    if found.elapsed_s is not None and found.timed_s < 0.95 * found.elapsed_s:
        share = 1 - found.timed_s / found.elapsed_s
        console.print(f"CAUTION: {share:.0%} of {digits(found.elapsed_s)} s lay outside of timed loops")


def _print_published(console: Console) -> None:
    console.print(f"\nPublished, not measured here: {SOURCE} (MB/s)")
    table = new_table(
        left=("system",),
        right=("processors", "b_eff", "a proc.", "Lmax MB", "ping-pong", "at Lmax", "a proc.", "rings, a proc."),
    )
    for one in TABLE_1:
        table.add_row(
            one.system, str(one.processors), f"{one.b_eff:g}", f"{one.per_processor:g}", str(one.lmax_mb),
            "–" if one.pingpong is None else f"{one.pingpong:g}", f"{one.at_lmax:g}",
            f"{one.per_processor_at_lmax:g}", f"{one.rings_per_processor_at_lmax:g}",
        )  # fmt: skip
    print_table(console, table)
