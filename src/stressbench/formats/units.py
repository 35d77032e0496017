"""Sizes, times, rates and shares: the table of units, parsers of user input, and short texts for output. Pure.

Each parser returns the value of a text, or raises UnitError with one sentence that says what was expected; the caller
adds the name of the option or key. Command lines use the notation of the engine (`parse_size`, `parse_seconds`: no
blank before the unit), lab files their own (`parse_bytes`, `parse_duration`, `parse_rate`: blanks allowed, a unit
required).
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, TypeAlias, TypeVar

NANOSECONDS = {
    "ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9,
}  # fmt: skip
BYTES = {
    "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12,
    "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
}  # fmt: skip
PREFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
"""Decimal prefixes, as in rates in bits per second."""

A_TIME = "a time with its unit, such as 500ms, 30s, 10min or 2h"
A_SIZE = "a size above 0, such as 4096, 32KiB, 1.5MiB or 4MB"
A_FREQUENCY = "a frequency from 1Hz to 1000GHz, such as 2.6GHz"
A_RATE_SHARE = "full, half, quarter, eighth, 1/5 or 20%"

TIME_PATTERN = r"^[0-9]+(\.[0-9]+)?(ns|us|ms|s|min|h)$"
"""For JSON Schemas: matches what `parse_seconds` accepts, and also times out of its range."""
RATE_SHARE_PATTERN = r"^(full|half|quarter|eighth|[0-9]*[1-9][0-9]*/[1-9][0-9]*|[0-9]+(\.[0-9]+)?%)$"
"""For JSON Schemas: matches what `parse_rate_share` accepts, except the fractions 0/N."""
PERCENT_PATTERN = r"^[0-9]+(\.[0-9]+)?%$"
"""For JSON Schemas: matches what `parse_percent` accepts, and also 0%."""
RATE_PATTERN = r"^[0-9]+(\.[0-9]+)? *[kMGT]?bit(/s)?$"
BYTE_RATE_PATTERN = r"^[0-9]+(\.[0-9]+)? *([kMG]|[KMG]i)?B/s$"
DURATION_PATTERN = r"^[0-9]+(\.[0-9]+)? *(ns|us|ms|s)$"
BYTES_PATTERN = r"^[0-9]+(\.[0-9]+)? *([kMG]|[KMG]i)?B$"

MIN_SECONDS, MAX_SECONDS = 1e-9, 100 * 365 * 24 * 3600.0
"""The shortest and the longest time that users may specify, in seconds: a nanosecond and 100 years."""
MAX_SIZE = 2**63 - 1
"""The largest size that users may specify, in bytes."""

FULL = "full"
"""The share that stands for the full rate."""
_RATE_SHARES = {FULL: Fraction(1), "half": Fraction(1, 2), "quarter": Fraction(1, 4), "eighth": Fraction(1, 8)}
_NUMBER = r"([0-9]+(?:\.[0-9]+)?)"
_BOUNDED_NUMBER = r"([0-9]{1,300}(?:\.[0-9]{1,300})?)"  # short enough for a float and for Fraction
_SECONDS = re.compile(rf"{_NUMBER}(ns|us|ms|s|min|h)")
_SIZE = re.compile(rf"{_BOUNDED_NUMBER}(B|[kMGT]B|[KMGT]iB)?")
_RATE = re.compile(rf" *{_NUMBER} *([kMGT]?)bit(?:/s)? *")
_DURATION = re.compile(rf" *{_NUMBER} *(ns|us|ms|s) *")
_BYTES = re.compile(rf" *{_NUMBER} *(B|kB|MB|GB|KiB|MiB|GiB) *")
_BYTE_RATE = re.compile(rf" *{_NUMBER} *(B|kB|MB|GB|KiB|MiB|GiB)/s *")
_RATE_SHARE = re.compile(rf"([0-9]{{1,300}})/([1-9][0-9]{{0,299}})|{_BOUNDED_NUMBER}%")
_PERCENT = re.compile(rf"{_BOUNDED_NUMBER}%")
_FREQUENCY = re.compile(r"([0-9]+(?:\.[0-9]+)?(?:e[0-9]{1,3})?)([kMG]?)(?:Hz)?")
_DIGITS = re.compile("[0-9]{1,18}")


_ROUNDING = 1e-9

V = TypeVar("V")


@dataclass(frozen=True)
class Stated(Generic[V]):
    """A value, and the text in which the user stated it: `half` and `1/2` are the same value, but different texts."""

    value: V
    text: str

    @classmethod
    def of(cls, value: V) -> "Stated[V]":
        """A value that was not stated as a text, and its usual text."""
        return cls(value, str(value))

    def __str__(self) -> str:
        return self.text


RateShare: TypeAlias = Stated[Fraction]
"""A share of a link's full rate."""


