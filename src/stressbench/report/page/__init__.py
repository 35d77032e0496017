"""One self-contained HTML page from run files: no script, no network, readable on paper and by a screen reader."""

from stressbench.report.page.assemble import render

__all__ = ["render"]
