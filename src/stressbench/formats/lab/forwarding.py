"""What `forwarding` of a lab file may be; without pydantic, since every node of a lab loads it."""

from enum import Enum


class Forwarding(Enum):
    """How switches pass frames on: as Ethernet bridges, which need a tree, or along static shortest routes."""

    bridge = "bridge"
    route = "route"
