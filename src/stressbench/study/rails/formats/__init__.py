"""Formats of what rail policies did: every module of this package is one by being there; it has `render(found)`."""

from collections.abc import Callable, Mapping
from importlib import import_module
from pkgutil import iter_modules

from stressbench.results.rails import RailsFound


def formats() -> Mapping[str, Callable[[RailsFound], str]]:
    """All of them by the word that `--format` takes."""
    names = sorted(module.name for module in iter_modules(__path__))
    return {name.rstrip("_"): import_module(f"{__name__}.{name}").render for name in names}
