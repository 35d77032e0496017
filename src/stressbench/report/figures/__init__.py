"""The figures of a run. Each module of this package is one figure and is discovered automatically.

A module defines `ORDER`, its position on the page, `draw(section) -> Figure | None` (None: nothing to draw), and
`data_file(section) -> DataFile`, the complete data of the figure.
"""

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import style
from stressbench.report.run.section import RunSection


def figures_of(section: RunSection) -> tuple[tuple[Figure, DataFile], ...]:
    """All figures for which the run has data, in the order of the page, each with its data."""
    with style():
        figures = [(module.draw(section), module) for module in _modules()]
    return tuple((figure, module.data_file(section)) for figure, module in figures if figure is not None)


def data_files_of(section: RunSection) -> tuple[DataFile, ...]:
    """The complete data of all figures, without drawing them; tables without rows are left out."""
    data_files = (module.data_file(section) for module in _modules())
    return tuple(data_file for data_file in data_files if data_file.rows)


def _modules() -> list[ModuleType]:
    modules = [import_module(f"{__name__}.{module_info.name}") for module_info in iter_modules(__path__)]
    return sorted(modules, key=lambda module: int(module.ORDER))
