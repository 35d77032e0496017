"""A degradation as tables."""

from collections.abc import Iterator

from stressbench.report.document import Table, table_columns
from stressbench.report.units import plain_interval, plain_ratio, plain_time, rate_interval, size
from stressbench.results.rates import Balance, Bound, Curve, Degradation, Point, RateBandwidth

_UNKNOWN = "-"
_OF_ROUNDS = "A factor is the time at the rate over the time at the full rate, the median of all ratios of two rounds"
_OF_LAUNCHES = (
    "A factor states how many times worse a value is: wall time, or a figure for which lower is better, at the rate "
    "over that at the full rate; a figure for which higher is better, such as GFLOP/s, at the full rate over that at "
    "the rate; the median of all such ratios of two launches"
)


def headline(degradation: Degradation) -> str:
    """The number of finished runs or launches, and what the values are, as sentences."""
    if degradation.time == "launches":
        return f"{degradation.done} of {degradation.planned} launches are done. Values are medians over launches."
    return f"{degradation.done} of {degradation.planned} runs are done. Times are of jobs in {degradation.time} rounds."


def tables_of(degradation: Degradation) -> Iterator[Table]:
    """All tables that have content, in order."""
    if degradation.curves:
        yield _factors(degradation)
        yield _required_rates(degradation)
        yield _bounds(degradation)
    if degradation.bandwidths:
        yield _bandwidths(degradation)
    if degradation.competition:
        yield _competition(degradation)
    if any(one.injection_gb_per_s is not None or one.bytes_per_flop is not None for one in degradation.balance):
        yield _balances(degradation)


def name_of(curve: Curve) -> str:
    """Name of a curve: values of the other factors, job and motif, without duplicates."""
    motif = "" if curve.step is None else f"{curve.step + 1}: {curve.motif}"
    return ", ".join(dict.fromkeys(word for word in (*curve.where.values(), curve.job, motif) if word))


def percent_text(share: float) -> str:
    """A share as a percentage: `5 %`."""
    return f"{100 * share:g} %"


def _factors(degradation: Degradation) -> Table:
    lower = degradation.rates[1:]
    bound = ", ".join(f"{point.rate}: {1 / point.share:g}" for point in degradation.curves[0].points[1:])
    return Table(
        title="Degradation factors",
        columns=table_columns(
            (*_name_heads(degradation), "ranks", _full_rate_head(degradation), *(f"at {rate}" for rate in lower)),
            text_columns=len(_name_heads(degradation)),
        ),
        rows=tuple(
            (
                *_name_cells(degradation, curve),
                _ranks(curve),
                _value(curve),
                *(_factor(point) for point in curve.points[1:]),
            )
            for curve in degradation.curves
        ),
        caption=(
            f"{_OF_LAUNCHES if degradation.time == 'launches' else _OF_ROUNDS}, with its 95 % interval. 1 loses "
            f"nothing, as latency does; what is bound by bandwidth alone has ({bound})."
        ),
    )


def _required_rates(degradation: Degradation) -> Table:
    max_loss = percent_text(degradation.at_most)
    return Table(
        title="How much bandwidth is needed",
        columns=table_columns(
            (
                *_name_heads(degradation),
                "ranks",
                *(f"at {rate}" for rate in degradation.rates[1:]),
                "enough",
                "undecided below",
            ),
            text_columns=len(_name_heads(degradation)),
        ),
        rows=tuple(
            (
                *_name_cells(degradation, curve),
                _ranks(curve),
                *(point.suffices.value for point in curve.points[1:]),
                curve.needs or _UNKNOWN,
                ", ".join(curve.undecided) or _UNKNOWN,
            )
            for curve in degradation.curves
        ),
        caption=(
            f"yes: by its whole interval the job loses at most {max_loss}; no: by its whole interval it loses more; "
            "cannot tell: the interval includes both, or there is none: more rounds or runs would decide. Enough: the "
            "smallest rate with yes, and no rate above it with no."
        ),
    )


def _bounds(degradation: Degradation) -> Table:
    return Table(
        title="Bound by bandwidth",
        columns=table_columns(
            (*_name_heads(degradation), "ranks", *(f"from {rate}, %" for rate in degradation.rates[1:])),
            text_columns=len(_name_heads(degradation)),
        ),
        rows=tuple(
            (
                *_name_cells(degradation, curve),
                _ranks(curve),
                *(_share(point.bandwidth_bound) for point in curve.points[1:]),
            )
            for curve in degradation.curves
        ),
        caption=(
            "The share of the time at the full rate that grows as bandwidth shrinks: (factor - 1) / (1 / rate - 1). "
            "0 is latency and computation only, 100 bandwidth only; a share that differs between rates indicates that "
            "the behaviour changes at some rate, for example that communication is no longer hidden by computation."
        ),
    )


