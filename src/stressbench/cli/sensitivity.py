"""`stressbench sensitivity`: what profiles say, without measuring anything."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.following import stop
from stressbench.cli.predict.common import Machine, StoreFolder, Words, profiles_of
from stressbench.cli.telling import tell
from stressbench.interference.errors import ProfileFileError
from stressbench.report.interference import FORMATS, shown
from stressbench.report.names import printable
from stressbench.study.errors import StudyMistake

_FORMATS = tuple(FORMATS)
_HELP = """\
Show what profiles say: latencies of the idle machine and beside the application, how busy it keeps the switch and when,
how busy each compression keeps it and how much it slows the application, and which share of each link is used.

`stressbench impact` and `stressbench compress` write profiles; nothing is measured here.

\b
Examples:
    stressbench sensitivity hpcc.json
    stressbench sensitivity hpcc.json --format html -o hpcc.html
    stressbench sensitivity --store profiles --machine lab-tiny --format html -o all.html
    stressbench sensitivity cg fft --store profiles --format csv -o levels.csv
    stressbench sensitivity hpcc.json --format json | jq '.[0].phases'

PROFILE is a file, or a folder with MACHINE/APPLICATION.json; with --store DIR it is an application's name (none: all).
All must be of one machine; --machine says which, where a folder has several.

Exit status: 0, 2 something to put right.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("sensitivity", help=_HELP, no_args_is_help=True)(sensitivity)


def sensitivity(
    words: Words = None,
    store: StoreFolder = None,
    machine: Machine = None,
    kind: Annotated[str, typer.Option("--format", metavar="|".join(_FORMATS), help="How to tell it.")] = "text",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Default: standard output.")
    ] = None,
) -> None:
    """Read all, tell it."""
    if kind not in FORMATS:
        raise stop(f"--format {printable(kind)}: expected one of {', '.join(FORMATS)}")
    try:
        profiles = profiles_of(words or (), store=store, machine=machine)
        tell(FORMATS[kind]([shown(one) for one in profiles]), output)
    except (ProfileFileError, StudyMistake) as mistake:
        raise stop(str(mistake)) from None
