"""`stressbench beff-io`: the effective I/O bandwidth of a machine, by itself."""

import os
import re
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import orjson
import typer

from stressbench.cli.following import say
from stressbench.cli.pages import Report, check_page, write_page
from stressbench.cli.places import ABOUT, PLACES, place_of
from stressbench.cli.suites import (
    Alone,
    measure,
    mistakes_told,
    options_of,
    protocol_file,
    shape_at,
)
from stressbench.console import echo
from stressbench.formats.files import limits, read_bytes
from stressbench.launch import session
from stressbench.launch.duration import seconds
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.place import Place
from stressbench.launch.sizes import size_bytes
from stressbench.report.renderers import render
from stressbench.report.renderers.text import show
from stressbench.report.suites import beff_io as documents
from stressbench.suites.beff_io import BEffIO, b_eff_io_of
from stressbench.suites.io_protocol import read_io_protocols

_HELP = """\
Measure the effective I/O bandwidth b_eff_io (Rabenseifner and Koniges): one number for a file system, and its parts.

All ranks write files for a third of T, write them again, and read them: 36 patterns of five types through MPI-IO,
chunks of 1 kB to M_PART, with and without 8 bytes more. Release 2 takes all partitions within one T, and writes
again by type 0 only. Shorter times, limited files and no shared pointers are possible, and said.
-o keeps every pattern's time; --from computes the number again from such a file, without MPI.

\b
Examples:
    stressbench beff-io -n 8 --file /scratch/me/b_eff_io -o disk.jsonl
    stressbench beff-io -n 16 -T 30min --release 2 --partitions 4,8,16 --on slurm --report disk.html
    stressbench beff-io -n 4 -T 60s --on lab:tiny-io --limit 256MiB
    stressbench beff-io --from disk.jsonl --cache 8GiB --json

Exit status: 0 done, 2 something to put right, 3 the run failed or --from holds one that did not come to its end, 130
interrupted (what was measured is shown; no number is claimed).
"""
_NAME = "b_eff_io"
_DEFAULT_T = {1: "15min", 2: "30min"}
_HINT = re.compile(r"[^=,\s]+=[^=,]+")


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("beff-io", help=_HELP)(beff_io)


def beff_io(
    ranks: Annotated[
        int | None,
        typer.Option(
            "-n", "--ranks", metavar="N", help="How many MPI ranks; a lab has its own number.", show_default=False
        ),
    ] = None,
    scheduled: Annotated[
        str | None,
        typer.Option(
            "-T",
            "--time",
            metavar="T",
            help="Of a partition in release 1 (default 15min), of all in release 2 (30min). Less is said.",
        ),
    ] = None,
    on: Annotated[str, typer.Option("--on", metavar=PLACES, help=f"Where ranks start. {ABOUT}.")] = "local",
    partitions: Annotated[
        str | None, typer.Option(metavar="2,4", help="Numbers of ranks to measure with; default: all.")
    ] = None,
    release: Annotated[str, typer.Option(metavar="1|2", help="Which order and meaning of T.")] = "1",
    file: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help=f"Where files go: this path and what is added to it. Default: ${{SCRATCH}}/{_NAME} on labs that have "
            f"it, else {_NAME} in this folder.",
            show_default=False,
        ),
    ] = None,
    memory: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Memory a rank; its 128th is M_PART. Default: found.")
    ] = None,
    mpart: Annotated[str | None, typer.Option(metavar="SIZE", help="The longest chunk, M_PART, itself.")] = None,
    limit: Annotated[
        str | None, typer.Option(metavar="SIZE", help="The most that files may take; default: no limit.")
    ] = None,
    hint: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="A hint for MPI-IO; may be repeated.")
    ] = None,
    no_shared: Annotated[bool, typer.Option("--no-shared", help="Type 1 without shared file pointers.")] = False,
    types: Annotated[str | None, typer.Option(metavar="0,1", help="Only these pattern types: gives no number.")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Leave the files behind.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Files that are there may be replaced.")] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Check every byte that is read; slower.")] = False,
    seed: Annotated[str, typer.Option(metavar="S", help="Of the run.")] = "1",
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE.jsonl", help="Keep the protocol: every pattern's time."),
    ] = None,
    evaluated: Annotated[
        Path | None, typer.Option("--from", metavar="FILE.jsonl", help="Measure nothing; evaluate this protocol.")
    ] = None,
    page: Report = None,
    published: Annotated[bool, typer.Option("--published", help="Also print what the paper published.")] = False,
    cache: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="The file system's cache: says whether 20 times as much was written."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Every number, bytes/s; for programs.")] = False,
    engine: Annotated[
        Path | None, typer.Option(metavar="PATH", help="stressbench-mpi; default: as `stressbench run` finds it.")
    ] = None,
) -> None:
    """Run or read, evaluate, show."""
    status = session.DONE
    with mistakes_told():
        cache_bytes = None if cache is None else size_bytes(cache, option="--cache")
        check_page(page)
        if evaluated is not None:
            result = _evaluate(evaluated, cache_bytes=cache_bytes)
        else:
            _check(scheduled=scheduled, release=release, memory=memory, mpart=mpart, limit=limit, hints=hint or [])
            place = place_of(on, environment=os.environ)
            shape = shape_at(place, ranks)
            chosen = _numbers(types, option="--types", least=0, most=4, of="types from 0 to 4, such as 0,1")
            sizes = _numbers(
                partitions, option="--partitions", least=1, most=shape.ranks,
                of=f"numbers of ranks from 1 to {shape.ranks}, such as 2,4",
            )  # fmt: skip
            options = options_of(
                ("--time", scheduled or _DEFAULT_T[int(release)]), ("--file", file or _default_file(place, on=on)),
                ("--partitions", sizes), ("--release", release), ("--memory", memory), ("--mpart", mpart),
                ("--limit", limit), ("--hint", ",".join(hint) if hint else None), ("--types", chosen),
                flags=(("--no-shared", no_shared), ("--keep", keep), ("--overwrite", overwrite)),
            )  # fmt: skip
            alone = Alone(
                motif=_NAME, options=options, shape=shape, on=on, place=place, engine=engine, seed=seed, verify=verify
            )
            with protocol_file(output, motif="beff-io") as (folder, protocol):
                status = measure(alone, folder=folder, protocol=protocol)
                if status != session.DONE and not _holds_lines(protocol):
                    raise typer.Exit(status)
                result = _evaluate(protocol, cache_bytes=cache_bytes, ended_well=status == session.DONE)
        if page is not None:
            write_page(page, render("html", documents.page(result)))
    _show(result, as_json=as_json, published=published)
    if not result.complete:
        if as_json:
            say(documents.said_number(result))
        raise typer.Exit(status or session.FAULT)
    raise typer.Exit(status)