def _competition(degradation: Degradation) -> Table:
    names = tuple(degradation.competition[0].where)
    return Table(
        title="Competing traffic",
        columns=table_columns(
            (*(name.removeprefix("set.") for name in names), "ranks", "rate", "requested, %", "sent, %"),
            text_columns=len(names),
        ),
        rows=tuple(
            (
                *one.where.values(),
                _UNKNOWN if one.ranks is None else str(one.ranks),
                one.rate,
                f"{100 * one.asked:g}",
                _UNKNOWN if one.taken is None else f"{100 * one.taken:.1f}",
            )
            for one in degradation.competition
        ),
        caption=(
            "Links keep their rate; an additional rank on each node sends to another node. Requested: the share of "
            "--link that it is to send; sent: the share that it sent over the time of the rounds. Where less was sent "
            "than requested, jobs had more bandwidth than the rate states."
        ),
    )


def _balances(degradation: Degradation) -> Table:
    return Table(
        title="Bandwidth to compute balance",
        columns=table_columns(("rate", "injection, GB/s", "bytes per flop", "factor worse", "95 %"), text_columns=1),
        rows=tuple(_balance(one) for one in degradation.balance),
        caption=(
            "Bytes that a node can send for each operation at its peak, with the injection bandwidth at the full rate "
            "divided by the factor. The factor is that of the measured time of the longest messages; without an "
            "interval, that of the rates."
        ),
    )


def _balance(one: Balance) -> tuple[str, ...]:
    injection, balance = (
        _UNKNOWN if value is None else f"{value:.3g}" for value in (one.injection_gb_per_s, one.bytes_per_flop)
    )
    return one.rate, injection, balance, f"{one.factor_worse:.4g}", plain_interval(one.low, one.high)


def _bandwidths(degradation: Degradation) -> Table:
    """A row for each motif and size of messages."""
    rows: dict[tuple[str, ...], dict[str, RateBandwidth]] = {}
    for one in degradation.bandwidths:
        ranks = _UNKNOWN if one.ranks is None else f"{one.ranks}"
        name = (*one.where.values(), one.job, f"{one.step + 1}: {one.motif}", ranks, size(one.size_bytes))
        rows.setdefault(name, {})[one.rate] = one
    factors = tuple(name.removeprefix("set.") for name in degradation.bandwidths[0].where)
    return Table(
        title="Bandwidth by message size",
        columns=table_columns(
            (*factors, "job", "motif", "ranks", "message", *(f"at {rate}" for rate in degradation.rates)),
            text_columns=len(factors) + 2,
        ),
        rows=tuple(
            (*name, *(_bandwidth(by_rate.get(known)) for known in degradation.rates)) for name, by_rate in rows.items()
        ),
        caption="Of all pairs of the motif, from the median time over rounds, with its 95 % interval.",
    )


def _bandwidth(one: RateBandwidth | None) -> str:
    return _UNKNOWN if one is None else rate_interval(one.bytes_per_s, one.low, one.high)


def _name_heads(degradation: Degradation) -> tuple[str, ...]:
    motif = ("motif",) if any(curve.step is not None for curve in degradation.curves) else ()
    what = "figure" if degradation.time == "launches" else "job"
    return (*(name.removeprefix("set.") for name in degradation.curves[0].where), what, *motif)


def _name_cells(degradation: Degradation, curve: Curve) -> tuple[str, ...]:
    with_motif = any(one.step is not None for one in degradation.curves)
    motif = "" if curve.step is None else f"{curve.step + 1}: {curve.motif}"
    return (*curve.where.values(), curve.job, *((motif,) if with_motif else ()))


def _ranks(curve: Curve) -> str:
    return _UNKNOWN if curve.ranks is None else str(curve.ranks)


def _full_rate_head(degradation: Degradation) -> str:
    return "at 1" if degradation.time == "launches" else "time at 1"


def _value(curve: Curve) -> str:
    """The value at the full rate."""
    full = curve.points[0]
    if curve.unit == "s":
        return plain_time(full.time_s)
    return _UNKNOWN if full.value is None else f"{full.value:.4g}"


def _factor(point: Point) -> str:
    if point.factor.ratio is None:
        return _UNKNOWN
    return f"{plain_ratio(point.factor.ratio)} {plain_interval(point.factor.low, point.factor.high)}"


def _share(bound: Bound) -> str:
    if bound.share is None:
        return _UNKNOWN
    interval_text = (
        "" if bound.low is None or bound.high is None else f" [{100 * bound.low:.1f}, {100 * bound.high:.1f}]"
    )
    return f"{100 * bound.share:.1f}{interval_text}"
