"""`stressbench lab check`: measure every link of a lab."""

from typing import Annotated

import typer

from stressbench.cli.console.documents import print_json
from stressbench.cli.options.lab import LabAsJson, LabName
from stressbench.console import note
from stressbench.exit_status import ExitStatus
from stressbench.formats.units import Rate
from stressbench.labs.lifecycle import selected_lab
from stressbench.labs.link_check import LinkCheck, check_links
from stressbench.report.renderers.text import new_table, print_table, standard_output

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
        _print(checks)
    deviating = [one for one in checks if one.off is not None]
    if deviating:
        raise typer.Exit(ExitStatus.negative)
    if not as_json:
        note(f"all {len(checks) // 2} links carry what they should")


def _print(checks: tuple[LinkCheck, ...]) -> None:
    table = new_table(
        left=("link", "from", "to"), right=("rate", "payload", "share", "least", "most", "ping us"), last=("off",)
    )
    for one in checks:
        payload = "" if one.payload_bits_per_s is None else f"{one.payload_bits_per_s / 1e6:.2f}Mbit"
        shares = ("",) * 3 if one.share is None else _share_texts(one.share, min(one.shares), max(one.shares))
        ping = "" if one.ping_s is None else f"{one.ping_s * 1e6:.0f}"
        rate = str(Rate(one.rate_bits_per_s))
        table.add_row(one.link, one.source, one.target, rate, payload, *shares, ping, one.off or "")
    print_table(standard_output(), table)


def _share_texts(*shares: float) -> tuple[str, ...]:
    return tuple(f"{share:.4f}" for share in shares)
