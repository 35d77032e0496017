"""How functions of the Python interface report progress."""

from collections.abc import Callable
from typing import TypeAlias

from stressbench.experiments.progress import Progress
from stressbench.levels import Level

Report: TypeAlias = Callable[[str], object]
"""A function such as `print`, called with one sentence at a time, without a full stop."""


def reporting_to(report: Report | None) -> Progress:
    """A receiver of the progress of experiments that passes it to `report`, without levels; None drops it."""

    def progress(text: str, *, level: Level = Level.note) -> None:  # noqa: ARG001  Progress's signature
        if report is not None:
            report(text)

    return progress