class UnitError(ValueError):
    """A text is not a valid value. The message is one sentence that says what was expected."""


@dataclass(frozen=True, order=True)
class Rate:
    """The rate of a link in each direction, frame headers included, in bits per second."""

    bits_per_s: int

    @property
    def bytes_per_s(self) -> float:
        """The rate in bytes per second."""
        return self.bits_per_s / 8

    def scaled(self, share: float) -> "Rate":
        """This rate times `share`."""
        return Rate(round(self.bits_per_s * share))

    def __str__(self) -> str:
        for name, power in reversed(PREFIXES.items()):
            if self.bits_per_s >= power:
                return f"{self.bits_per_s / power:.12g}{name}bit"
        return "0bit"


@dataclass(frozen=True, order=True)
class Duration:
    """A time in nanoseconds."""

    ns: int

    def __str__(self) -> str:
        for name in ("s", "ms", "us", "ns"):
            if self.ns >= NANOSECONDS[name]:
                return f"{self.ns / NANOSECONDS[name]:.12g}{name}"
        return "0ns"


@dataclass(frozen=True, order=True)
class Bytes:
    """An amount of memory or of traffic in bytes."""

    count: int

    def __str__(self) -> str:
        for name in ("GiB", "MiB", "KiB"):
            if self.count >= BYTES[name]:
                return f"{self.count / BYTES[name]:.12g}{name}"
        return f"{self.count}B"


MIN_RATE = Rate(8_000)
"""The smallest rate that a link may have."""


def is_ascii_number(text: str) -> bool:
    """Whether a number is free of spellings that only Python accepts: `1_000` and digits of other scripts."""
    return text.isascii() and "_" not in text


def parse_float(text: str) -> float:
    """Return a number such as `3`, `-0.5` or `2e-3`; it may be infinite or NaN. Raises ValueError."""
    if not is_ascii_number(text):
        raise ValueError(text)
    return float(text)


def parse_digits(text: str) -> int | None:
    """Return the value, 0 or more, of a text of up to 18 digits; None for any other text."""
    return int(text) if _DIGITS.fullmatch(text) else None


def parse_seconds(text: str) -> float:
    """Return the seconds of a time from MIN_SECONDS to MAX_SECONDS: 3300.0 for `55min`. Raises UnitError."""
    match = _SECONDS.fullmatch(text)
    seconds = float(match[1]) * NANOSECONDS[match[2]] / NANOSECONDS["s"] if match else 0.0
    if not seconds:
        raise UnitError(f"expected {A_TIME}")
    if seconds < MIN_SECONDS * (1 - _ROUNDING):
        raise UnitError("expected at least 1ns")
    if seconds > MAX_SECONDS:
        raise UnitError("expected at most 100 years")
    return seconds


def parse_size(text: str) -> int:
    """Return a size from 1 to MAX_SIZE in whole bytes: 32768 for `32KiB`. Raises UnitError."""
    match = _SIZE.fullmatch(text)
    size = Fraction(match[1]) * BYTES[match[2] or "B"] if match else Fraction(0)
    if size <= 0 or size.denominator != 1:
        raise UnitError(f"expected {A_SIZE}")
    if size > MAX_SIZE:
        raise UnitError("expected less than 2^63 bytes")
    return int(size)


def parse_rate(text: object) -> Rate:
    """Return a link's rate: `100Mbit`, `1Gbit/s`. Raises UnitError, also below MIN_RATE."""
    match = _RATE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise UnitError("expected a rate in bits per second, such as 100Mbit or 1Gbit")
    rate = Rate(_round_to_int64(float(match[1]) * PREFIXES[match[2]]))
    if rate.bits_per_s == 0:
        raise UnitError("a link of rate 0 would carry nothing; expected more than 0 (`lab set LINK down` cuts a link)")
    if rate < MIN_RATE:
        raise UnitError(f"expected at least {MIN_RATE}")
    return rate


def parse_duration(text: object) -> Duration:
    """Return a delay, which may be 0: `10us`. Raises UnitError, also if `text` is not a string."""
    match = _DURATION.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise UnitError("expected a time, such as 10us or 1ms")
    return Duration(_round_to_int64(float(match[1]) * NANOSECONDS[match[2]]))


def parse_bytes(text: object) -> Bytes:
    """Return an amount above 0, rounded to whole bytes: `256KiB`. Raises UnitError, also if `text` is not a string."""
    match = _BYTES.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise UnitError("expected a size, such as 256KiB or 1MB")
    size = Bytes(_round_to_int64(float(match[1]) * BYTES[match[2]]))
    if size.count == 0:
        raise UnitError("expected more than 0 bytes")
    return size


