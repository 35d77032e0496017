"""Numbers in options: ASCII digits without underscores, although Python accepts more spellings."""

from collections.abc import Callable, Iterator
from typing import Any

import typer

from stressbench.formats.units import is_ascii_number


def require_ascii_numbers(command: Any) -> None:
    """Have all options of the command and its subcommands refuse spellings that only Python accepts as numbers."""
    for option in _options(command):
        option.process_value = _ascii_numbers_only(option)


def _options(command: Any) -> Iterator[Any]:
    yield from command.params
    for subcommand in getattr(command, "commands", {}).values():
        yield from _options(subcommand)


def _ascii_numbers_only(option: Any) -> Callable[[Any, Any], Any]:
    convert: Callable[[Any, Any], Any] = option.process_value

    def convert_ascii(ctx: Any, text: Any) -> Any:
        value = convert(ctx, text)
        if isinstance(text, str) and isinstance(value, (int, float)) and not is_ascii_number(text):
            raise typer.BadParameter(f"'{text}' is not a number; expected digits only", ctx=ctx, param=option)
        return value

    return convert_ascii
