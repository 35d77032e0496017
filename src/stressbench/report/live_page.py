"""The page of `stressbench study watch` and `run --watch`, which refreshes itself, and its security policy."""

import hashlib
from base64 import b64encode
from importlib.resources import files

from markupsafe import Markup

from stressbench import __version__
from stressbench.report.renderers.html import environment, style_sheet
from stressbench.report.watching import watched_document
from stressbench.results.watching import Watched


def live_page(watched: Watched, *, interval_s: float) -> str:
    """The HTML page; all texts are escaped. It is loaded again every `interval_s`, also where scripts are disabled."""
    page = environment().get_template("live.html.j2")
    return page.render(
        document=watched_document(watched), style=style_sheet(), script=_script(), version=__version__,
        interval_ms=round(1000 * interval_s), interval_s=max(1, round(interval_s)), is_final=watched.is_final,
    )  # fmt: skip


def content_security_policy() -> str:
    """The policy of this page: only its own script and style sheet, and requests to the server that it came from.

    Attributes of style, which align numbers, are allowed: all texts are escaped.
    """
    return (
        f"default-src 'none'; script-src {_source(_script())}; style-src {_source(style_sheet())}; connect-src 'self'; "
        "style-src-attr 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _script() -> Markup:
    script = files("stressbench.report.renderers") / "templates" / "live.js"
    return Markup(script.read_text(encoding="utf-8"))


def _source(text: str) -> str:
    """The hash source of an inline script or style sheet (W3C Content Security Policy Level 3, 2.3.1)."""
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
