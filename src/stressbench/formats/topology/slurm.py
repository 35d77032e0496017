"""Slurm's topology.conf for the plugin topology/tree, and what `scontrol show topology` prints. Pure."""

import re
from collections.abc import Iterator

from stressbench.formats.topology.errors import LineMistakes
from stressbench.formats.topology.host_lists import expand_names
from stressbench.formats.topology.network import MAX_HOSTS, MAX_LINKS, MAX_SWITCHES, Network, NetworkLink

_KEYS = ("SwitchName", "Switches", "Nodes", "LinkSpeed", "Level")
_EXPECTED_LINE = (
    "expected SwitchName=NAME with Nodes=HOSTS or Switches=SWITCHES, such as SwitchName=s0 Nodes=tux[0-3]; other "
    "plugins than topology/tree describe no links"
)
FIRST_LINE = re.compile(r"\s*(?:SwitchName|BlockName)\s*=", re.IGNORECASE)
"""Matches the first line of such a file that is neither empty nor a comment."""


class _Tree:
    """Switches, hosts and links so far; nodes with the line of their first mention."""

    def __init__(self, mistakes: LineMistakes) -> None:
        self.mistakes = mistakes
        self.switches: dict[str, int] = {}
        self.hosts: dict[str, int] = {}
        self.children: dict[str, tuple[int, str]] = {}

    def add(self, line: int, values: dict[str, str]) -> None:
        name = values["switchname"]
        if name in self.switches:
            self.mistakes.add(line, name, f"is the switch of line {self.switches[name]}; expected another name")
            return
        self.switches[name] = line
        for host in self._names(line, values.get("nodes", "")):
            self._attach(line, host, name, self.hosts)
        for switch in self._names(line, values.get("switches", "")):
            self._attach(line, switch, name, None)

    def _names(self, line: int, text: str) -> tuple[str, ...]:
        try:
            return expand_names(text) if text else ()
        except ValueError as fault:
            self.mistakes.add(line, text, str(fault))
            return ()

    def _attach(self, line: int, child: str, parent: str, hosts: dict[str, int] | None) -> None:
        if child in self.children:
            first_line, first = self.children[child]
            self.mistakes.add(line, child, f"is below {first} in line {first_line}; expected one place in the tree")
            return
        self.children[child] = (line, parent)
        if hosts is not None:
            hosts[child] = line

    def check(self) -> None:
        for child, (line, _) in self.children.items():
            if child in self.hosts and child in self.switches:
                self.mistakes.add(line, child, f"is a switch in line {self.switches[child]}; expected names of hosts")
            elif child not in self.hosts and child not in self.switches:
                self.mistakes.add(line, child, "expected a switch that has a line with SwitchName= in this file")
        for switch, line in self.switches.items():
            if _leads_round(switch, self.children):
                self.mistakes.add(line, switch, "is below itself; expected a tree")


def _leads_round(switch: str, children: dict[str, tuple[int, str]]) -> bool:
    seen, node = {switch}, switch
    while node in children:
        node = children[node][1]
        if node == switch:
            return True
        if node in seen:
            return False
        seen.add(node)
    return False


def parse_topology_conf(text: str, *, name: str, source: str) -> Network:
    """The tree of switches that `text` describes; the rates of its links are unknown, as LinkSpeed has no unit.

    Raises TopologyMistake with `source` and line of every mistake.
    """
    mistakes = LineMistakes(source)
    tree = _Tree(mistakes)
    for line, words in _logical_lines(text):
        values = _values(line, words, mistakes)
        if values is not None:
            tree.add(line, values)
    tree.check()
    if not tree.hosts and not mistakes.found:
        mistakes.add(1, name, "has no hosts; expected at least one line with Nodes=")
    if max(len(tree.hosts) / MAX_HOSTS, len(tree.switches) / MAX_SWITCHES, len(tree.children) / MAX_LINKS) > 1:
        mistakes.add(1, name, f"is too large; expected at most {MAX_HOSTS:,} hosts and {MAX_SWITCHES:,} switches")
    mistakes.raise_if_any()
    return Network(
        name=name, hosts=tuple(tree.hosts), switches=tuple(tree.switches),
        links=tuple(NetworkLink(a=child, b=parent) for child, (_, parent) in tree.children.items()),
    )  # fmt: skip


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines without comments that are not empty, with the number of the first; a `\\` at the end continues a line."""
    joined, first = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.partition("#")[0].rstrip()
        content = content.lstrip() if joined.endswith(",") else content
        first = first or number
        if content.endswith("\\"):
            joined += content[:-1].rstrip() if content[:-1].rstrip().endswith(",") else content[:-1] + " "
            continue
        if (joined + content).strip():
            yield first, (joined + content).strip()
        joined, first = "", 0
    if joined.strip():
        yield first, joined.strip()


def _values(line: int, text: str, mistakes: LineMistakes) -> dict[str, str] | None:
    """The values of a line by key in lower case; None for a line with a mistake, which is recorded."""
    values: dict[str, str] = {}
    known = {key.lower() for key in _KEYS}
    for word in re.sub(r"\s*=\s*", "=", text).split():
        key, equals, value = word.partition("=")
        if not equals or not value or key.lower() not in known:
            mistakes.add(
                line, word, f"expected a key of {', '.join(_KEYS)} with its value" if values else _EXPECTED_LINE
            )
            return None
        if key.lower() in values:
            mistakes.add(line, word, f"expected {key}= once in a line")
            return None
        values[key.lower()] = value
    if "switchname" not in values or not {"nodes", "switches"} & values.keys():
        mistakes.add(line, text, _EXPECTED_LINE)
        return None
    return values
