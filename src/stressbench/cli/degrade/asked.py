"""What is typed to `degrade run` and `plan`, and the study that it makes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from stressbench.study.errors import StudyFileMistake, StudyMistake
from stressbench.study.file import Study, parse_study
from stressbench.toml import toml_text
from stressbench.toml.shares import FULL, parse_fraction

SOURCE = "degrade"
RATES = "1,1/2,1/4,1/8"
LAB = "lab:tiny"
_LINE = re.compile(rf"{SOURCE}:\d+: ")
_OPTIONS = {
    "factors.rate: ": "--rates ", "factors.placement: ": "--place ", "rate_command": "--rate-command", "run.": "--",
    "min_time": "min-time",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Options as they were typed; paths are relative to the folder in which that was."""

    workloads: Sequence[Path]
    on: str | None
    rates: str
    ranks: str | None
    ranks_per_node: int | None
    nodes: str | None
    sets: Sequence[str]
    placements: Sequence[str]
    rate_command: str | None
    runs: int
    seed: int
    rounds: Mapping[str, int | str | None]

    def study(self) -> tuple[Study, str]:
        """The study, and the text of its file. Raises StudyMistake."""
        missing = next((path for path in self.workloads if not path.is_file()), None)
        if missing is not None:
            raise StudyMistake(f"{missing}: no such file; expected a workload")
        if not (self.rounds["isolated"] or self.rounds["contended"]):
            raise StudyMistake("--isolated 0: expected rounds in which jobs run alone, or --contended N")
        text = "\n".join(self._lines()) + "\n"
        with in_options():
            return parse_study(text, source=SOURCE), text

    def _lines(self) -> Iterator[str]:
        ranks, sets = _ranks(self.ranks), _sets(self.sets)
        nodes = self._nodes_of(ranks, sets)
        names = ", ".join(path.stem for path in self.workloads)
        yield f"about = {toml_text(f'Injection bandwidth: {names}')}"
        yield f"seed = {self.seed}"
        yield f"repetitions = {self.runs}"
        if self.rate_command is not None:
            yield f"rate_command = {toml_text(self.rate_command)}"
        yield from _table("factors", {
            "workload": [str(path) for path in self.workloads],
            "on": self._place(),
            "rate": _rates(self.rates),
            "ranks": ranks or None,
            "ranks_per_node": self.ranks_per_node,
            "placement": self.placements or None,
        })  # fmt: skip
        yield from _table("set", {**sets, **({self.nodes: list(nodes.values())} if self.nodes else {})})
        yield from _table("run", self.rounds)
        for count, wanted in nodes.items():
            if others := [other for other in nodes.values() if other != wanted]:
                yield from ("[[exclude]]", f"ranks = {count}", f"set.{self.nodes} = {toml_text(others)}")

    def _place(self) -> str:
        if self.on is None and self.rate_command is not None:
            raise StudyMistake("--rate-command: where do ranks start? Expected --on, too, such as --on slurm")
        return self.on or LAB

    def _nodes_of(self, ranks: Sequence[int], sets: Mapping[str, object]) -> Mapping[int, str]:
        """By number of ranks; none where nobody asked."""
        if self.nodes is None:
            return {}
        if self.nodes in sets:
            raise StudyMistake(f"--nodes {self.nodes}: has a value of --set; expected one of the two")
        if not ranks:
            raise StudyMistake(f"--nodes {self.nodes}: of how many ranks? Expected -n, too, such as -n 2,4")
        each = self.ranks_per_node or 1
        wrong = next((count for count in ranks if count % each), None)
        if wrong is not None:
            raise StudyMistake(f"-n: {wrong} ranks are not a whole number of nodes of {each} (--ranks-per-node)")
        return {count: str(count // each) for count in ranks}


@contextmanager
def in_options() -> Iterator[None]:
    """Mistakes of the file that was made are told as those of options. Raises StudyMistake."""
    try:
        yield
    except StudyFileMistake as mistake:
        raise StudyMistake("\n".join(map(_as_typed, mistake.messages))) from mistake


def _as_typed(message: str) -> str:
    text = _LINE.sub("", message)
    for key, option in _OPTIONS.items():
        text = text.replace(key, option)
    return text


def _rates(text: str) -> list[str]:
    """As study files have them, the full rate first where it was typed first."""
    found: dict[Fraction, str] = {}
    for word in text.split(","):
        rate = Fraction(1) if word == "1" else parse_fraction(word)
        if rate is None or not 0 < rate <= 1:
            raise StudyMistake(f"--rates: '{word}': expected shares of the full rate, such as {RATES} or 50%")
        if rate in found:
            raise StudyMistake(f"--rates: '{word}' is {found[rate]}, which stands there already")
        found[rate] = word
    if Fraction(1) not in found or len(found) < 2:
        raise StudyMistake(f"--rates: {text}: expected 1 and a smaller one at least: others are compared with 1")
    return [FULL if rate == 1 else str(rate) for rate in found]


def _ranks(text: str | None) -> list[int]:
    found: list[int] = []
    for word in text.split(",") if text is not None else ():
        if not (word.isascii() and word.isdigit() and int(word) > 0) or int(word) in found:
            raise StudyMistake(f"-n: '{word}': expected numbers of ranks, each once, such as 2,4,8")
        found.append(int(word))
    return found


def _sets(texts: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is None or not equals:
            raise StudyMistake(f"--set {text}: expected NAME=VALUE")
        if value in found.setdefault(name, []):
            raise StudyMistake(f"--set {text}: is given twice")
        found[name].append(value)
    return found


def _table(name: str, values: Mapping[str, object]) -> Iterator[str]:
    given = {key: value for key, value in values.items() if value is not None}
    if given:
        yield f"[{name}]"
        yield from (f"{key} = {toml_text(value)}" for key, value in given.items())
