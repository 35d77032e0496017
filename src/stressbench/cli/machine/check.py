"""`stressbench machine check`: the figures of a machine against acceptance criteria."""

from pathlib import Path
from typing import Annotated

import typer

from stressbench.cli.console.verdicts import print_verdicts
from stressbench.cli.options.documents import AsJson, junit_option
from stressbench.cli.options.machine import MachinePath
from stressbench.exit_status import ExitStatus
from stressbench.experiments.machine.acceptance import read_criteria
from stressbench.formats.machines import read_machine
from stressbench.report.machine import acceptance_document
from stressbench.results.machine_acceptance import MachineCheck, check_result

_HELP = """\
Check the figures of a machine against acceptance criteria: met, missed, undecided, or missing.

A criterion is met if the whole 95 % interval of the figure lies within the bound. CRITERIA is a TOML file with bounds
of figures in [at_most] and [at_least], the version of the suite, and, where they matter, ranks, nodes and launches.

\b
Examples:
    stressbench machine check offer/machine.json criteria.toml
    stressbench machine check tonight criteria.toml --junit criteria.xml
    stressbench machine check offer criteria.toml --json | jq '.criteria[] | select(.verdict != "met") | .name'

Exit status: 0 all criteria are met, 1 a criterion is not met or the measurement is not the one that they are for, 2 the
result or the criteria cannot be read, or a file cannot be written.
"""


def register(app: typer.Typer) -> None:
    """Add the subcommand."""
    app.command("check", help=_HELP)(check)


def check(
    path: MachinePath,
    criteria: Annotated[Path, typer.Argument(metavar="CRITERIA.toml", help="Bounds of figures.")],
    as_json: AsJson = False,
    junit: Annotated[Path | None, junit_option("criterion")] = None,
) -> None:
    """Check the result at `path` and print the verdicts."""
    checked = check_result(read_machine(path), read_criteria(criteria))
    print_verdicts(acceptance_document(checked), checked, MachineCheck, as_json=as_json, junit=junit)
    if not checked.accepted:
        raise typer.Exit(ExitStatus.negative)
