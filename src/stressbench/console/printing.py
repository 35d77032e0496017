"""typer's echo and rich's Console for the output of commands, with control characters escaped."""

from collections.abc import Iterator
from typing import IO, Any, cast

import rich.console
import typer
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from stressbench.console.escaping import escaped
from stressbench.console.streams import EscapingStream


def echo(text: str | bytes, *, err: bool = False, nl: bool = True) -> None:
    """Print the text to standard output, or to standard error with `err`."""
    typer.echo(escaped(text.decode() if isinstance(text, bytes) else text), err=err, nl=nl)


def stderr_console() -> "Console":
    """The console for progress bars, on standard error. Markup is off, because texts are data."""
    return Console(stderr=True, highlight=False, markup=False)


class Console(rich.console.Console):
    """rich's Console with escaped texts; only rich's own colours and cursor movements reach the terminal."""

    @property
    def file(self) -> IO[str]:
        """The stream without its own escaping, since `render` has escaped the texts."""
        stream = super().file
        return cast("IO[str]", stream.unescaped) if isinstance(stream, EscapingStream) else stream

    @file.setter
    def file(self, stream: IO[str]) -> None:
        self._file = stream

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """Segments of the renderable, with their texts escaped."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=escaped(segment.text))

    def render_str(self, text: str, **options: Any) -> Text:
        """As rich does, but escape the text first, so that its width is measured as it will be shown."""
        return super().render_str(escaped(text), **options)
