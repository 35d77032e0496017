"""`stressbench study plan`: what a study file would run."""

from pathlib import Path
from typing import Any

import orjson
import typer

from stressbench.cli.study.common import AsJson, StudyWord, described, duration_text, told
from stressbench.console import echo
from stressbench.formats.errors import reason_of
from stressbench.formats.files import limits, read_text
from stressbench.report.renderers.text import new_table, print_table
from stressbench.report.terminal import standard_output
from stressbench.study.catalog import study_file
from stressbench.study.cells import varying
from stressbench.study.errors import StudyMistake
from stressbench.study.estimate import bounds_of
from stressbench.study.file import Study, read_study

_HELP = """\
List the cells of a study and the order of its runs, and start nothing.

The time is told as far as the file fixes it: at least `min_time` in each round, at most `time_limit` a run.

\b
Examples:
    stressbench study plan lab/io-study
    stressbench study plan mine.toml --json | jq '.runs | length'

Exit status: 0 the file is right, 2 it is not: a line a mistake.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("plan", help=_HELP)(plan)


def plan(
    what: StudyWord,
    as_json: AsJson = False,
) -> None:
    """Read, list."""
    with told():
        file = study_file(what)
        study, _ = read_study(file)
    show_plan(study, folder=file.absolute().parent, as_json=as_json)


def show_plan(study: Study, *, folder: Path, as_json: bool) -> None:
    """Print cells and runs of a study whose paths are relative to `folder`."""
    least_s, most_s = _bounds(study, folder)
    if as_json:
        echo(orjson.dumps(_values(study, least_s, most_s), option=orjson.OPT_INDENT_2))
        return
    factors = varying(study.cells)
    if study.about:
        echo(study.about)
    echo(f"{len(study.cells)} cells, {_count(study)}, in the order of seed {study.seed}:")
    table = new_table(left=("run", *factors), right=())
    for run in study.runs:
        table.add_row(run.id, *(run.cell.values.get(name, "") for name in factors))
    print_table(standard_output(), table)
    if len(factors) < len(study.cells[0].values):
        fixed = tuple(name for name in study.cells[0].values if name not in factors)
        echo(f"in all cells: {described(study.cells[0], fixed)}")
    echo(f"time: at least {duration_text(least_s)}, at most {duration_text(most_s)}")


def _count(study: Study) -> str:
    if study.until is None:
        return f"{len(study.runs)} runs"
    return f"{study.until.at_least * len(study.cells)} to {len(study.runs)} runs"


def _bounds(study: Study, folder: Path) -> tuple[float | None, float | None]:
    """Of the whole study; None where a part is unknown."""
    texts = {name: _text(folder / name) for name in dict.fromkeys(cell.workload for cell in study.cells)}
    bounds = [bounds_of(study.run, workload=texts[cell.workload]) for cell in study.cells]
    fewest = 1 if study.until is None else study.until.at_least / study.repetitions
    least = [one.least_s for one in bounds if one.least_s is not None]
    most = [one.most_s for one in bounds if one.most_s is not None]
    return (
        sum(least) * study.repetitions * fewest if len(least) == len(bounds) else None,
        sum(most) * study.repetitions if len(most) == len(bounds) else None,
    )


def _text(workload: Path) -> str:
    try:
        return read_text(workload, limit=limits.WORKLOAD, errors="replace")
    except OSError as fault:
        raise StudyMistake(f"{workload}: {reason_of(fault)}") from fault


def _values(study: Study, least_s: float | None, most_s: float | None) -> dict[str, Any]:
    return {
        "about": study.about,
        "seed": study.seed,
        "factors": varying(study.cells),
        "cells": [{"cell": cell.id, "values": dict(cell.values)} for cell in study.cells],
        "runs": [{"run": run.id, "cell": run.cell.id, "repetition": run.repetition} for run in study.runs],
        "least_s": least_s,
        "most_s": most_s,
    }
