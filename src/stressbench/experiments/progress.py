"""How experiments report what they are doing."""

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str], None]
"""Called with one sentence, without a full stop, whenever a new step begins or something noteworthy happened."""


def silent(_: str) -> None:
    """A `Progress` that drops every message."""
