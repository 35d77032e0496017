"""HTML fragment: the blocks of a document without page, style sheet and navigation, for notebooks."""

from stressbench.report.document import Document
from stressbench.report.renderers.html import environment


def render(document: Document) -> str:
    """The fragment; everything in the document is escaped except the SVG of figures."""
    return environment().get_template("fragment.html.j2").render(document=document)
