"""How commands print: errors with exit statuses, documents, and the progress of studies."""

from stressbench.cli.console.documents import note_files, print_json, print_or_write, renderer_named, required_output
from stressbench.cli.console.errors import end_of_launches, report_errors
from stressbench.cli.console.studies import carry_out, print_plan

__all__ = [
    "carry_out",
    "end_of_launches",
    "note_files",
    "print_json",
    "print_or_write",
    "print_plan",
    "renderer_named",
    "report_errors",
    "required_output",
]
