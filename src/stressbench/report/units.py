"""Formatting of numbers for readers: three digits, a unit, and a common unit for values shown together."""

from collections.abc import Iterable
from dataclasses import dataclass

from stressbench.formats.units import BYTES, NANOSECONDS, PREFIXES

MISSING = "–"
_PLAIN_MISSING = "-"


@dataclass(frozen=True, kw_only=True)
class TimeUnit:
    """A unit of time: its name and the number of units per second."""

    name: str
    per_second: float


_TIME_UNITS = (
    TimeUnit(name="s", per_second=1.0),
    *(TimeUnit(name=name, per_second=1e9 / NANOSECONDS[name.replace("µ", "u")]) for name in ("ms", "µs", "ns")),
)


def time_unit(seconds: Iterable[float]) -> TimeUnit:
    """The largest unit in which the largest time, rounded to three digits, is at least 1; else ns (s for 0)."""
    largest = float(f"{max((abs(value) for value in seconds), default=0.0):.2e}")
    fitting = (unit for unit in _TIME_UNITS if largest * unit.per_second >= 1)
    return next(fitting, _TIME_UNITS[0] if largest == 0 else _TIME_UNITS[-1])


_ELAPSED_UNITS = (
    TimeUnit(name="h", per_second=1e9 / NANOSECONDS["h"]), TimeUnit(name="min", per_second=1e9 / NANOSECONDS["min"])
)  # fmt: skip
_LEAST_ELAPSED = 2


def elapsed_unit(seconds: Iterable[float]) -> TimeUnit:
    """The unit of an axis of elapsed time: hours or minutes from 2 of them on, else that of `time_unit`."""
    times = tuple(seconds)
    largest = max(map(abs, times), default=0.0)
    fitting = (unit for unit in _ELAPSED_UNITS if largest * unit.per_second >= _LEAST_ELAPSED)
    return next(fitting, time_unit(times))


def digits(value: float | None) -> str:
    """Three significant digits, but all digits of an integer part; an exponent below 1e-4; a dash for None."""
    if value is None:
        return MISSING
    if value == 0:
        return "0"
    exponent = int(f"{value:.2e}".partition("e")[2])
    return f"{value:.2e}" if exponent < -4 else f"{value:,.{max(0, 2 - exponent)}f}"


def time(seconds: float | None, *, unit: TimeUnit | None = None) -> str:
    """A time such as `1.23 ms`; only the number if `unit` is given, for tables with the unit in the head."""
    if seconds is None:
        return MISSING
    if unit is not None:
        return digits(seconds * unit.per_second)
    own_unit = time_unit([seconds])
    return f"{digits(seconds * own_unit.per_second)} {own_unit.name}"


def factor(value: float | None) -> str:
    """A ratio with two decimals: `1.42`; three if two would round it to 1, none from 100; a dash for None."""
    if value is None:
        return MISSING
    close = value != 1 and f"{value:.2f}" == "1.00"
    return f"{value:.3f}" if close else f"{value:.2f}" if value < 100 else f"{value:,.0f}"


def interval(low: float | None, high: float | None) -> str:
    """An interval `[1.38, 1.47]`, or a dash."""
    return MISSING if low is None or high is None else f"[{factor(low)}, {factor(high)}]"


def interval_or_none(low: float | None, high: float | None) -> str:
    """An interval `[1.38, 1.47]`, or `no interval`."""
    return "no interval" if low is None else interval(low, high)


def factor_and_interval(ratio: float | None, low: float | None, high: float | None) -> str:
    """A ratio with its interval: `1.42 [1.38, 1.47]` or `1.42 no interval`."""
    return f"{factor(ratio)} {interval_or_none(low, high)}"


def multiplier_text(ratio: float, low: float | None, high: float | None) -> str:
    """A factor with its interval, if any: `1.42× [1.38, 1.47]` or `1.42×`."""
    text = f"{factor(ratio)}×"
    return text if low is None or high is None else f"{text} {interval(low, high)}"


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
    """A bandwidth in powers of ten: `1.23 GB/s`."""
    if bytes_per_s is None:
        return MISSING
    for name in ("GB", "MB", "kB"):
        if bytes_per_s >= BYTES[name]:
            return f"{digits(bytes_per_s / BYTES[name])} {name}/s"
    return f"{digits(bytes_per_s)} B/s"


def rate_interval(bytes_per_s: float | None, low: float | None, high: float | None) -> str:
    """A bandwidth with its interval where that is known: `22.9 MB/s [22.1 MB/s, 23 MB/s]`; `-` if unknown."""
    if bytes_per_s is None:
        return _PLAIN_MISSING
    return rate(bytes_per_s) + ("" if low is None or high is None else f" [{rate(low)}, {rate(high)}]")


def metric_text(name: str, value: float | None) -> str:
    """A metric in a readable unit by the suffix of its name (`_bytes_per_s`, `_per_s`, `_s`); without one, a number."""
    if value is None:
        return MISSING
    if name.endswith("_bytes_per_s"):
        return rate(value)
    if name.endswith("_per_s"):
        return f"{digits(value)} /s"
    return time(value) if name.endswith("_s") else digits(value)


def bit_rate(bits_per_s: int) -> str:
    """The nominal rate of a link in powers of ten: `100 Mbit/s`."""
    for prefix in ("G", "M", "k"):
        if bits_per_s >= PREFIXES[prefix]:
            return f"{bits_per_s / PREFIXES[prefix]:g} {prefix}bit/s"
    return f"{bits_per_s} bit/s"


def percent(share: float | None) -> str:
    """A share (0 to 1) as a percentage without a sign: `12.3`, or a dash."""
    return MISSING if share is None else f"{100 * share:.1f}"


def probability(share: float | None) -> str:
    """A probability with two decimals: `0.97`, or a dash."""
    return MISSING if share is None else f"{share:.2f}"


def plain_time(seconds: float | None) -> str:
    """A time with four digits and an ASCII unit, for files that other programs read; `-` if unknown."""
    if seconds is None:
        return _PLAIN_MISSING
    unit = time_unit([seconds])
    return f"{seconds * unit.per_second:.4g} {unit.name.replace('µ', 'u')}"


def plain_ratio(value: float | None) -> str:
    """A ratio with three decimals; `-` if unknown."""
    return _PLAIN_MISSING if value is None else f"{value:.3f}"


def plain_interval(low: float | None, high: float | None) -> str:
    """An interval `[1.955, 2.015]`, or `no interval`."""
    return "no interval" if low is None or high is None else f"[{low:.3f}, {high:.3f}]"


def count(value: int, noun: str) -> str:
    """A number with its noun: `1 round`, `3 rounds`, `3 launches`."""
    return f"{value:,} {noun}" + ("" if value == 1 else "es" if noun.endswith("ch") else "s")


def compact_count(value: int) -> str:
    """A number with two or three digits and a prefix: `950`, `9.5k`, `12M`; for labels in figures."""
    for prefix in ("G", "M", "k"):
        scaled = float(f"{value / PREFIXES[prefix]:.3g}")
        if scaled >= 1:
            return f"{scaled:.1f}".removesuffix(".0") + prefix if scaled < 9.95 else f"{scaled:,.0f}{prefix}"
    return str(value)


def ratio_text(ratio: float | None, low: float | None, high: float | None) -> str:
    """A ratio with its interval: `1.990 [1.955, 2.015]` or `1.990 [no interval]`; a dash without a ratio."""
    if ratio is None:
        return MISSING
    bounds = "[no interval]" if low is None or high is None else plain_interval(low, high)
    return f"{plain_ratio(ratio)} {bounds}"
