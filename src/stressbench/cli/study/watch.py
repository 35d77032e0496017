"""`stressbench study watch`: the progress of a study or a run, as a page or in the terminal."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.console.watching import follow_in_terminal, serve_until_interrupted
from stressbench.cli.options.documents import json_option
from stressbench.cli.options.watching import port_option
from stressbench.errors import UserError
from stressbench.experiments.watching.latest import Latest
from stressbench.experiments.watching.serving import DEFAULT_INTERVAL_S, interval_of, page_server
from stressbench.experiments.watching.watcher import state_of, watcher_of
from stressbench.report.renderers.text import show
from stressbench.report.watching import watched_document
from stressbench.results.watching import Watched

_HELP = """\
Show what a study or a run does at the moment: progress, what runs where, intervals as they narrow, the estimated end,
and warnings. It reads files only, asks no rank, and may be started and ended at any time, also before the study begins.

A page is served on 127.0.0.1 until Ctrl-C; its address, which is printed, contains a token without which nothing is
shown. Files are read only while the page is open. --terminal shows the same in the terminal and ends with the study.

\b
Examples:
    stressbench study watch placement
    stressbench study watch placement --terminal
    stressbench study watch placement --once --json | jq .left_s
    stressbench study watch demo.jsonl                       # a run file

Exit status: 0 success, also after Ctrl-C; 2 invalid input, or with --once no study and no run.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("watch", help=_HELP)(watch)


def watch(
    path: Annotated[
        Path,
        typer.Argument(metavar="DIR|RUN.jsonl", help="Directory of a study, or a run file.", show_default=False),
    ],
    interval: Annotated[
        str, typer.Option(metavar="T", help="Time between two looks at the files, 0.5s to 1h.")
    ] = f"{DEFAULT_INTERVAL_S:g}s",
    port: Annotated[int, port_option("--port")] = 0,
    terminal: Annotated[
        bool, typer.Option("--terminal", help="Show the state here instead of serving a page.")
    ] = False,
    once: Annotated[bool, typer.Option("--once", help="Print the present state and exit.")] = False,
    as_json: Annotated[bool, json_option("With --once: JSON output; times in seconds, unknown is null.")] = False,
) -> None:
    """Print the state of a study or a run once, follow it in the terminal, or serve it as a page."""
    interval_s = interval_of(interval)
    if as_json and not once:
        raise UserError("--json: expected only with --once")
    if once and (terminal or port):
        raise UserError(f"{'--terminal' if terminal else '--port'}: expected only without --once")
    if terminal and port:
        raise UserError("--port: expected only without --terminal, which serves no page")
    if once:
        watched = state_of(path)
        if as_json:
            print_json(watched, Watched)
        else:
            show(watched_document(watched))
    elif terminal:
        follow_in_terminal(Latest(watcher_of(path), interval_s=interval_s), interval_s=interval_s)
    else:
        serve_until_interrupted(*page_server(watcher_of(path), interval_s=interval_s, port=port))
