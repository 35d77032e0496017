"""Formats of what profiles say: every module of this package is one by being there; it has `render(profiles)`."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules

from stressbench.report.sensitivity.shown import Shown


def formats() -> Mapping[str, Callable[[Sequence[Shown]], str]]:
    """All of them by the word that `--format` takes."""
    names = sorted(module.name for module in iter_modules(__path__))
    return {name.rstrip("_"): import_module(f"{__name__}.{name}").render for name in names}
