"""Results by rail policy as records: times or figures of merit, bandwidths, bytes by NIC, impacts, launches."""

from collections.abc import Iterator

from stressbench.report.document import DataFile, Value
from stressbench.results.rails import RailsReport

_HEAD = (
    "what", "name", "step", "motif", "policy", "unit", "of", "n", "low", "first_quartile", "median", "third_quartile",
    "high", "outliers", "ratio", "ratio_low", "ratio_high", "size_bytes", "bytes_per_s", "nic", "asked", "sent_bytes",
    "launch", "started_s", "value", "bytes_per_s_low", "bytes_per_s_high",
)  # fmt: skip
_NO_LAUNCH = (None,) * 3
_NO_INTERVAL = (None,) * 2


def records_of(results: RailsReport) -> DataFile:
    """All records; None is unknown."""
    without_launch = (*_NO_LAUNCH, *_NO_INTERVAL)
    all_rows = (
        *((*row, *without_launch) for row in _times(results)),
        *_sizes(results),
        *((*row, *without_launch) for row in (*_nics(results), *_impacts(results))),
        *((*row, *_NO_INTERVAL) for row in _launches(results)),
    )
    return DataFile(name="rails", head=(*results.factors, *_HEAD), rows=all_rows)


def _launches(results: RailsReport) -> Iterator[tuple[Value, ...]]:
    """Each value of each launch, in the order of starts."""
    units = {one.name: one.unit for one in results.subjects}
    for one in results.launches:
        for name, value in one.values.items():
            yield (
                "launch", name, None, None, one.policy, units.get(name), *(None,) * 16, one.number, one.started_s, value
            )  # fmt: skip


def _times(results: RailsReport) -> Iterator[tuple[Value, ...]]:
    for one in results.subjects:
        for entry in one.entries:
            box, ratio = entry.box, entry.ratio
            spread: tuple[Value, ...] = (None,) * 7
            if box is not None:
                spread = (
                    box.count, box.low, box.first_quartile, box.median, box.third_quartile, box.high, len(box.outliers)
                )  # fmt: skip
            yield (
                *one.where.values(), "value", one.name, one.step, one.motif, entry.policy, one.unit, one.of, *spread,
                ratio.ratio, ratio.low, ratio.high, *(None,) * 5,
            )  # fmt: skip


def _sizes(results: RailsReport) -> Iterator[tuple[Value, ...]]:
    for one in results.bandwidths:
        for policy, bandwidth in one.bytes_per_s.items():
            yield (
                *one.where.values(), "bandwidth", one.job, one.step, one.motif, policy, *(None,) * 12, one.size_bytes,
                bandwidth, *(None,) * 3, *_NO_LAUNCH, one.low.get(policy), one.high.get(policy),
            )  # fmt: skip


def _nics(results: RailsReport) -> Iterator[tuple[Value, ...]]:
    for one in results.carried:
        for load in one.loads:
            requested = None if load.asked is None else "yes" if load.asked else "no"
            yield (
                *one.where.values(), "carried", one.job, None, None, one.policy, *(None,) * 14, load.nic, requested,
                load.sent_bytes,
            )  # fmt: skip


def _impacts(results: RailsReport) -> Iterator[tuple[Value, ...]]:
    for one in results.beside:
        yield (
            *one.where.values(), "impact", one.job, None, None, one.policy, *(None,) * 9, one.impact.ratio,
            one.impact.low, one.impact.high, *(None,) * 5,
        )  # fmt: skip


def mpi_times_of(results: RailsReport) -> DataFile:
    """Times of each profiled launch in MPI, mean over its ranks."""
    return DataFile(
        name="mpi-times", head=("launch", "policy", "elapsed_s", "mpi_s", "p2p_s", "collective_s"),
        rows=tuple(
            (one.number, one.policy, one.mpi.elapsed_s, one.mpi.mpi_s, one.mpi.p2p_s, one.mpi.collective_s)
            for one in results.launches
            if one.mpi is not None
        ),
    )  # fmt: skip


def profiles_of(results: RailsReport) -> DataFile:
    """Shares of the time of each profiled program in MPI, and its mean sizes; None is unknown."""
    return DataFile(
        name="mpi-profiles",
        head=("profile", "ranks", "mpi_percent", "p2p_percent", "coll_percent", "mean_send_bytes", "mean_coll_bytes"),
        rows=tuple(
            (
                one.source, one.ranks, one.columns.mpi_percent, one.columns.p2p_percent, one.columns.coll_percent,
                one.columns.mean_send_bytes, one.columns.mean_coll_bytes,
            )
            for one in results.talk
        ),
    )  # fmt: skip
