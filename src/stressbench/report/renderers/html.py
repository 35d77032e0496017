"""HTML: one self-contained page without network access, also for print and screen readers.

Everything can be read without scripts. The page's own script, the only one that its content policy permits, sorts and
filters rows, shows values of figures, and places another report beside this one. `html_fragment` renders the same
blocks without page, style sheet and script, for notebooks.
"""

import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from stressbench import __version__
from stressbench.report.captions import CaptionHistory, PrintedCaption
from stressbench.report.document import Block, DataFile, Document, Figure, Table
from stressbench.report.glossary import Term, term_of_head, terms_in
from stressbench.report.html_table import LONG_TABLE_ROWS, breakable, html_rows, summary_text, table_attributes
from stressbench.report.names import printable
from stressbench.report.palette import TONES, custom_properties
from stressbench.report.renderers.csv_ import csv_text

MAX_ROWS_IN_PAGE = 4000
_UNESCAPED = " ,:;/[]()+*=@!$'-._~"
_CODE = re.compile(r"`([^`\n]+)`")


class _References:
    """The references of one page: from heads of columns to the glossary, from captions to earlier ones."""

    def __init__(self, terms: tuple[Term, ...]) -> None:
        self._unlinked = {term.key for term in terms}
        self._captions = CaptionHistory()

    def term(self, label: str) -> Term | None:
        """The term that explains the head of a column, the first time that a head contains it."""
        term = term_of_head(label)
        if term is None or term.key not in self._unlinked:
            return None
        self._unlinked.remove(term.key)
        return term

    def caption(self, block: Figure | Table) -> PrintedCaption:
        """What is printed of the caption of a figure or a table."""
        return self._captions.printed(key=block.key, title=block.title, caption=block.caption)


def render(document: Document) -> str:
    """The page; everything in the document is escaped except the SVG of figures."""
    terms = terms_in(document.texts)
    script = _template_file("page.js")
    page = environment(terms).get_template("page.html.j2")
    return page.render(
        document=document, terms=terms, style=style_sheet(), script=Markup(script), script_hash=_hash(script),
        version=__version__,
    )  # fmt: skip


def environment(terms: tuple[Term, ...] = ()) -> Environment:
    """The templates of pages and fragments, which escape all texts, with the filters for blocks and cells.

    `terms`: the glossary of the page, which heads of columns refer to.
    """
    references = _References(terms)
    made = Environment(
        loader=PackageLoader("stressbench.report.renderers"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "class_name": _class_name, "svg": _svg, "href": _href, "printable": printable, "html_rows": html_rows,
        "attributes": table_attributes, "summary_text": summary_text, "term": references.term, "breakable": breakable,
        "caption": references.caption, "quoted": quote, "prose": _prose,
    }  # fmt: skip
    made.tests |= {"too_long": _is_too_long, "long_table": _is_long_table}
    return made


def _class_name(block: Block) -> str:
    """The name of the block's class, which selects the macro of the template."""
    return type(block).__name__


def _prose(text: str) -> Markup:
    """The sentences, escaped; what is between backticks is code, such as a command."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))


def _svg(figure: Figure) -> Markup:
    """A figure's SVG, which matplotlib has escaped."""
    return Markup(figure.svg)


def _href(data_file: DataFile) -> str:
    """A data URL that contains the data file as CSV."""
    return "data:text/csv;charset=utf-8," + quote(csv_text(data_file.head, data_file.rows), safe=_UNESCAPED)


def _is_too_long(data_file: DataFile) -> bool:
    return bool(data_file.command) and len(data_file.rows) > MAX_ROWS_IN_PAGE


def _is_long_table(table: Table) -> bool:
    return table.foldable and len(table.rows) > LONG_TABLE_ROWS


def _template_file(name: str) -> str:
    return (files("stressbench.report.renderers") / "templates" / name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """The hash by which the content policy of the page permits the script."""
    return b64encode(sha256(script.encode()).digest()).decode()


def style_sheet() -> Markup:
    """The style sheet, preceded by the colours of both themes."""
    light, dark = (custom_properties(TONES, dark=dark) for dark in (False, True))
    themes = f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    return Markup(themes + _template_file("style.css"))
