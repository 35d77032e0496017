"""HTML: one self-contained page without scripts or network access, also for print and screen readers."""

from importlib.resources import files
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from stressbench import __version__
from stressbench.report.document import Block, Cell, Document, Figure, Interval, Numbers, Shaded
from stressbench.report.names import printable
from stressbench.report.palette import TONES
from stressbench.report.renderers.csv_ import csv_text
from stressbench.report.units import MISSING, plain_interval

MOST_ROWS_IN_PAGE = 4000
_KEPT = " ,:;/[]()+*=@!$'-._~"


def render(document: Document) -> str:
    """The page; everything in the document is escaped except the SVG of figures."""
    made = Environment(
        loader=PackageLoader("stressbench.report.renderers"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"kind": _kind, "drawn": _drawn, "href": _href, "in_words": _in_words, "printable": printable}
    made.tests |= {"shaded": _is_shaded, "too_long": _is_too_long}
    page = made.get_template("page.html.j2")
    return page.render(document=document, style=_style_sheet(), version=__version__)


def _kind(block: Block) -> str:
    """The name of the block's class, which selects the macro of the template."""
    return type(block).__name__


def _drawn(figure: Figure) -> Markup:
    """A figure's SVG, which matplotlib has escaped."""
    return Markup(figure.svg)


def _href(numbers: Numbers) -> str:
    """A data URL that contains the numbers as CSV."""
    return "data:text/csv;charset=utf-8," + quote(csv_text(numbers.head, numbers.rows), safe=_KEPT)


def _in_words(cell: Cell) -> str:
    if isinstance(cell, Interval):
        return plain_interval(cell.low, cell.high)
    return printable(cell) if isinstance(cell, str) else MISSING


def _is_shaded(cell: Cell) -> bool:
    return isinstance(cell, Shaded)


def _is_too_long(numbers: Numbers) -> bool:
    return bool(numbers.command) and len(numbers.rows) > MOST_ROWS_IN_PAGE


def _style_sheet() -> Markup:
    """The style sheet, preceded by the colours of both themes."""
    light = "".join(f"{tone.variable}:{tone.light};" for tone in TONES)
    dark = "".join(f"{tone.variable}:{tone.dark};" for tone in TONES)
    themes = f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    sheet = files("stressbench.report.renderers") / "templates" / "style.css"
    return Markup(themes + sheet.read_text(encoding="utf-8"))
