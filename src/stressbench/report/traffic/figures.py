"""The figures of a profile. Each module of this package that defines `ORDER` is one figure, discovered automatically.

`ORDER` is the position on the page; `draw(profile) -> Figure | None` returns None if there is nothing to draw, and
`data_file(profile) -> DataFile` the complete data of the figure.
"""

from importlib import import_module
from pkgutil import iter_modules

from stressbench.report import traffic
from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import style
from stressbench.tracing.profile import Profile


def figures_of(profile: Profile) -> tuple[Figure | DataFile, ...]:
    """All figures for which the profile has data, in the order of the page, each with its data below."""
    modules = [
        import_module(f"{traffic.__name__}.{module_info.name}") for module_info in iter_modules(traffic.__path__)
    ]
    figure_modules = sorted((module for module in modules if hasattr(module, "ORDER")), key=lambda module: module.ORDER)
    with style():
        figures = [(module.draw(profile), module) for module in figure_modules]
    return tuple(
        block for figure, module in figures if figure is not None for block in (figure, module.data_file(profile))
    )
