"""Topologies of machines: switches, hosts and the links between them, from files of several formats."""

from stressbench.formats.topology.errors import TopologyMistake
from stressbench.formats.topology.files import TopologyFormat, format_of, parse_topology
from stressbench.formats.topology.network import Network, NetworkLink, groups_of

__all__ = ["Network", "NetworkLink", "TopologyFormat", "TopologyMistake", "format_of", "groups_of", "parse_topology"]
