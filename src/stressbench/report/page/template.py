"""What every page is made with: the template's surroundings and its style sheet."""

from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from stressbench.report.document import Figure
from stressbench.report.palette import TONES


def environment() -> Environment:
    """Templates of this package; whatever is put in is escaped, but for drawings."""
    made = Environment(
        loader=PackageLoader("stressbench.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["drawn"] = _drawn
    return made


def _drawn(figure: Figure) -> Markup:
    """A figure's SVG, which matplotlib has escaped."""
    return Markup(figure.svg)


def style_sheet() -> Markup:
    """The style sheet, headed by the colours of both themes."""
    light = "".join(f"{tone.variable}:{tone.light};" for tone in TONES)
    dark = "".join(f"{tone.variable}:{tone.dark};" for tone in TONES)
    themes = f":root{{{light}}}@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}"
    sheet = files("stressbench.report.renderers") / "templates" / "style.css"
    return Markup(themes + sheet.read_text(encoding="utf-8"))
