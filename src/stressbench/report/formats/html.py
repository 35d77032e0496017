"""HTML: one page with words, tables and figures, complete in itself."""

from stressbench.report.page import render

__all__ = ["render"]
