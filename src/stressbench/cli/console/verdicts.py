"""Output of commands that compare or check, and have --json and --junit."""

from pathlib import Path
from typing import Any

from stressbench.cli.console.documents import print_json, write_junit
from stressbench.report.document import Document
from stressbench.report.renderers.text import show


def print_verdicts(document: Document, value: Any, kind: Any, *, as_json: bool, junit: Path | None) -> None:
    """Write the checks of the document to the file of --junit, and print it, or `value`, of type `kind`, as JSON.

    Raises UserError where the file cannot be written.
    """
    if junit is not None:
        write_junit(junit, document)
    if as_json:
        print_json(value, kind)
    else:
        show(document)
