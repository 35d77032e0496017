"""Formats of a report of runs: every module of this package is one by being there, in the words of a study's formats.

It has `render(runs)`, which gives the text.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from pkgutil import iter_modules
from typing import TypeAlias

from stressbench.formats.run import Run

Format: TypeAlias = Callable[[Sequence[Run]], str]
NAMES = tuple(sorted(module.name.rstrip("_") for module in iter_modules(__path__)))


def format_of(name: str) -> Format:
    """The format of a word in `NAMES`; only this one is imported, because figures take a second."""
    module = next(found.name for found in iter_modules(__path__) if found.name.rstrip("_") == name)
    chosen: Format = import_module(f"{__name__}.{module}").render
    return chosen
