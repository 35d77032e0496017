"""`stressbench lab check`: measure every link of a lab."""

from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.lab import LabAsJson, LabName
from stressbench.console import note
from stressbench.exit_status import ExitStatus
from stressbench.labs.lifecycle import selected_lab
from stressbench.labs.link_check import check_links
from stressbench.labs.status import LinkCheck
from stressbench.report.labs import check_document
from stressbench.report.renderers.text import show

_HELP = """\
Measure both directions of every link, one after the other, with TCP streams and a ping, and report deviations.

`share` is the throughput of the median stream relative to the largest possible: 1448 of the 1514 bytes of each frame.
`least` and `most` are the slowest and the fastest stream; --json has all of them. No measurement is repeated, and other
load on the lab or on this machine takes its share: run nothing else at the same time.

Exit status: 0 all links are within --tolerance, 1 a link is not, 2 invalid input, 3 the machine refused a step.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("check", help=_HELP)(check)


def check(
    lab: LabName = None,
    tolerance: Annotated[
        float, typer.Option(metavar="SHARE", min=0.0, help="Largest deviation of a share from 1.")
    ] = 0.03,
    streams: Annotated[int, typer.Option(metavar="N", min=1, help="Streams for each direction of each link.")] = 3,
    as_json: LabAsJson = False,
) -> None:
    """Measure all links, print the results, and exit with 1 if a link deviates."""
    checks = tuple(check_links(selected_lab(lab), tolerance=tolerance, streams=streams))
    if as_json:
        print_json(checks, tuple[LinkCheck, ...])
    else:
        show(check_document(checks))
    deviating = [one for one in checks if one.off is not None]
    if deviating:
        raise typer.Exit(ExitStatus.negative)
    if not as_json:
        note(f"all {len(checks) // 2} links carry what they should")
