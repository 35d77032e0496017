"""Histograms of the sizes of messages, collectives and file accesses."""

from stressbench.report.document import DataFile, Figure
from stressbench.report.drawing import area_values, canvas, finish
from stressbench.report.plotting import Axes, FuncFormatter
from stressbench.report.traffic.layers import LAYERS
from stressbench.report.units import compact_count, count, size
from stressbench.tracing.operations import OperationClass
from stressbench.tracing.profile import Profile
from stressbench.tracing.tables import SizeClass

ORDER = 40
_WORDS = {
    OperationClass.p2p: "messages sent",
    OperationClass.coll: "collective calls",
    OperationClass.io: "file calls",
}
_CAPTION = (
    "One panel per class. A bar counts the calls with sizes from the size below it up to twice that size; counts are "
    "on a logarithmic axis and written above the bars (k: thousands, M: millions, G: billions). For collectives the "
    "size is what a rank passes to the call."
)


def draw(profile: Profile) -> Figure | None:
    """A panel for each class that has sizes; None without sizes."""
    classes = [kind for kind in OperationClass if any(row.kind is kind for row in profile.sizes)]
    if not classes:
        return None
    fig = canvas(height_in=0.4 + 1.7 * len(classes))
    last = max(row.below.bit_length() for row in profile.sizes)
    for axes, kind in zip(fig.subplots(len(classes), squeeze=False)[:, 0], classes, strict=True):
        _panel(axes, kind, [row for row in profile.sizes if row.kind is kind], last=last)
    return finish(
        fig,
        key="profile-sizes",
        title="Sizes of messages, collectives and file accesses",
        caption=_CAPTION,
        description=" ".join(_description(kind, profile) for kind in classes),
    )


def data_file(profile: Profile) -> DataFile:
    """One row per class and range of sizes."""
    return DataFile(
        name="profile-sizes", head=("class", "from_bytes", "below_bytes", "calls"),
        rows=tuple((row.kind.label, row.at_least, row.below, row.calls) for row in profile.sizes),
    )  # fmt: skip


def _description(kind: OperationClass, profile: Profile) -> str:
    rows = [row for row in profile.sizes if row.kind is kind]
    most = max(rows, key=lambda row: row.calls)
    total = count(sum(row.calls for row in rows), "call")
    return f"{kind.label}: {total}, most ({most.calls:,}) from {size(most.at_least)} to below {size(most.below)}."


def _panel(axes: Axes, kind: OperationClass, rows: list[SizeClass], *, last: int) -> None:
    layer = next(layer for layer in LAYERS if layer.key == kind.value)
    buckets = [_bucket(row) for row in rows]
    heights = [row.calls for row in rows]
    axes.bar(buckets, heights, width=0.86, color=layer.tone.placeholder, hatch=layer.hatch)
    for bucket, height in zip(buckets, heights, strict=True):
        axes.annotate(
            compact_count(height), (bucket, height), ha="center", va="bottom", fontsize=7, xytext=(0, 1),
            textcoords="offset points",
        )  # fmt: skip
    area_values(
        axes, [(bucket - 0.43, 0.7, bucket + 0.43, height) for bucket, height in zip(buckets, heights, strict=True)],
        [f"{size(row.at_least)} to below {size(row.below)}: {count(row.calls, 'call')}" for row in rows],
    )  # fmt: skip
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: compact_count(round(value))))
    axes.set_ylim(0.7, 4 * max(heights))
    axes.set_xlim(-0.6, last - 0.4)
    axes.set_xticks(range(0, last, 2), [size(0 if bucket == 0 else 1 << (bucket - 1)) for bucket in range(0, last, 2)])
    axes.tick_params(length=0, labelsize=8)
    axes.minorticks_off()
    axes.grid(axis="y")
    axes.set_ylabel("calls")
    axes.set_title(f"{_WORDS[kind]}, n = {sum(heights):,}")
    axes.set_xlabel("size, from")


def _bucket(row: SizeClass) -> int:
    return row.at_least.bit_length()
