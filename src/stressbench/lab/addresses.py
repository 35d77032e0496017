"""Names on the wire: one network a rail, 10.10.0.0/16 for the first. The same in every lab, since no two ever meet."""

from stressbench.lab.topology import Node

_RAILS_FROM = 10
_SWITCHES_FROM = 200
_A_BLOCK = 250
PREFIX_BITS = 16
MOST_STATIONS = _SWITCHES_FROM * _A_BLOCK
MOST_SWITCHES = (255 - _SWITCHES_FROM) * _A_BLOCK


def network_of(rail: int) -> str:
    """The rail's network, as `10.10.0.0/16`."""
    return f"10.{_RAILS_FROM + rail}.0.0/{PREFIX_BITS}"


def address_of(node: Node, *, rail: int) -> str:
    """The node's address on a rail, without the length of its network."""
    block, rest = divmod(node.number, _A_BLOCK)
    return f"10.{_RAILS_FROM + rail}.{block + (_SWITCHES_FROM if node.is_switch else 0)}.{rest + 1}"


def mac_of(link: int, end: int) -> str:
    """The address of a link's end (0 or 1), which belongs to nobody's hardware."""
    return f"02:5b:00:{link >> 8:02x}:{link & 255:02x}:{end:02x}"
