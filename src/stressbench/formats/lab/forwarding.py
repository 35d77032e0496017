"""Values of `forwarding` in a lab file. No import of pydantic, since every node of a lab loads this module."""

from enum import Enum


class Forwarding(Enum):
    """How switches forward frames: as Ethernet bridges, which need a tree, or along static shortest routes."""

    bridge = "bridge"
    route = "route"
