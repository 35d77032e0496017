"""What commands print with: click's echo and rich's Console, with control characters escaped."""

from collections.abc import Iterator
from typing import Any

import click
import rich.console
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from stressbench.console.escaping import escaped


def echo(text: str | bytes, *, err: bool = False, nl: bool = True) -> None:
    """On standard output, or standard error."""
    click.echo(escaped(text.decode() if isinstance(text, bytes) else text), err=err, nl=nl)


class Console(rich.console.Console):
    """Colours and cursor movements of rich itself pass; texts cannot hold any."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Segments of the renderable, those of texts escaped."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=escaped(segment.text))

    def render_str(self, text: str, **options: Any) -> Text:
        """As rich does, of the escaped text: it is measured as it will be shown."""
        return super().render_str(escaped(text), **options)
