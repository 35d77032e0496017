"""What `show`, `compare` and `trace` print: tables for a terminal or a log."""

from stressbench.report.renderers.text import standard_output
from stressbench.report.terminal.comparison_table import print_comparison
from stressbench.report.terminal.run_table import BUSIEST, LONGEST, Shown, print_summary
from stressbench.report.terminal.trace_tables import print_difference, print_outline, print_ranks

__all__ = [
    "BUSIEST",
    "LONGEST",
    "Shown",
    "print_comparison",
    "print_difference",
    "print_outline",
    "print_ranks",
    "print_summary",
    "standard_output",
]
