"""One page of a study: words, then tables and figures, then how to do it again.

Built from what `stressbench report` is built from.
"""

from stressbench.study.page.assemble import render, sheets_of

__all__ = ["render", "sheets_of"]
