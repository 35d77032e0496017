"""Formats of a study's report: every module of this package is one by being there.

It has `render(report, material)`, which gives the text; most need nothing of the material.
"""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol

from stressbench.results.material import NOTHING, Material
from stressbench.results.study import StudyReport


class Format(Protocol):
    """Tells a report; without material, what follows from the runs themselves is left out."""

    def __call__(self, report: StudyReport, material: Material = NOTHING, /) -> str:
        """The text."""


def formats() -> Mapping[str, Format]:
    """All of them by the word that `--format` takes."""
    names = sorted(module.name for module in iter_modules(__path__) if module.name != "rows")
    return {name.rstrip("_"): import_module(f"{__name__}.{name}").render for name in names}
