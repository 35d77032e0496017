"""What is typed to `rails run` and `plan`, and the study that it makes."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stressbench.cli.asking import rank_counts, table_lines, told_as_options, variables
from stressbench.cli.programs import is_program
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import Study, parse_study
from stressbench.formats.study.rail_policies import RailPolicy, Transport, parse_nic, parse_policy
from stressbench.formats.toml import toml_text
from stressbench.study.catalog import shipped_folder

SOURCE = "rails"
POLICIES = "default,nic0,nic1,round-robin"
LAB = "lab:dual-rail"
ISOLATED = 6
_SHIPPED = ("rails-bandwidth.sb", "rails-latency.sb")
_OPTIONS = {
    "factors.policy: ": "--policies ", "factors.placement: ": "--place ", "nics: ": "--nics ",
    "transport: ": "--transport ", "run.": "--", "min_time": "min-time",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Options as they were typed; paths are relative to the folder in which that was."""

    words: Sequence[str]
    on: str
    policies: str
    nics: str | None
    transport: str | None
    ranks: str | None
    ranks_per_node: int | None
    sets: Sequence[str]
    placements: Sequence[str]
    runs: int
    seed: int
    rounds: Mapping[str, int | str | None]

    @property
    def is_program(self) -> bool:
        """Whether the words are a program, and no workloads."""
        return is_program(self.words)

    def study(self) -> tuple[Study, str]:
        """The study, and the text of its file. Raises StudyMistake."""
        if self.rounds["isolated"] == 0 and not self.rounds["contended"]:
            raise StudyMistake("--isolated 0: expected rounds in which jobs run alone, or --contended N")
        text = "\n".join(self._lines()) + "\n"
        with in_options():
            return parse_study(text, source=SOURCE), text

    def _lines(self) -> Iterator[str]:
        workloads, policies, nics = self._workloads(), policies_of(self.policies), nics_of(self.nics)
        transport = transport_of(self.transport)
        names = ", ".join(Path(path).stem for path in workloads)
        yield f"about = {toml_text(f'Rail policies: {names}')}"
        yield f"seed = {self.seed}"
        yield f"repetitions = {self.runs}"
        if nics:
            yield f"nics = {toml_text(list(nics))}"
        if transport is not None:
            yield f"transport = {toml_text(transport.value)}"
        yield from table_lines("factors", {
            "workload": workloads,
            "on": self.on,
            "policy": list(map(str, policies)),
            "ranks": rank_counts(self.ranks) or None,
            "ranks_per_node": self.ranks_per_node,
            "placement": self.placements or None,
        })  # fmt: skip
        yield from table_lines("set", variables(self.sets))
        isolated = self.rounds["isolated"]
        yield from table_lines("run", {**self.rounds, "isolated": ISOLATED if isolated is None else isolated})

    def _workloads(self) -> list[str]:
        if not self.words:
            folder = shipped_folder("workloads")
            return [os.path.relpath(folder / name) for name in _SHIPPED]
        missing = next((word for word in self.words if not Path(word).is_file()), None)
        if missing is not None:
            raise StudyMistake(f"{missing}: no such file; expected a workload")
        return list(self.words)


@contextmanager
def in_options() -> Iterator[None]:
    """Mistakes of the file that was made are told as those of options. Raises StudyMistake."""
    with told_as_options(SOURCE, _OPTIONS):
        yield


def policies_of(text: str) -> tuple[RailPolicy, ...]:
    """`default,nic0,jobs:a=0,b=1`, two at least. Raises StudyMistake."""
    words: list[str] = []
    for word in text.split(","):
        if words and words[-1].startswith("jobs:") and "=" in word and not word.startswith("jobs:"):
            words[-1] += f",{word}"  # jobs have commas of their own
        else:
            words.append(word)
    found: list[RailPolicy] = []
    for word in words:
        try:
            policy = parse_policy(word)
        except ValueError as fault:
            raise StudyMistake(f"--policies: '{word}': {fault}") from fault
        if policy in found:
            raise StudyMistake(f"--policies: '{word}': is given twice")
        found.append(policy)
    if len(found) < 2:
        raise StudyMistake(f"--policies: {text}: expected two at least, such as {POLICIES}: they are compared")
    return tuple(found)


def nics_of(text: str | None) -> tuple[str, ...]:
    """`ib0,ib1`. Raises StudyMistake."""
    found: list[str] = []
    for word in () if text is None else text.split(","):
        try:
            name = parse_nic(word)
        except ValueError as fault:
            raise StudyMistake(f"--nics: '{word}': {fault}") from fault
        if name in found:
            raise StudyMistake(f"--nics: '{word}': is given twice")
        found.append(name)
    return tuple(found)


def transport_of(text: str | None) -> Transport | None:
    """`tcp`, `ucx` or `ofi`. Raises StudyMistake."""
    if text is None or text in tuple(Transport):
        return None if text is None else Transport(text)
    raise StudyMistake(f"--transport: '{text}': expected {', '.join(Transport)}")