def parse_byte_rate(text: object) -> Bytes:
    """Return the bytes of a second of a disk's rate, above 0: `500MB/s`. Raises UnitError, also for other types."""
    match = _BYTE_RATE.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise UnitError("expected a rate in bytes per second, such as 500MB/s or 2GB/s")
    rate = Bytes(_round_to_int64(float(match[1]) * BYTES[match[2]]))
    if rate.count == 0:
        raise UnitError("expected more than 0 bytes per second")
    return rate


def parse_frequency(text: str) -> float:
    """Return hertz, 1 to 1e12: 2.6e9 for `2.6GHz`, `2.6G` and `2600000000`. Raises UnitError."""
    match = _FREQUENCY.fullmatch(text)
    hertz = float(match[1]) * PREFIXES[match[2]] if match else 0.0
    if not 1 <= hertz <= 1e12:
        raise UnitError(f"expected {A_FREQUENCY}")
    return hertz


def parse_rate_share(text: str, *, allow_one: bool = False) -> Fraction:
    """Return a share of a link's rate as a fraction: `half`, `1/3`, `25%`; with `allow_one` also `1`. Raises UnitError.

    Converted to a text, the result is in lowest terms (`1`, `1/2`, `1/3`). It may be 0 or more than 1.
    """
    if allow_one and text == "1":
        return Fraction(1)
    if match := _RATE_SHARE.fullmatch(text):
        return Fraction(int(match[1]), int(match[2])) if match[1] else Fraction(match[3]) / 100
    if text in _RATE_SHARES:
        return _RATE_SHARES[text]
    raise UnitError(f"expected {A_RATE_SHARE}")


def stated_rate(share: Fraction) -> RateShare:
    """The share in the notation of study files: `full`, `1/2`."""
    return RateShare(share, FULL) if share == 1 else RateShare.of(share)


def stated_seconds(text: str) -> Stated[float]:
    """A time with its text, such as `55min`. Raises UnitError."""
    return Stated(parse_seconds(text), text)


def parse_share(text: str, *, zero: bool) -> float:
    """Return a share below 1 and above 0, or with `zero` at least 0: 0.02 for `2%` and `0.02`. Raises UnitError."""
    number, scale = (text[:-1], 100.0) if text.endswith("%") else (text, 1.0)
    try:
        share = parse_float(number) / scale
    except ValueError:
        raise UnitError("expected a share such as 2% or 0.02") from None
    return check_share(share, zero=zero)


def check_share(share: float, *, zero: bool) -> float:
    """Return a share below 1 and above 0, or with `zero` at least 0. Raises UnitError for other numbers and NaN."""
    if not ((share >= 0 if zero else share > 0) and share < 1):
        raise UnitError(f"expected {'at least' if zero else 'more than'} 0% and less than 100%")
    return share


def parse_percent(text: str) -> float:
    """Return a share above 0, which may be more than 1: 0.05 for `5%`. Raises UnitError."""
    match = _PERCENT.fullmatch(text)
    share = float(match[1]) / 100 if match else 0.0
    if share <= 0:
        raise UnitError("expected a share above 0, such as 5%")
    return share


def duration_text(seconds: float | None) -> str:
    """Return an estimated time as a rounded text: `1 h 05 min`, `12 min`, `40 s`; `unknown` for None."""
    if seconds is None:
        return "unknown"
    if seconds >= 3600:
        return f"{int(seconds // 3600)} h {int(seconds % 3600 // 60):02d} min"
    return f"{round(seconds / 60)} min" if seconds >= 120 else f"{seconds:.0f} s"


def minutes_text(seconds: float) -> str:
    """Return a configured time with three significant digits: `15 min`, `60 s`, `1.5 s`."""
    return f"{seconds:.3g} s" if seconds < 120 else f"{seconds / 60:.3g} min"


def microseconds_text(seconds: float) -> str:
    """Return a measured latency such as `1,234.5 µs`: all in one unit, so that they can be compared."""
    return f"{seconds * 1e6:,.1f} µs"


def exact_size_text(size: int) -> str:
    """Return bytes in the largest binary unit up to GiB that divides them: `16 MiB`, `1000 bytes`."""
    unit = next((unit for unit in ("GiB", "MiB", "KiB") if size % BYTES[unit] == 0), None)
    return f"{size} bytes" if unit is None else f"{size // BYTES[unit]} {unit}"


def _round_to_int64(value: float) -> int:
    """`value` rounded to an integer. Raises UnitError if it exceeds the 64 bits of the kernel's interfaces."""
    if value >= 2**63:
        raise UnitError("is too large; expected less than 2^63 bits per second, bytes or nanoseconds")
    return round(value)
