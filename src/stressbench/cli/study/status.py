"""`stressbench study status`: how far a study is."""

from typing import Any

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.single import AsJson
from stressbench.cli.options.study import Folder
from stressbench.console import echo, warning
from stressbench.experiments.study.directory import open_directory
from stressbench.experiments.study.running import tally_of
from stressbench.experiments.study.standing import State, retries_of, standings
from stressbench.formats.study.cells import described, varying
from stressbench.formats.units import duration_text

_HELP = """\
Say how many runs of a study are done, what failed and why, what is left, and how long that may take.

\b
Examples:
    stressbench study status placement
    stressbench study status placement --json | jq '.runs[] | select(.state == "failed")'

Exit status: 0, 2 where DIR holds no study.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("status", help=_HELP)(status)


def status(folder: Folder, as_json: AsJson = False) -> None:
    """Read, count, print."""
    directory = open_directory(folder)
    manifest = directory.read()
    found = standings(directory.study.runs, manifest.records)
    retries = retries_of(manifest.records, written=directory.study.retries)
    tally = tally_of(found, retries=retries)
    if as_json:
        runs = [
            {
                "run": one.run.id, "cell": one.run.cell.id, "repetition": one.run.repetition, "state": one.state.value,
                "file": one.file, "failures": one.failures, "status": one.status, "reason": one.reason,
                "duration_s": one.duration_s,
            }
            for one in found
        ]  # fmt: skip
        values = {
            "done": tally.done, "failed": tally.failed, "spared": tally.spared, "total": tally.total,
            "left_s": tally.left_s, "complaints": manifest.complaints, "runs": runs,
        }  # fmt: skip
        print_json(values, Any)
        return
    for complaint in manifest.complaints:
        warning(complaint)
    counts = ", ".join(f"{count} {state}" for state in State if (count := sum(one.state is state for one in found)))
    echo(f"{tally.total} runs: {counts}")
    factors = varying(directory.study.cells)
    for one in found:
        if one.state is State.failed:
            again = "will be tried again" if one.is_open(retries=retries) else "given up"
            echo(
                f"{one.run.id} failed {one.failures} times, {again}: status {one.status}, {one.reason} "
                f"({described(one.run.cell, factors)})"
            )
    if any(one.is_open(retries=retries) for one in found):
        echo(f"time left: {duration_text(tally.left_s)}")
