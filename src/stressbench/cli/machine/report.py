"""`stressbench machine report`: the page of a machine."""

from typing import Annotated

import typer

from stressbench.cli.console.documents import print_or_write, renderer_named
from stressbench.cli.options.documents import OutputFile, format_option
from stressbench.cli.options.machine import MachinePath
from stressbench.formats.machines import read_machine
from stressbench.report.machine import FORMATS

_HELP = """\
Report the figures of a machine as one page: text, Markdown, CSV, JSON, or HTML.

The checksum of the result is verified first.

\b
Examples:
    stressbench machine report tiny
    stressbench machine report tiny --format html -o tiny.html
    stressbench machine report machine.json --format json | jq '.figures[] | {name, value, low, high}'

Exit status: 0 success, 2 there is no result, or it has changed.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("report", help=_HELP)(report)


def report(path: MachinePath, kind: Annotated[str, format_option(FORMATS)] = "text", output: OutputFile = None) -> None:
    """Print or write the result at `path`."""
    render = renderer_named(kind, FORMATS)
    print_or_write(render(read_machine(path)), output)
