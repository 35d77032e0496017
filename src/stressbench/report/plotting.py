"""The only module that imports matplotlib, with its default settings, so that no other settings change a figure.

On import, matplotlib reads `matplotlibrc` from the working directory, which may belong to somebody else, and the
settings of the user. Settings can start programs (`text.usetex`), so both are kept out. It also builds its cache of
fonts, and warns where that takes a while or has no place to stay: no concern of those who want a figure.
"""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path


@contextmanager
def _default_settings() -> Iterator[None]:
    """Context for importing matplotlib with its default settings, from its data folder as the working directory.

    Its warnings are not logged.
    """
    spec = find_spec("matplotlib")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent / "mpl-data"
    saved_environment = {name: os.environ.pop(name, None) for name in ("MATPLOTLIBRC", "MPLBACKEND")}
    working_directory = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    log = logging.getLogger("matplotlib")
    saved_level = log.level
    try:
        os.chdir(folder)
        log.setLevel(logging.ERROR)
        yield
    finally:
        log.setLevel(saved_level)
        os.fchdir(working_directory)
        os.close(working_directory)
        os.environ.update({name: value for name, value in saved_environment.items() if value is not None})


with _default_settings():
    import matplotlib as mpl
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.colors import to_rgba
    from matplotlib.figure import Figure as Canvas
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, PathPatch, Rectangle, Wedge
    from matplotlib.ticker import (
        FixedLocator,
        Formatter,
        FuncFormatter,
        LogLocator,
        MaxNLocator,
        NullFormatter,
        NullLocator,
        PercentFormatter,
    )

__all__ = [
    "Axes",
    "Axis",
    "Canvas",
    "FigureCanvasSVG",
    "FixedLocator",
    "Formatter",
    "FuncFormatter",
    "Line2D",
    "LineCollection",
    "LogLocator",
    "MaxNLocator",
    "NullFormatter",
    "NullLocator",
    "Patch",
    "PathPatch",
    "PercentFormatter",
    "PolyCollection",
    "Rectangle",
    "Wedge",
    "mpl",
    "to_rgba",
]
