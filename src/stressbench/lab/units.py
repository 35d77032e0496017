"""Rates, sizes and times as lab files write them."""

import re
from dataclasses import dataclass

_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*([kMGT]?)bit(?:/s)?")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(B|kB|MB|GB|KiB|MiB|GiB)")
_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(ns|us|ms|s)")
_POWERS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BYTES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


@dataclass(frozen=True, order=True)
class Rate:
    """What a link carries in each direction, frames and all: bits a second."""

    bits_per_s: int

    @property
    def bytes_per_s(self) -> float:
        """Bytes a second, of frames."""
        return self.bits_per_s / 8

    def scaled(self, share: float) -> "Rate":
        """This rate times `share`."""
        return Rate(round(self.bits_per_s * share))

    def __str__(self) -> str:
        for name, power in reversed(_POWERS.items()):
            if self.bits_per_s >= power:
                return f"{self.bits_per_s / power:.12g}{name}bit"
        return "0bit"


@dataclass(frozen=True, order=True)
class Duration:
    """A time, in nanoseconds."""

    ns: int

    def __str__(self) -> str:
        for name, scale in reversed(_NANOSECONDS.items()):
            if self.ns >= scale:
                return f"{self.ns / scale:.12g}{name}"
        return "0ns"


@dataclass(frozen=True, order=True)
class Bytes:
    """An amount of memory or of traffic, in bytes."""

    count: int

    def __str__(self) -> str:
        for name in ("GiB", "MiB", "KiB"):
            if self.count >= _BYTES[name]:
                return f"{self.count / _BYTES[name]:.12g}{name}"
        return f"{self.count}B"


MIN_RATE = Rate(8_000)
"""What a link carries at least."""


def parse_rate(text: object) -> Rate:
    """`100Mbit`, `1Gbit/s`. ValueError says what was expected."""
    match = _RATE.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        raise ValueError("expected a rate in bits a second, such as 100Mbit or 1Gbit")
    rate = Rate(_whole(float(match[1]) * _POWERS[match[2]]))
    if rate.bits_per_s == 0:
        raise ValueError("a link of rate 0 would carry nothing; expected more than 0 (`lab set LINK down` cuts a link)")
    if rate < MIN_RATE:
        raise ValueError(f"expected at least {MIN_RATE}")
    return rate


def parse_duration(text: object) -> Duration:
    """`10us`. ValueError says what was expected."""
    match = _TIME.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        raise ValueError("expected a time, such as 10us or 1ms")
    return Duration(_whole(float(match[1]) * _NANOSECONDS[match[2]]))


def parse_bytes(text: object) -> Bytes:
    """`256KiB`. ValueError says what was expected."""
    match = _SIZE.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        raise ValueError("expected a size, such as 256KiB or 1MB")
    size = Bytes(_whole(float(match[1]) * _BYTES[match[2]]))
    if size.count == 0:
        raise ValueError("expected more than 0 bytes")
    return size


def _whole(value: float) -> int:
    """Rounded. ValueError beyond what the kernel's 64 bits hold."""
    if value >= 2**63:
        raise ValueError("is too large; expected less than 2^63 bits a second, bytes or nanoseconds")
    return round(value)
