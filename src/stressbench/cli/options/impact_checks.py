"""`--junit` and `--exit-code` of reports: the impacts as checks for continuous integration."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import typer

from stressbench.cli.console.documents import write_junit
from stressbench.cli.options.documents import JunitFile, exit_code_option
from stressbench.exit_status import ExitStatus
from stressbench.report.document import Document


@dataclass(frozen=True, kw_only=True)
class ImpactChecks:
    """What is done with the checks of a report."""

    junit: JunitFile = None
    exit_code: Annotated[
        bool, exit_code_option("Exit with status 1 if a job is slowed, or a tail longer, by more than the limit.")
    ] = False

    def carry_out(self, checked: Callable[[], Document]) -> None:
        """Write the checks of the document, and end with status 1 if one failed, as far as the options say so."""
        if self.junit is None and not self.exit_code:
            return
        document = checked()
        if self.junit is not None:
            write_junit(self.junit, document)
        if self.exit_code and document.checks is not None and document.checks.any_failed:
            raise typer.Exit(ExitStatus.negative)
