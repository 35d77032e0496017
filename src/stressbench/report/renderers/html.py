"""HTML: one self-contained page without scripts or network access, also for print and screen readers.

`html_fragment` renders the same blocks without page and style sheet, for notebooks.
"""

from importlib.resources import files
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from stressbench import __version__
from stressbench.report.document import Block, Cell, DataFile, Document, Figure, HeatCell, Interval
from stressbench.report.names import printable
from stressbench.report.palette import TONES, custom_properties
from stressbench.report.renderers.csv_ import csv_text
from stressbench.report.units import MISSING, plain_interval

MAX_ROWS_IN_PAGE = 4000
_UNESCAPED = " ,:;/[]()+*=@!$'-._~"


def render(document: Document) -> str:
    """The page; everything in the document is escaped except the SVG of figures."""
    page = environment().get_template("page.html.j2")
    return page.render(document=document, style=_style_sheet(), version=__version__)


def environment() -> Environment:
    """The templates of pages and fragments, which escape all texts, with the filters for blocks and cells."""
    made = Environment(
        loader=PackageLoader("stressbench.report.renderers"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "class_name": _class_name, "svg": _svg, "href": _href, "cell_text": _cell_text, "printable": printable,
        "quoted": quote,
    }  # fmt: skip
    made.tests |= {"heat_cell": _is_heat_cell, "too_long": _is_too_long}
    return made


def _class_name(block: Block) -> str:
    """The name of the block's class, which selects the macro of the template."""
    return type(block).__name__


def _svg(figure: Figure) -> Markup:
    """A figure's SVG, which matplotlib has escaped."""
    return Markup(figure.svg)


def _href(data_file: DataFile) -> str:
    """A data URL that contains the data file as CSV."""
    return "data:text/csv;charset=utf-8," + quote(csv_text(data_file.head, data_file.rows), safe=_UNESCAPED)


def _cell_text(cell: Cell) -> str:
    if isinstance(cell, Interval):
        return plain_interval(cell.low, cell.high)
    return printable(cell) if isinstance(cell, str) else MISSING


def _is_heat_cell(cell: Cell) -> bool:
    return isinstance(cell, HeatCell)


def _is_too_long(data_file: DataFile) -> bool:
    return bool(data_file.command) and len(data_file.rows) > MAX_ROWS_IN_PAGE


def _style_sheet() -> Markup:
    """The style sheet, preceded by the colours of both themes."""
    light, dark = (custom_properties(TONES, dark=dark) for dark in (False, True))
    themes = f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    sheet = files("stressbench.report.renderers") / "templates" / "style.css"
    return Markup(themes + sheet.read_text(encoding="utf-8"))
