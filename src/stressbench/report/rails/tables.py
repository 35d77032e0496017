"""Results by rail policy as tables."""

from collections.abc import Iterator

from stressbench.report.document import Table, table_columns
from stressbench.report.units import digits, percent, plain_interval, plain_ratio, plain_time, rate_interval, size
from stressbench.results.rails import Bandwidth, Entry, NicLoad, NicTraffic, RailsReport, Subject

_UNKNOWN = "-"


def headline(results: RailsReport) -> str:
    """The number of finished runs, and the kind of rounds that the times come from, as sentences."""
    times = {
        "isolated": " Times are of jobs in isolated rounds.",
        "contended": " Times are of jobs in contended rounds.",
    }
    return f"{results.done} of {results.planned} runs are done.{times.get(results.time, '')}"


def tables_of(results: RailsReport) -> Iterator[Table]:
    """All tables that have content, in order."""
    if results.subjects:
        yield _distributions(results)
    if results.bandwidths:
        yield _bandwidths(results)
    if results.beside:
        yield _congestion_impacts(results)
    if results.carried:
        yield _bytes_by_nic(results)
    if results.talk:
        yield _mpi_profile(results)


def value_text(subject: Subject, value: float | None) -> str:
    """A time with its unit, or a plain number for other figures; `-` for None."""
    if value is None:
        return _UNKNOWN
    return plain_time(value) if subject.unit == "s" else f"{value:.5g}"


def label(subject: Subject) -> str:
    """Name of the job or figure of merit, with its motif if it is a single step."""
    return subject.name if subject.step is None else f"{subject.name}, {subject.step + 1}: {subject.motif}"


def _distributions(results: RailsReport) -> Table:
    baseline = results.subjects[0].baseline
    return Table(
        title="By policy",
        columns=table_columns(
            (
                *_factor_names(results),
                "job or figure",
                "policy",
                "median",
                "quartiles",
                "whiskers",
                "outliers",
                "n",
                f"over {baseline}",
                "95 %",
            ),
            text_columns=len(_factor_names(results)) + 2,
        ),
        rows=tuple(
            (*subject.where.values(), label(subject), entry.policy, *_numbers(subject, entry))
            for subject in results.subjects
            for entry in subject.entries
        ),
        caption=(
            f"A ratio is the median of all ratios of two values, one under the policy and one under {baseline}, with "
            "its 95 % interval; below 1 is a shorter time, or a smaller figure. Whiskers reach the last value within "
            "1.5 times the distance of the quartiles; n counts runs, or rounds where some policy has fewer than 4 runs."
        ),
    )


def _numbers(subject: Subject, entry: Entry) -> tuple[str, ...]:
    box, ratio = entry.box, entry.ratio
    shown = (_UNKNOWN,) * 4 + ("0",)
    if box is not None:
        low, first, third, high = (
            value_text(subject, value) for value in (box.low, box.first_quartile, box.third_quartile, box.high)
        )
        outliers, count = f"{len(box.outliers)}", f"{box.count} {subject.of}"
        shown = (value_text(subject, box.median), f"{first} - {third}", f"{low} - {high}", outliers, count)
    interval = _UNKNOWN if entry.policy == subject.baseline else plain_interval(ratio.low, ratio.high)
    return (*shown, plain_ratio(ratio.ratio), interval)


def _bandwidths(results: RailsReport) -> Table:
    return Table(
        title="Bandwidth by message size",
        columns=table_columns(
            (*_factor_names(results), "job", "motif", "message", *results.policies),
            text_columns=len(_factor_names(results)) + 2,
        ),
        rows=tuple(
            (*one.where.values(), one.job, one.motif, size(one.size_bytes), *(_rate(one, p) for p in results.policies))
            for one in results.bandwidths
        ),
        caption="Of all pairs together where the motif says so, from the median over rounds, with its 95 % interval;"
        " 1 MB = 10^6 bytes.",
    )


def _rate(one: Bandwidth, policy: str) -> str:
    return rate_interval(one.bytes_per_s.get(policy), one.low.get(policy), one.high.get(policy))


def _congestion_impacts(results: RailsReport) -> Table:
    return Table(
        title="Congestion impact",
        columns=table_columns(
            (*_factor_names(results), "job", "policy", "impact", "95 %", "runs"),
            text_columns=len(_factor_names(results)) + 2,
        ),
        rows=tuple(
            (
                *one.where.values(),
                one.job,
                one.policy,
                plain_ratio(one.impact.ratio),
                plain_interval(one.impact.low, one.impact.high),
                f"{one.impact.runs}",
            )
            for one in results.beside
        ),
        caption="Contended over isolated time of a job under the same policy; 1 is no impact.",
    )


def _bytes_by_nic(results: RailsReport) -> Table:
    nics = tuple(dict.fromkeys(load.nic for one in results.carried for load in one.loads))
    return Table(
        title="Bytes by NIC",
        columns=table_columns(
            (
                *_factor_names(results),
                "policy",
                "job",
                "requested",
                *(f"{nic}, MB" for nic in nics),
                *(f"{nic}, %" for nic in nics),
                "on requested NICs, %",
            ),
            text_columns=len(_factor_names(results)) + 3,
        ),
        rows=tuple(
            (
                *one.where.values(),
                one.policy,
                one.job or "all jobs",
                one.asked,
                *(_sent_text(one, nic) for nic in nics),
                *(_share(one, nic) for nic in nics),
                _share_on_requested(one),
            )
            for one in results.carried
        ),
        caption=(
            "Bytes that hosts sent over each NIC, frames with their headers, as counted by links or the kernel. "
            "Traffic of MPI's and the engine's start and end is included."
        ),
    )


def _load(one: NicTraffic, nic: str) -> NicLoad | None:
    return next((load for load in one.loads if load.nic == nic), None)


def _sent_text(one: NicTraffic, nic: str) -> str:
    load = _load(one, nic)
    return _UNKNOWN if load is None or load.sent_bytes is None else digits(load.sent_bytes / 1e6)


def _share(one: NicTraffic, nic: str) -> str:
    load = _load(one, nic)
    share = None if load is None else one.share(load)
    return _UNKNOWN if share is None else percent(share)


def _share_on_requested(one: NicTraffic) -> str:
    shares = [one.share(load) for load in one.loads if load.asked]
    if not shares or any(share is None for share in shares):
        return _UNKNOWN
    return percent(sum(share for share in shares if share is not None))


def _mpi_profile(results: RailsReport) -> Table:
    return Table(
        title="MPI profile of the program",
        columns=table_columns(
            (
                "profile",
                "program",
                "ranks",
                "% MPI",
                "% point-to-point",
                "% collective",
                "mean message",
                "mean collective",
            ),
            text_columns=2,
        ),
        rows=tuple(
            (
                one.source,
                one.program or _UNKNOWN,
                f"{one.ranks}",
                *(
                    _UNKNOWN if value is None else f"{value:.1f}"
                    for value in (one.columns.mpi_percent, one.columns.p2p_percent, one.columns.coll_percent)
                ),
                *(
                    _UNKNOWN if value is None else size(round(value))
                    for value in (one.columns.mean_send_bytes, one.columns.mean_coll_bytes)
                ),
            )
            for one in results.talk
        ),
        caption=(
            "As mpiP prints it; waits count as point-to-point. Long point-to-point messages benefit from a second NIC; "
            "small messages and collectives are bound by latency."
        ),
    )


def _factor_names(results: RailsReport) -> tuple[str, ...]:
    """Names of the factors other than the policy."""
    return tuple(name.removeprefix("set.") for name in results.factors)
