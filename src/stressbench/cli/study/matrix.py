"""`stressbench study matrix`: who slows whom."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.places import PLACES
from stressbench.cli.study.common import EXIT_STATUS, Jobs, Retries, TimeLimit, Wanted, carry_out, told
from stressbench.formats.errors import reason_of
from stressbench.formats.files import limits, read_text, replace_whole
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import read_study
from stressbench.formats.toml import toml_text, unknown
from stressbench.study.combining import OneJob, combined, one_job
from stressbench.study.directory import take_up

_HELP = f"""\
Run every pair of workloads side by side, and say who slows whom: the matrix, the aggressor, the victim, and advice.

Each workload has one job and keeps its number of nodes; two of them run on nodes that they do not share, placed by
--place. What comes out is a study: resume, status, report and pack work on DIR, and `study report DIR` has the matrix.

\b
Examples:
    stressbench study matrix cg.sb fft.sb output.sb -n 8 --ranks-per-node 2 -o pairs
    stressbench study matrix cg.sb fft.sb output.sb -n 12 --triple cg,fft,output -o pairs
    stressbench study matrix cg.sb fft.sb --on lab:tinis --place linear --place interleaved -o pairs
    stressbench study report pairs

{EXIT_STATUS}
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("matrix", help=_HELP)(matrix)


def matrix(
    workloads: Annotated[
        list[Path], typer.Argument(metavar="W1.sb W2.sb...", help="Workloads of one job each.", show_default=False)
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="The study's directory.", show_default=False)
    ],
    ranks: Annotated[
        int | None, typer.Option("-n", "--ranks", metavar="N", help="MPI ranks; a lab has its own.", show_default=False)
    ] = None,
    ranks_per_node: Annotated[
        int | None, typer.Option(metavar="K", help="Call K consecutive ranks a node.", show_default=False)
    ] = None,
    on: Annotated[str, typer.Option("--on", metavar=PLACES, help="Where ranks start.")] = "local",
    triples: Annotated[
        list[str] | None,
        typer.Option(
            "--triple", "--triples", metavar="A,B,C", help="Three jobs or more at once, by name; may be repeated."
        ),
    ] = None,
    with_copies: Annotated[bool, typer.Option("--self", help="Each job beside a second copy of itself, too.")] = False,
    places: Annotated[
        list[str] | None,
        typer.Option("--place", metavar="WHERE", help="linear, interleaved or random:SEED; may be repeated."),
    ] = None,
    isolated: Annotated[int, typer.Option(metavar="N", min=0, help="Rounds in which a job runs alone.")] = 10,
    contended: Annotated[int, typer.Option(metavar="N", min=0, help="Rounds in which all jobs run.")] = 10,
    repetitions: Annotated[
        int | None, typer.Option(metavar="R", min=1, help="Measured repetitions a round.", show_default=False)
    ] = None,
    min_time: Annotated[
        str | None, typer.Option(metavar="T", help="Measure each job of a round so long.", show_default=False)
    ] = None,
    runs: Annotated[int, typer.Option(metavar="N", min=1, help="Runs of each pair.")] = 1,
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="Of the order of pairs.")] = 1,
    retries: Retries = None,
    time_limit: TimeLimit = None,
    jobs: Jobs = 1,
) -> None:
    """Write the workloads and the study file of it into DIR, and carry it out."""
    with told():
        found = _jobs(workloads)
        groups = _groups(found, triples or [], with_copies=with_copies)
        file = output / "workloads" / "matrix.toml"
        text = _study(
            found, groups, on=on, ranks=ranks, ranks_per_node=ranks_per_node, places=places or [], runs=runs, seed=seed,
            rounds={"isolated": isolated, "contended": contended, "repetitions": repetitions, "min_time": min_time},
        )  # fmt: skip
        try:
            if output.exists() and any(output.iterdir()) and not file.exists():
                raise StudyMistake(
                    f"{output} holds something that is no matrix; choose a directory that is new or empty"
                )
            file.parent.mkdir(parents=True, exist_ok=True)
            for group in groups:
                _write(file.parent / _name(group), combined([found[name] for name in group]))
            replace_whole(file, text.encode())
        except OSError as fault:
            raise StudyMistake(f"--output: {fault.filename}: {reason_of(fault)}") from fault
        study, text = read_study(file)
        wanted = Wanted(retries=retries, time_limit=time_limit, jobs=jobs)
        wanted.check(study)
        carry_out(take_up(output, study=study, text=text, folder=file.absolute().parent), wanted)


def _write(path: Path, text: str) -> None:
    """A workload that runs have run already must stay as it is. Raises StudyMistake."""
    if path.exists() and read_text(path, limit=limits.WORKLOAD, errors="replace") != text:
        raise StudyMistake(f"{path} is there with another text: a workload has changed; choose another directory")
    replace_whole(path, text.encode())


def _jobs(workloads: Sequence[Path]) -> dict[str, OneJob]:
    """By name. Raises StudyMistake where two have the same."""
    jobs: dict[str, OneJob] = {}
    for path in workloads:
        job = one_job(path)
        if job.name in jobs:
            raise StudyMistake(
                f"{path}: its job is called {job.name}, as that of another workload; expected different names"
            )
        jobs[job.name] = job
    return jobs


def _groups(jobs: dict[str, OneJob], triples: Sequence[str], *, with_copies: bool) -> list[tuple[str, ...]]:
    groups: list[tuple[str, ...]] = list(itertools.combinations(jobs, 2))
    if with_copies:
        groups += [(name, name) for name in jobs]
    if not groups:
        raise StudyMistake("a matrix needs two workloads, or one and --self")
    for text in triples:
        names = tuple(text.split(","))
        if len(names) < 3:
            raise StudyMistake(f"--triple: '{text}': expected three names of jobs or more, such as a,b,c")
        for name in names:
            if name not in jobs:
                raise StudyMistake(f"--triple: '{text}': {unknown('job', name, tuple(jobs))}")
        if names in groups:
            raise StudyMistake(f"--triple: '{text}' is given twice")
        groups.append(names)
    return groups


def _name(group: Sequence[str]) -> str:
    return "+".join(group) + ".sb"


def _study(
    jobs: dict[str, OneJob],
    groups: Sequence[tuple[str, ...]],
    *,
    on: str,
    ranks: int | None,
    ranks_per_node: int | None,
    places: Sequence[str],
    runs: int,
    seed: int,
    rounds: dict[str, int | str | None],
) -> str:
    """The study file. Its texts are names that were checked, and options that the file's reader checks."""
    given = {
        "workload": [_name(group) for group in groups],
        "on": on,
        "ranks": ranks,
        "ranks_per_node": ranks_per_node,
        "placement": list(places) or None,
    }
    return "\n".join(
        [
            f"about = {toml_text('Who slows whom: ' + ', '.join(jobs))}",
            f"seed = {seed}",
            f"repetitions = {runs}",
            f"matrix = {toml_text(list(jobs))}",
            "[factors]",
            *(f"{name} = {toml_text(value)}" for name, value in given.items() if value is not None),
            "[run]",
            *(f"{name} = {toml_text(value)}" for name, value in rounds.items() if value is not None),
            "",
        ]
    )
