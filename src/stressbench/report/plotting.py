"""What the figures use of matplotlib; no other module imports it, so that no settings but ours change a figure.

On import, matplotlib looks for a file `matplotlibrc` in the working directory, which may be anyone's, and for the
settings of the user. Settings can start programs (`text.usetex`), so both are kept out.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path


@contextmanager
def _default_settings() -> Iterator[None]:
    """matplotlib's own settings, from its own folder."""
    spec = find_spec("matplotlib")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent / "mpl-data"
    before = {name: os.environ.pop(name, None) for name in ("MATPLOTLIBRC", "MPLBACKEND")}
    here = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.chdir(folder)
        yield
    finally:
        os.fchdir(here)
        os.close(here)
        os.environ.update({name: value for name, value in before.items() if value is not None})


with _default_settings():
    import matplotlib as mpl
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Canvas
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch, PathPatch, Rectangle
    from matplotlib.ticker import (
        FixedLocator,
        FuncFormatter,
        LogLocator,
        MaxNLocator,
        NullFormatter,
        NullLocator,
        PercentFormatter,
    )

__all__ = [
    "Axes",
    "Canvas",
    "FigureCanvasSVG",
    "FixedLocator",
    "FuncFormatter",
    "Line2D",
    "LogLocator",
    "MaxNLocator",
    "NullFormatter",
    "NullLocator",
    "Patch",
    "PathPatch",
    "PercentFormatter",
    "Rectangle",
    "mpl",
]
