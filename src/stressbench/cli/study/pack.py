"""`stressbench study pack`: a study as one file."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.options.documents import output_option
from stressbench.cli.options.study import Folder
from stressbench.console import echo, warning
from stressbench.experiments.study.directory import open_directory
from stressbench.experiments.study.packing import pack as pack_up

_HELP = """\
Pack a study into one file: runs, study file, manifest, workloads, schemas, environment, and the SHA-256 of each.

\b
Examples:
    stressbench study pack placement -o placement.tar.gz
    stressbench study pack placement -o placement.tar.zst     # smaller; needs the program zstd
    stressbench study verify placement.tar.gz

Exit status: 0 success, 2 DIR has no study or the file cannot be written.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("pack", help=_HELP)(pack)


def pack(
    folder: Folder,
    output: Annotated[Path, output_option("FILE.tar.gz|FILE.tar.zst", "Archive to write; it must not exist.")],
) -> None:
    """Pack the study and print the number of files."""
    packed = pack_up(open_directory(folder), output)
    for sentence in packed.left_out:
        warning(sentence)
    echo(f"{output}: {packed.files} files")
