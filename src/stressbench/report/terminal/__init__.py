"""What `show`, `compare`, `profile` and `trace` print: tables for a terminal or a log."""

from stressbench.report.terminal.comparison_table import print_comparison
from stressbench.report.terminal.page import standard_output
from stressbench.report.terminal.profile_table import print_profile
from stressbench.report.terminal.run_table import print_summary

__all__ = ["print_comparison", "print_profile", "print_summary", "standard_output"]
