"""LaTeX: the document's summary, or else all of its tables, as booktabs tables for a paper.

The rows are joined here rather than by a library: tabulate, for example, escapes the thin space between a number and
its unit.
"""

from collections.abc import Iterable, Iterator, Sequence

from stressbench.console import escaped
from stressbench.report.document import (
    Block,
    Cell,
    Collapsible,
    Column,
    Document,
    HeatCell,
    Interval,
    Table,
    cell_text,
)
from stressbench.report.units import MISSING

_UNKNOWN = "--"
_SPECIAL = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{EN DASH}": "--",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
    "\N{MULTIPLICATION SIGN}": r"$\times$",
    "\N{MICRO SIGN}": r"$\mu$",
    "\N{RIGHTWARDS ARROW}": r"$\rightarrow$",
    "\N{SUPERSCRIPT SIX}": r"$^6$",
}
_LABEL = "tab:stressbench"


def render(document: Document) -> str:
    """The tables with their captions and labels: `tab:stressbench`, or with a number for each of several."""
    tables = [document.summary] if document.summary is not None else list(_tables_in(document))
    labels = [_LABEL] if len(tables) == 1 else [f"{_LABEL}-{number}" for number in range(1, len(tables) + 1)]
    return "\n".join(
        [
            r"% needs \usepackage{booktabs}",
            *(
                _table(table, label=label, title=document.title)
                for table, label in zip(tables, labels, strict=True)
            ),
        ]
    )  # fmt: skip


def _tables_in(document: Document) -> Iterator[Table]:
    return (table for section in document.sections for table in _tables_of(section.blocks))


def _tables_of(blocks: Iterable[Block]) -> Iterator[Table]:
    for block in blocks:
        if isinstance(block, Table):
            yield block
        elif isinstance(block, Collapsible):
            yield from _tables_of(block.blocks)


def _table(table: Table, *, label: str, title: str) -> str:
    caption = ". ".join(part.removesuffix(".") for part in (table.title, table.caption) if part) or title
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_text(caption.removesuffix('.'))}.}}",
            rf"\label{{{label}}}",
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
    if cell in (None, "-", MISSING):
        return _UNKNOWN
    text = _text(cell_text(cell))
    return text.replace(" ", r"\,") if column.number and not isinstance(cell, HeatCell) else text


def _text(text: str) -> str:
    """The text with LaTeX's special characters and control characters escaped."""
    return "".join(_SPECIAL.get(character) or escaped(character) for character in text)
