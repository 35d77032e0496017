"""Networks of machines: those of labs, of topology files, and of the links that a run counted."""

import re
from pathlib import Path

from stressbench.formats.errors import reason_of
from stressbench.formats.excerpts import excerpt
from stressbench.formats.files import limits, read_text
from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.run import Run
from stressbench.formats.topology import (
    Network,
    NetworkLink,
    TopologyFormat,
    TopologyMistake,
    format_of,
    groups_of,
    parse_topology,
)
from stressbench.labs.catalog import lab_file, shipped
from stressbench.labs.file import parse_lab
from stressbench.labs.topology import Lab, NodeKind

_STORAGE = re.compile(r"io[0-9]+")
_MOST_SHOWN = 3


def read_network(word: str) -> Network:
    """The network of the shipped lab, or in the file, that `word` names.

    Files: a lab file, a topology file in TOML, Slurm's topology.conf or the output of ibnetdiscover. Raises
    TopologyMistake or LabMistake with file and line of every mistake.
    """
    path = lab_file(word) if word in shipped() else Path(word)
    try:
        text = read_text(path, limit=limits.TOML if path.suffix == ".toml" else limits.TOPOLOGY)
    except (OSError, UnicodeDecodeError) as fault:
        reason = reason_of(fault) if isinstance(fault, OSError) else "expected a text in UTF-8"
        labs = f"; shipped labs: {', '.join(shipped())}" if isinstance(fault, FileNotFoundError) else ""
        raise TopologyMistake([f"{path}: {reason}{labs}"]) from fault
    source = str(path)
    kind = format_of(text, source=source)
    if kind is TopologyFormat.lab:
        return network_of_lab(parse_lab(text, name=path.stem, source=source))
    return parse_topology(text, kind, name=path.stem, source=source)


def network_of_lab(lab: Lab) -> Network:
    """The nodes and links of the lab."""
    switches = tuple(node.name for node in lab.switches)
    return Network(
        name=lab.name, hosts=tuple(node.name for node in lab.hosts), switches=switches,
        storage=tuple(node.name for node in lab.nodes if node.kind is NodeKind.io),
        links=tuple(
            NetworkLink(a=link.a.node, b=link.b.node, rate_bits_per_s=link.rate.bits_per_s) for link in lab.links
        ),
        groups=groups_of(switches),
    )  # fmt: skip


def network_of_run(run: Run) -> Network | None:
    """The network on which the run ran, from the file of its simulated lab or its link counters; None if unknown."""
    simulation = run.header.simulation
    if simulation is not None and simulation.platform is not None:
        platform = simulation.platform
        try:
            return network_of_lab(parse_lab(platform.text, name=platform.name, source=platform.name))
        except LabMistake:
            pass  # written by a version with other lab files: its counters may still tell
    return _network_of_counters(run)


def _network_of_counters(run: Run) -> Network | None:
    """The links that the first round with counters lists; nodes with one neighbour that ran no job are idle hosts."""
    counted = next((one.links for one in run.rounds if one.links), ())
    rates = {frozenset((one.source, one.target)): one.rate_bits_per_s for one in counted}
    neighbours: dict[str, set[str]] = {}
    for one in counted:
        neighbours.setdefault(one.source, set()).add(one.target)
        neighbours.setdefault(one.target, set()).add(one.source)
    hosts_of_run = {node.host for node in run.header.nodes}
    if not hosts_of_run & neighbours.keys():
        return None
    stations = [node for node, others in neighbours.items() if node in hosts_of_run or len(others) == 1]
    storage = tuple(node for node in stations if node not in hosts_of_run and _STORAGE.fullmatch(node))
    switches = tuple(node for node in neighbours if node not in stations)
    links = []
    for pair, rate in rates.items():
        a, b = sorted(pair, key=lambda node: (node not in stations, node))
        links.append(NetworkLink(a=a, b=b, rate_bits_per_s=rate))
    return Network(
        name="", hosts=tuple(node for node in stations if node not in storage), switches=switches, storage=storage,
        links=tuple(links), groups=groups_of(switches),
    )  # fmt: skip


def matched_hosts(network: Network, run: Run) -> dict[str, str]:
    """The node of the network for each host of the run, by name, or by the part of the name before the first dot.

    Raises TopologyMistake if no host of the run is in the network.
    """
    short = {host.partition(".")[0]: host for host in network.hosts}
    hosts = dict.fromkeys(node.host for node in run.header.nodes)
    known = set(network.hosts)
    found = {
        host: host if host in known else short[host.partition(".")[0]]
        for host in hosts
        if host in known or host.partition(".")[0] in short
    }
    if hosts and not found:
        its, others = (", ".join(map(excerpt, list(names)[:_MOST_SHOWN])) for names in (hosts, network.hosts))
        message = f"none of the hosts of {run.path.name} ({its}) is in it; expected hosts such as {others}"
        raise TopologyMistake([f"--topology {network.name}: {message}"])
    return found
