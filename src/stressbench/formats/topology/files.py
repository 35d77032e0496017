"""Recognition of the format of a topology file, and its parser. Pure."""

from collections.abc import Callable, Mapping
from enum import Enum

from stressbench.formats.excerpts import excerpt
from stressbench.formats.topology import ibnetdiscover, slurm, tables
from stressbench.formats.topology.errors import TopologyMistake
from stressbench.formats.topology.network import Network


class TopologyFormat(Enum):
    """Formats of topology files."""

    lab = "a lab file"
    toml = "a topology file in TOML"
    slurm = "Slurm's topology.conf"
    ibnetdiscover = "the output of ibnetdiscover"


_PARSERS: Mapping[TopologyFormat, Callable[..., Network]] = {
    TopologyFormat.toml: tables.parse_topology_toml,
    TopologyFormat.slurm: slurm.parse_topology_conf,
    TopologyFormat.ibnetdiscover: ibnetdiscover.parse_ibnetdiscover,
}
_TOML_ENDING = ".toml"


def format_of(text: str, *, source: str) -> TopologyFormat:
    """The format of the file `source`, from its ending (TOML) or its first line. Raises TopologyMistake.

    A TOML file with a table `[topology]` or `[hosts]` is a lab file.
    """
    if source.endswith(_TOML_ENDING):
        heads = {line.split("#")[0].strip() for line in text.splitlines()}
        return TopologyFormat.lab if heads & {"[topology]", "[hosts]"} else TopologyFormat.toml
    first = ""
    for line in text.splitlines():
        if ibnetdiscover.FIRST_LINE.match(line):
            return TopologyFormat.ibnetdiscover
        if line.strip() and not line.lstrip().startswith("#"):
            first = line
            break
    if slurm.FIRST_LINE.match(first):
        return TopologyFormat.slurm
    known = "expected SwitchName=... (Slurm's topology.conf), the output of ibnetdiscover, or a file named *.toml"
    number = text.splitlines().index(first) + 1 if first else 1
    raise TopologyMistake([f"{source}:{number}: '{excerpt(first.strip())}': {known}"])


def parse_topology(text: str, kind: TopologyFormat, *, name: str, source: str) -> Network:
    """The network that a file of any format but `lab` describes. Raises TopologyMistake with all mistakes and lines."""
    return _PARSERS[kind](text, name=name, source=source)