def _check(
    *, scheduled: str | None, release: str, memory: str | None, mpart: str | None, limit: str | None, hints: list[str]
) -> None:
    """Raise LaunchMistake for a value that cannot be right, before anything starts."""
    if release not in ("1", "2"):
        raise LaunchMistake(f"--release: '{release}' must be 1 or 2")
    if scheduled is not None:
        seconds(scheduled, option="-T")
    for option, value in (("--memory", memory), ("--mpart", mpart), ("--limit", limit)):
        if value is not None:
            size_bytes(value, option=option)
    if memory is not None and mpart is not None:
        raise LaunchMistake(f"--mpart {mpart}: --memory {memory} says it already; leave one out")
    for text in hints:
        if _HINT.fullmatch(text) is None:
            raise LaunchMistake(f"--hint: '{text}' must be KEY=VALUE, such as striping_factor=4")


def _numbers(text: str | None, *, option: str, least: int, most: int, of: str) -> str | None:
    """The list as it was typed, if each of its numbers is between these, once. Raises LaunchMistake."""
    if text is None:
        return None
    words = text.split(",")
    right = all(re.fullmatch(r"\d{1,9}", word) and least <= int(word) <= most for word in words)
    if not right or len(set(map(int, words))) < len(words):
        raise LaunchMistake(f"{option}: '{text}' must be {of}, each once")
    return text


def _default_file(place: Place, *, on: str) -> str:
    """The lab's ${SCRATCH}, or this folder. Raises LaunchMistake where a lab's is out of order."""
    scratch = dict(place.environment).get("SCRATCH")
    if scratch is None:
        return str(Path.cwd() / _NAME)
    if not scratch:
        raise LaunchMistake(f"--on {on}: its I/O nodes serve no files (`lab up` said why); --file names another place")
    return "${SCRATCH}/" + _NAME


def _holds_lines(protocol: Path) -> bool:
    """Whether anything was written before the end."""
    try:
        return b"\n" in read_bytes(protocol, limit=limits.PROTOCOL)
    except OSError:
        return False


def _evaluate(path: Path, *, cache_bytes: int | None, ended_well: bool = True) -> BEffIO:
    """The last execution of the file; a run that failed has no end, whatever it wrote."""
    read = read_io_protocols(path)[-1]
    return b_eff_io_of(read if ended_well else replace(read, end=None), cache_bytes=cache_bytes)


def _show(result: BEffIO, *, as_json: bool, published: bool) -> None:
    if as_json:
        echo(orjson.dumps({**asdict(result), "complete": result.complete}, option=orjson.OPT_INDENT_2))
        return
    show(documents.brief(result, published=published))
