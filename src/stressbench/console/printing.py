"""What commands print with: typer's echo and rich's Console, with control characters escaped."""

from collections.abc import Iterator
from typing import IO, Any, cast

import rich.console
import typer
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from stressbench.console.escaping import escaped
from stressbench.console.streams import Standard


def echo(text: str | bytes, *, err: bool = False, nl: bool = True) -> None:
    """On standard output, or standard error."""
    typer.echo(escaped(text.decode() if isinstance(text, bytes) else text), err=err, nl=nl)


class Console(rich.console.Console):
    """Colours and cursor movements of rich itself pass; texts cannot hold any."""

    @property
    def file(self) -> IO[str]:
        """Where it prints: what is left to escape is not the stream's."""
        stream = super().file
        return cast("IO[str]", stream.plain) if isinstance(stream, Standard) else stream

    @file.setter
    def file(self, new: IO[str]) -> None:
        self._file = new

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Segments of the renderable, those of texts escaped."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=escaped(segment.text))

    def render_str(self, text: str, **options: Any) -> Text:
        """As rich does, of the escaped text: it is measured as it will be shown."""
        return super().render_str(escaped(text), **options)
