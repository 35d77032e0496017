"""How functions of the Python interface report progress."""

from collections.abc import Callable
from typing import TypeAlias

from stressbench.experiments.progress import Progress
from stressbench.levels import Level

Report: TypeAlias = Callable[[str], object]
"""Called with one sentence at a time, without a full stop, such as `print`."""


def reporting_to(report: Report | None) -> Progress:
    """Progress of experiments, handed to `report` without its level; None drops it."""

    def progress(text: str, *, level: Level = Level.note) -> None:  # noqa: ARG001  a Progress's
        if report is not None:
            report(text)

    return progress
