"""Layers of stacked figures: the application at the bottom, MPI by class above, in fixed colours."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from stressbench.report.palette import BACKGROUND, ISOLATED, JOBS, Tone
from stressbench.report.plotting import Axes, Patch
from stressbench.tracing.operations import OperationClass

FIGURES_COMMAND = "stressbench profile --figures DIR -- CMD"
"""The command that writes data with too many rows for a page."""


@dataclass(frozen=True, kw_only=True)
class Layer:
    """One layer. `key` is its field in `Phases` and, as `KEY_s`, in `TimeBreakdown`; `label` names it in the legend."""

    key: str
    label: str
    tone: Tone
    hatch: str


_HATCHES = ("////", "\\\\\\\\", "||||", "xxxx", "----")
LAYERS = (
    Layer(key="application", label="application", tone=ISOLATED, hatch=""),
    *(
        Layer(key=kind.value, label=kind.label, tone=tone, hatch=hatch)
        for kind, tone, hatch in zip(OperationClass, JOBS, _HATCHES, strict=False)
    ),
)


def stack(axes: Axes, edges: NDArray[np.float64], rows: Sequence[NDArray[np.float64]]) -> None:
    """Draw stacked layers: one array of `rows`, shape (slices,), per layer, as steps between `edges`, (slices + 1,)."""
    bottom = np.zeros(len(edges))
    for layer, row in zip(LAYERS, rows, strict=True):
        if not row.any():
            continue
        top = bottom + np.append(row, row[-1])
        axes.fill_between(
            edges, bottom, top, step="post", facecolor=layer.tone.placeholder, edgecolor=BACKGROUND.placeholder,
            hatch=layer.hatch, linewidth=0,
        )  # fmt: skip
        bottom = top


def legend(axes: Axes, present: Iterable[str]) -> None:
    """Draw a legend of the layers in `present` above the axes."""
    keys = set(present)
    patches = [
        Patch(facecolor=layer.tone.placeholder, edgecolor=BACKGROUND.placeholder, hatch=layer.hatch, label=layer.label)
        for layer in LAYERS
        if layer.key in keys
    ]
    axes.legend(handles=patches, ncols=len(patches), loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0.2)
