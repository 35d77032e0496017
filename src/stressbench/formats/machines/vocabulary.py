"""Words in the result of a machine: the parts of the suite, units, and which direction is better."""

from enum import StrEnum


class Part(StrEnum):
    """A part of the suite, in the order in which results list them."""

    latency = "latency"
    bandwidth = "bandwidth"
    allreduce = "allreduce"
    storage = "storage"
    b_eff = "b_eff"
    impact = "impact"
    noise = "noise"


class Unit(StrEnum):
    """Unit of a figure."""

    seconds = "s"
    bytes_per_s = "bytes/s"
    ratio = "ratio"


class Better(StrEnum):
    """Whether a smaller or a larger value of a figure is better."""

    less = "less"
    more = "more"
