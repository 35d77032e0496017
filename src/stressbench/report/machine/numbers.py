"""Numbers of a machine's figures in a readable unit."""

from dataclasses import dataclass

from stressbench.formats.machines import Better, MachineFigure, Unit
from stressbench.formats.units import BYTES
from stressbench.report.units import MISSING, digits, factor, time_unit


@dataclass(frozen=True, kw_only=True)
class Scale:
    """A readable unit: its name, and how many of it are one SI unit. `is_ratio`: numbers without a unit."""

    name: str
    per_unit: float = 1.0
    is_ratio: bool = False

    def text(self, value: float | None) -> str:
        """The value without its unit; a dash for None."""
        if self.is_ratio:
            return MISSING if value is None else digits(value) if value < 0.1 else factor(value)
        return digits(None if value is None else value * self.per_unit)

    def with_unit(self, value: float | None) -> str:
        """The value with its unit, if it has one."""
        text = self.text(value)
        return text if self.is_ratio or value is None else f"{text} {self.name}"

    def interval(self, low: float | None, high: float | None) -> str:
        """`[1.2, 1.3]`, or a dash."""
        return MISSING if low is None or high is None else f"[{self.text(low)}, {self.text(high)}]"


def scale_of(unit: Unit, *values: float | None) -> Scale:
    """The unit for the largest of these values."""
    known = [value for value in values if value is not None]
    if unit is Unit.seconds:
        chosen = time_unit(known)
        return Scale(name=chosen.name, per_unit=chosen.per_second)
    if unit is Unit.bytes_per_s:
        largest = max(known, default=0.0)
        name = next((name for name in ("GB", "MB", "kB") if largest >= BYTES[name]), "B")
        return Scale(name=f"{name}/s", per_unit=1 / BYTES[name])
    return Scale(name="", is_ratio=True)


def tail_of(figure: MachineFigure) -> float | None:
    """The bad end of a distribution: the 99th percentile, or the 5th if higher is better; None without percentiles."""
    if figure.percentiles is None:
        return None
    return figure.percentiles.p99 if figure.better is Better.less else figure.percentiles.p5
