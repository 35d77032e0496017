"""LaTeX: the document's summary as a booktabs table for a paper.

The rows are joined here rather than by a library: tabulate, for example, escapes the thin space between a number and
its unit.
"""

from collections.abc import Sequence

from stressbench.console import escaped
from stressbench.report.document import Cell, Column, Document, Interval

_UNKNOWN = "--"
_SPECIAL = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
}


def render(document: Document) -> str:
    """The table with its caption."""
    table = document.summary
    assert table is not None
    return "\n".join(
        [
            r"% needs \usepackage{booktabs}",
            r"\begin{table}",
            rf"\caption{{{_text(table.caption)}}}",
            rf"\begin{{tabular}}{{{''.join('r' if column.number else 'l' for column in table.columns)}}}",
            r"\toprule",
            " & ".join(_text(column.label) for column in table.columns) + r" \\",
            r"\midrule",
            *(_row(table.columns, row) for row in table.rows),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _row(columns: Sequence[Column], row: Sequence[Cell]) -> str:
    """One table row; a leading `[` or `*` is protected, as the preceding command would take it as an option."""
    cells = " & ".join(map(_cell, columns, row))
    return ("{}" if cells.startswith(("[", "*")) else "") + cells + r" \\"


def _cell(column: Column, cell: Cell) -> str:
    if isinstance(cell, Interval):
        return _UNKNOWN if cell.low is None or cell.high is None else f"{cell.low:.3f}--{cell.high:.3f}"
    if cell is None or cell == "-":
        return _UNKNOWN
    assert isinstance(cell, str)
    return cell.replace(" ", r"\,") if column.number else _text(cell)


def _text(text: str) -> str:
    """The text with LaTeX's special characters and control characters escaped."""
    return "".join(_SPECIAL.get(character) or escaped(character) for character in text)
