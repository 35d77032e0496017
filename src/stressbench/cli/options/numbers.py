"""Numbers in options: ASCII digits without underscores, finite, and within the range of numbers in files."""

from collections.abc import Callable, Iterator
from typing import Any

import typer

from stressbench.formats.bounds import LARGEST, LARGEST_INT64, SMALLEST
from stressbench.formats.excerpts import excerpt
from stressbench.formats.units import is_ascii_number

_MOST_SHOWN = 60


def require_plain_numbers(command: Any) -> None:
    """Have all options of the command and its subcommands refuse numbers that only Python accepts.

    What an option refuses is quoted in the message.
    """
    for option in _options(command):
        option.process_value = _plain_numbers_only(option)


def _options(command: Any) -> Iterator[Any]:
    yield from command.params
    for subcommand in getattr(command, "commands", {}).values():
        yield from _options(subcommand)


def _plain_numbers_only(option: Any) -> Callable[[Any, Any], Any]:
    convert: Callable[[Any, Any], Any] = option.process_value

    def convert_plain(ctx: Any, text: Any) -> Any:
        if not isinstance(text, str):
            return convert(ctx, text)
        shown = excerpt(text, longest=_MOST_SHOWN)
        try:
            value = convert(ctx, text)
        except typer.BadParameter as fault:
            if f"'{text}'" in fault.message:
                raise
            raise typer.BadParameter(f"'{shown}': {fault.message}", ctx=ctx, param=option) from fault
        if (complaint := _complaint(text, value)) is not None:
            raise typer.BadParameter(f"'{shown}' {complaint}", ctx=ctx, param=option)
        return value

    return convert_plain


def _complaint(text: str, value: object) -> str | None:
    """What is wrong with a number; None for other values."""
    if not isinstance(value, (int, float)):
        return None
    if not is_ascii_number(text):
        return "is not a number; expected digits only"
    if isinstance(value, int):
        return None if abs(value) <= LARGEST_INT64 else "is out of range; expected less than 2^63"
    if value and not SMALLEST <= abs(value) <= LARGEST:
        return f"is out of range; expected 0, or a number from {SMALLEST:g} to {LARGEST:g}"
    return None
