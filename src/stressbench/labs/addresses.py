"""IP and MAC addresses of a lab's nodes: one IPv4 network per rail, 10.10.0.0/16 for the first.

Labs are isolated from each other, so all of them use the same addresses.
"""

from stressbench.labs.topology import Node

_FIRST_RAIL_OCTET = 10
_FIRST_SWITCH_OCTET = 200
_NODES_PER_OCTET = 250
PREFIX_BITS = 16


def network_of(rail: int) -> str:
    """The network of a rail, such as `10.10.0.0/16`."""
    return f"10.{_FIRST_RAIL_OCTET + rail}.0.0/{PREFIX_BITS}"


def address_of(node: Node, *, rail: int) -> str:
    """The IPv4 address of a node on a rail, without the prefix length."""
    block, rest = divmod(node.number, _NODES_PER_OCTET)
    return f"10.{_FIRST_RAIL_OCTET + rail}.{block + (_FIRST_SWITCH_OCTET if node.is_switch else 0)}.{rest + 1}"


def mac_of(link: int, end: int) -> str:
    """A locally administered MAC address for end 0 or 1 of a link."""
    return f"02:5b:00:{link >> 8:02x}:{link & 255:02x}:{end:02x}"
