"""Values of parameters that are given by name."""

from enum import StrEnum
from typing import TypeVar

from stressbench.errors import UserError

Choice = TypeVar("Choice", bound=StrEnum)


def choice(kind: type[Choice], name: str, *, parameter: str) -> Choice:
    """The value of this name. Raises UserError, which lists all names."""
    try:
        return kind(name)
    except ValueError:
        raise UserError(f"{parameter}: '{name}': expected {', '.join(kind)}") from None
