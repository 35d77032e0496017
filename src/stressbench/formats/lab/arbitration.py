"""Values of `arbitration` in a lab file. No import of pydantic, since every node of a lab loads this module."""

from enum import Enum


class Arbitration(Enum):
    """What a switch sends next over a link: the oldest frame, or frames of the hosts that sent them in turns."""

    fifo = "fifo"
    fair = "fair"
