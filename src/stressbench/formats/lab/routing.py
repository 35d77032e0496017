"""Values of `routing` in a lab file. No import of pydantic, since every node of a lab loads this module."""

from enum import Enum


class Routing(Enum):
    """How switches choose among several paths.

    Always the same one for a destination, one of the shortest by a hash of each connection's addresses and ports, or
    for each flowlet by the load of the switch's own output ports, also paths that are longer.
    """

    static = "static"
    ecmp = "ecmp"
    adaptive = "adaptive"
