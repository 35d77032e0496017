"""`stressbench rails report`: what each policy did, and which card carried the bytes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from stressbench.cli.console.documents import print_or_write, renderer_named
from stressbench.experiments.study.directory import open_directory
from stressbench.experiments.study.results import runs_of
from stressbench.experiments.study.standing import standings
from stressbench.experiments.sweep.launches import require_no_rounds
from stressbench.experiments.sweep.rails.carried import Cards
from stressbench.experiments.sweep.rails.of_launches import rails_of_launches
from stressbench.experiments.sweep.rails.of_study import Question, rails_of_study
from stressbench.formats.errors import reason_of
from stressbench.formats.files import Shape, limits, read_bytes
from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.launches.journal import FILE
from stressbench.formats.launches.rails import read_launches
from stressbench.formats.run import Kind
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.trace import TraceFileError, read_trace
from stressbench.labs.catalog import lab_file
from stressbench.labs.file import read_lab
from stressbench.report.rails import FORMATS
from stressbench.results.rails import MpiProfile, RailsFound
from stressbench.tracing.profile import Profile, profile_of

_FORMATS = tuple(FORMATS)
_HELP = """\
Tell each policy's times or figures of merit as boxes and whiskers, their ratios to the default with 95 % intervals,
bandwidth by message size, and the bytes that each card really carried beside those it was asked to.

DIR is what `rails run` made, or any study that has the factor `policy`.

\b
Examples:
    stressbench rails report dual
    stressbench rails report dual --motifs --format csv -o dual.csv
    stressbench rails report apart --time contended --format html -o apart.html
    stressbench profile -o amg.json mpirun -n 4 ./amg && stressbench rails report amg --profile amg.json
    stressbench rails report dual --format json | jq '.carried[] | {policy, job, loads}'

Exit status: 0, 2 where DIR holds nothing of the kind or an option is wrong.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("report", help=_HELP)(report)


def report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="What `rails run` made.", show_default=False)],
    kind: Annotated[str, typer.Option("--format", metavar="|".join(_FORMATS), help="How to tell it.")] = "text",
    motifs: Annotated[bool, typer.Option("--motifs", help="Each motif of a job, too.")] = False,
    time: Annotated[
        Kind | None,
        typer.Option("--time", help="Of rounds in which jobs run alone (isolated, the default), or all together."),
    ] = None,
    profiles: Annotated[
        list[Path] | None,
        typer.Option("--profile", metavar="FILE", help="A .json of `stressbench profile`, or a .trace; repeatable."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Default: standard output.")
    ] = None,
) -> None:
    """Read all, tell it."""
    render = renderer_named(kind, FORMATS)
    talk = tuple(_talk(path) for path in profiles or ())
    if (folder / FILE).is_file():
        require_no_rounds(folder, motifs=motifs, time=time)
        found = rails_of_launches(read_launches(folder / FILE), talk=talk)
    else:
        found = _of_study(folder, Question(kind=time or Kind.isolated, motifs=motifs), talk)
    print_or_write(render(found), output)


def _of_study(folder: Path, question: Question, talk: Sequence[MpiProfile]) -> RailsFound:
    directory = open_directory(folder)
    manifest = directory.read()
    runs, complaints = runs_of(directory)
    study = directory.study
    cards = _cards({cell.on for cell in study.cells})
    count = max((rail + 1 for each in cards.values() for rail in each.values()), default=0)
    return rails_of_study(
        study, standings(study.runs, manifest.records), runs, question=question, cards=cards,
        nics=tuple(f"eth{rail}" for rail in range(count)), talk=talk, notes=(*manifest.complaints, *complaints),
    )  # fmt: skip


def _cards(places: set[str]) -> Mapping[str, Cards]:
    """Whose link is which card, of labs whose files are known by their names; run files tell the rest."""
    found = {}
    for on in places:
        kind, _, name = on.partition(":")
        if kind != "lab":
            continue
        try:
            lab = read_lab(lab_file(name))
        except LabMistake:
            continue
        hosts = {host.name for host in lab.hosts}
        found[on] = {(link.name, end.node): link.rail for link in lab.links for end in link.ends if end.node in hosts}
    return found


def _talk(path: Path) -> MpiProfile:
    try:
        if path.suffix == ".trace":
            profile = profile_of(read_trace(path))
        else:
            profile = Shape[Profile](Profile).validate_json(read_bytes(path, limit=limits.PROFILE))
    except OSError as fault:
        raise StudyMistake(f"--profile: {path}: {reason_of(fault)}") from fault
    except TraceFileError as fault:
        raise StudyMistake(f"--profile: {fault}") from fault
    except ValidationError as fault:
        told = fault.errors()[0]["msg"].lower()
        raise StudyMistake(
            f"--profile: {path}: no profile ({told}); `stressbench profile -o X.json` makes one"
        ) from fault
    return MpiProfile(
        source=path.name, program=profile.facts.program, ranks=profile.facts.ranks, columns=profile.columns
    )  # fmt: skip
