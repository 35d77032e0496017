"""Terminal output of `stressbench study watch`, and where the page of a run or a study can be opened."""

import sys
import time
from contextlib import AbstractContextManager, suppress

from stressbench.console import echo, note
from stressbench.experiments.run import PreparedRun
from stressbench.experiments.watching.latest import Latest
from stressbench.experiments.watching.page_server import PageServer
from stressbench.experiments.watching.serving import (
    DEFAULT_INTERVAL_S,
    lower_priority,
    page_beside_run,
    serve_page,
    tunnel_command,
)
from stressbench.report.renderers.text import show, standard_output
from stressbench.report.watching import progress_line, watched_document
from stressbench.results.watching import Watched


def announce(server: PageServer) -> None:
    """Print the address of the page, also with --quiet, and the command that makes it available elsewhere."""
    echo(f"stressbench: progress at {server.url}", err=True)
    note(f"to open it on another machine, first start there: {tunnel_command(server)}")


def page_of_run(prepared: PreparedRun, *, port: int | None) -> AbstractContextManager[None]:
    """Context in which a page shows the progress of the run, which is started in it. Raises UserError."""
    return page_beside_run(
        prepared.request.run_file.path, on=prepared.request.on, interval_s=DEFAULT_INTERVAL_S, port=port or 0,
        announce=announce,
    )  # fmt: skip


def serve_until_interrupted(server: PageServer, latest: Latest) -> None:
    """Print the present state, and serve the page until Ctrl-C."""
    with suppress(KeyboardInterrupt):
        note(progress_line(latest.watched()))
        announce(server)
        serve_page(server)


def follow_in_terminal(latest: Latest, *, interval_s: float) -> None:
    """Show the state until nothing is left to do, or until Ctrl-C.

    A terminal is redrawn at each look; elsewhere a line is printed whenever there is progress, and all at the end.
    """
    lower_priority()
    watched, shown = latest.watched(), ""
    with suppress(KeyboardInterrupt):
        while True:
            if sys.stdout.isatty():
                _redraw(watched)
            elif _without_clock(watched) != shown:
                shown = _without_clock(watched)
                echo(progress_line(watched))
                sys.stdout.flush()
            if watched.is_final:
                break
            time.sleep(interval_s)
            watched = latest.watched(anew=True)
    if not sys.stdout.isatty():
        show(watched_document(watched))


def _redraw(watched: Watched) -> None:
    console = standard_output()
    console.clear()
    show(watched_document(watched), console=console)


def _without_clock(watched: Watched) -> str:
    """What has to differ for another line: not the time left, which changes always."""
    rounds = ",".join(f"{run.run} {run.rounds}" for run in watched.runs)
    counts = "" if watched.study is None else f"{watched.study.done} {watched.study.failed} {watched.study.spared}"
    return f"{watched.activity} {watched.sentence} {counts} {rounds}"
