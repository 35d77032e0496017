"""Numbers for people: three digits, a unit, and one unit for what stands together."""

from collections.abc import Iterable
from dataclasses import dataclass

from stressbench.formats.units import BYTES, NANOSECONDS, PREFIXES

MISSING = "–"
_PLAIN_MISSING = "-"


@dataclass(frozen=True, kw_only=True)
class TimeUnit:
    """A unit of time: `name` and how many of it make a second."""

    name: str
    per_second: float


_TIME_UNITS = (
    TimeUnit(name="s", per_second=1.0),
    *(TimeUnit(name=name, per_second=1e9 / NANOSECONDS[name.replace("µ", "u")]) for name in ("ms", "µs", "ns")),
)


def time_unit(seconds: Iterable[float]) -> TimeUnit:
    """The unit in which the largest of these times reads well: 1 or more with the digits shown, if a unit allows."""
    largest = float(f"{max((abs(value) for value in seconds), default=0.0):.2e}")
    fitting = (unit for unit in _TIME_UNITS if largest * unit.per_second >= 1)
    return next(fitting, _TIME_UNITS[0] if largest == 0 else _TIME_UNITS[-1])


def digits(value: float | None) -> str:
    """Three significant digits, with an exponent only where the number is tiny; a dash where there is no value."""
    if value is None:
        return MISSING
    if value == 0:
        return "0"
    exponent = int(f"{value:.2e}".partition("e")[2])
    return f"{value:.2e}" if exponent < -4 else f"{value:,.{max(0, 2 - exponent)}f}"


def time(seconds: float | None, *, unit: TimeUnit | None = None) -> str:
    """For example `1.23 ms`; without the unit's name where the table's head gives it."""
    if seconds is None:
        return MISSING
    if unit is not None:
        return digits(seconds * unit.per_second)
    own = time_unit([seconds])
    return f"{digits(seconds * own.per_second)} {own.name}"


def factor(value: float | None) -> str:
    """A ratio, two places: `1.42`; three where two would turn it into 1."""
    if value is None:
        return MISSING
    close = value != 1 and f"{value:.2f}" == "1.00"
    return f"{value:.3f}" if close else f"{value:.2f}" if value < 100 else f"{value:,.0f}"


def interval(low: float | None, high: float | None) -> str:
    """`[1.38, 1.47]`, or a dash."""
    return MISSING if low is None or high is None else f"[{factor(low)}, {factor(high)}]"


def interval_or_none(low: float | None, high: float | None) -> str:
    """`[1.38, 1.47]`, or that there is none."""
    return "no interval" if low is None else interval(low, high)


def factor_and_interval(ratio: float | None, low: float | None, high: float | None) -> str:
    """`1.42 [1.38, 1.47]`, `1.42 no interval`."""
    return f"{factor(ratio)} {interval_or_none(low, high)}"


def factor_with(centre: float, low: float | None, high: float | None) -> str:
    """`1.42× [1.38, 1.47]`; without an interval the factor alone."""
    alone = f"{factor(centre)}×"
    return alone if low is None or high is None else f"{alone} {interval(low, high)}"


def size(count: float | None) -> str:
    """Bytes in powers of two: `64 KiB`."""
    if count is None:
        return MISSING
    for name in ("GiB", "MiB", "KiB"):
        if count >= BYTES[name]:
            scaled = count / BYTES[name]
            return f"{scaled:.0f} {name}" if scaled == int(scaled) else f"{digits(scaled)} {name}"
    return f"{count:.0f} B"


def rate(bytes_per_s: float | None) -> str:
    """Bytes a second in powers of ten: `1.23 GB/s`."""
    if bytes_per_s is None:
        return MISSING
    for name in ("GB", "MB", "kB"):
        if bytes_per_s >= BYTES[name]:
            return f"{digits(bytes_per_s / BYTES[name])} {name}/s"
    return f"{digits(bytes_per_s)} B/s"


def measured(name: str, value: float | None) -> str:
    """A metric in the unit at the end of its name (`_bytes_per_s`, `_per_s`, `_s`), as it reads well; else a number."""
    if value is None:
        return MISSING
    if name.endswith("_bytes_per_s"):
        return rate(value)
    if name.endswith("_per_s"):
        return f"{digits(value)} /s"
    return time(value) if name.endswith("_s") else digits(value)


def bit_rate(bits_per_s: int) -> str:
    """What a link is sold as, in powers of ten: `100 Mbit/s`."""
    for prefix in ("G", "M", "k"):
        if bits_per_s >= PREFIXES[prefix]:
            return f"{bits_per_s / PREFIXES[prefix]:g} {prefix}bit/s"
    return f"{bits_per_s} bit/s"


def percent(share: float | None) -> str:
    """`12.3`, or a dash."""
    return MISSING if share is None else f"{100 * share:.1f}"


def chance(share: float | None) -> str:
    """A probability, two places: `0.97`, or a dash."""
    return MISSING if share is None else f"{share:.2f}"


def plain_time(seconds: float | None) -> str:
    """Four digits and a unit in ASCII, for files that other programs read; `-` where it is unknown."""
    if seconds is None:
        return _PLAIN_MISSING
    unit = time_unit([seconds])
    return f"{seconds * unit.per_second:.4g} {unit.name.replace('µ', 'u')}"


def plain_ratio(value: float | None) -> str:
    """Three decimals; `-` where it is unknown."""
    return _PLAIN_MISSING if value is None else f"{value:.3f}"


def plain_interval(low: float | None, high: float | None) -> str:
    """`[1.955, 2.015]`, or what is missing."""
    return "no interval" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


def count(value: int, noun: str) -> str:
    """`1 round`, `3 rounds`, `3 launches`."""
    return f"{value:,} {noun}" + ("" if value == 1 else "es" if noun.endswith("ch") else "s")


def ratio_text(ratio: float | None, low: float | None, high: float | None) -> str:
    """`1.990 [1.955, 2.015]`; says so when there is no interval; a dash when there is no ratio."""
    if ratio is None:
        return MISSING
    bounds = "[no interval]" if low is None or high is None else plain_interval(low, high)
    return f"{plain_ratio(ratio)} {bounds}"
