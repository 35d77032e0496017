"""Cells of HTML tables: numbers aligned by their decimal point or their unit, and their order for sorting."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from stressbench.formats.units import BYTES, NANOSECONDS
from stressbench.report.document import Cell, HeatCell, Interval, Table
from stressbench.report.names import printable
from stressbench.report.units import MISSING, plain_interval

LONG_TABLE_ROWS = 24
"""Tables with more rows are folded."""
_MIN_SORTABLE_ROWS = 3
_MIN_FILTERED_ROWS = 12
_MAX_FILTER_VALUES = 50
_POINT_WIDTH_CH = 0.5
_INTERVAL = re.compile(r" \[| - ")
"""In a number with its interval, or a range, which may be broken."""
_MANY_COLUMNS = 10
"""In tables with more columns, intervals without a number may be broken, too, and alignment may not widen a column."""
_MAX_WIDENING = 2
"""Characters by which points below each other may widen a column of such a table, where 0.443 stands above 1,818."""
_INNER_WORDS = re.compile(r"(?<=[a-z]{2})(?=[A-Z])|(?<=_)(?=\w)")
_LONG_WORD = re.compile(r"\S{24}")
"""A word that is wider than its column has to be broken anywhere, such as the name of a C++ function."""
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.(\d+))?")
_QUANTITY = re.compile(r"(-?\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?) (\S+)")
_SCALES = {
    **{name.replace("us", "µs"): scale / NANOSECONDS["s"] for name, scale in NANOSECONDS.items()},
    **BYTES,
    **{f"{name}/s": scale for name, scale in BYTES.items()},
    "/s": 1.0,
}


@dataclass(frozen=True, kw_only=True)
class HtmlCell:
    """A cell as HTML: the element and its attributes; text with a unit, or bold text with details."""

    element: str
    attributes: Markup
    text: str
    unit: str = ""
    detail: str | None = None


@dataclass(frozen=True, kw_only=True)
class _Column:
    """How the numbers of a column are aligned: by their units, or by `decimals` digits after the point."""

    number: bool
    by_unit: bool = False
    decimals: int = 0


def html_rows(table: Table) -> Iterator[tuple[HtmlCell, ...]]:
    """The rows of the table; the first cell of a row is its head."""
    dense = len(table.columns) > _MANY_COLUMNS
    columns = [
        _column([_text(row[index]) for row in table.rows if index < len(row)], number=column.number, dense=dense)
        for index, column in enumerate(table.columns)
    ]
    for row in table.rows:
        yield tuple(
            _html_cell(cell, columns[index], head=index == 0, dense=dense)
            for index, cell in enumerate(row[: len(columns)])
        )


def table_attributes(table: Table) -> Markup:
    """The attributes of the table element: id, class, number of columns, and what readers can do with it."""
    pairs = (
        ("id", table.key),
        ("class", "heat" if table.is_heat_map else ""),
        ("style", f"--columns:{len(table.columns)}"),
        ("data-sortable", "yes" if _is_sortable(table) else ""),
        ("data-filters", " ".join(map(str, _filters(table)))),
    )
    return Markup("").join(Markup(' {}="{}"').format(name, value) for name, value in pairs if value)


def _is_sortable(table: Table) -> bool:
    """Whether each row stands for itself: not in heat maps, nor where a row without a head continues the one above."""
    heads = [row[0] for row in table.rows if row]
    return len(heads) >= _MIN_SORTABLE_ROWS and not table.is_heat_map and "" not in heads


def _filters(table: Table) -> Iterator[int]:
    """Columns of text with few values, such as factors of a study and jobs, by which readers can filter the rows."""
    if not _is_sortable(table) or len(table.rows) < _MIN_FILTERED_ROWS:
        return
    most = min(_MAX_FILTER_VALUES, len(table.rows) // 2)
    for index, column in enumerate(table.columns):
        texts = {_text(row[index]) for row in table.rows if index < len(row)}
        if not column.number and 2 <= len(texts) <= most:
            yield index


def _text(cell: Cell) -> str:
    match cell:
        case None:
            return MISSING
        case Interval():
            return plain_interval(cell.low, cell.high)
        case HeatCell():
            return cell.text
    return printable(cell)


def _column(texts: Sequence[str], *, number: bool, dense: bool) -> _Column:
    if not number:
        return _Column(number=False)
    known = [text for text in texts if text not in ("", MISSING)]
    units = {match[2] for text in known if (match := _QUANTITY.fullmatch(text)) is not None and match[2] in _SCALES}
    numbers = [match for text in known if (match := _NUMBER.fullmatch(text)) is not None]
    decimals = max((len(match[1] or "") for match in numbers), default=0)
    before_point = max((len(match[0].partition(".")[0]) for match in numbers), default=0)
    widening = before_point + 1 + decimals - max(map(len, known), default=0)
    are_aligned = len(numbers) == len(known) and not (dense and widening > _MAX_WIDENING)
    return _Column(number=True, by_unit=len(units) > 1, decimals=decimals if are_aligned else 0)


def _html_cell(cell: Cell, column: _Column, *, head: bool, dense: bool) -> HtmlCell:
    text = _text(cell)
    breaks = Markup(' class="long"') if _LONG_WORD.search(text) else Markup("")
    if head:
        return HtmlCell(element="th", attributes=Markup(' scope="row"') + breaks, text=text)
    if isinstance(cell, HeatCell):
        look = Markup(' class="{}" style="--shade:{:.2f}"').format("slower" if cell.slower else "faster", cell.shade)
        return HtmlCell(element="td", attributes=look, text=text, detail=cell.detail)
    if not column.number:
        return HtmlCell(element="td", attributes=breaks, text=text)
    attributes = Markup(
        ' class="number wraps"' if _INTERVAL.search(text) or (dense and "[" in text) else ' class="number"'
    )
    if column.by_unit and (match := _QUANTITY.fullmatch(text)) is not None and match[2] in _SCALES:
        order = float(match[1].replace(",", "")) * _SCALES[match[2]]
        attributes += Markup(' data-sort="{:.6g}"').format(order)
        return HtmlCell(element="td", attributes=attributes, text=match[1], unit=match[2])
    if column.decimals and (plain := _NUMBER.fullmatch(text)) is not None:
        missing = column.decimals - len(plain[1] or "")
        if missing:
            attributes += Markup(' style="--pad:{:g}ch"').format(missing + (0 if plain[1] else _POINT_WIDTH_CH))
    return HtmlCell(element="td", attributes=attributes, text=text)


def breakable(label: str) -> Markup:
    """The head of a column, escaped, with places for line breaks inside words such as `SharesAndWaits`."""
    return Markup("<wbr>").join(_INNER_WORDS.split(printable(label)))


def summary_text(table: Table) -> str:
    """What is folded away: the title or the first sentence of the caption, and the number of rows."""
    name = table.title or table.caption.partition(". ")[0].partition(": ")[0].rstrip(".") or "Table"
    return f"{name} ({len(table.rows):,} rows)"
