"""What is typed to `degrade run` and `plan`, and the study that it makes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from stressbench.cli.asking import rank_counts, table_lines, told_as_options, variables
from stressbench.study.errors import StudyMistake
from stressbench.study.file import Study, parse_study
from stressbench.toml import toml_text
from stressbench.toml.shares import FULL, parse_fraction

SOURCE = "degrade"
RATES = "1,1/2,1/4,1/8"
LAB = "lab:tiny"
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
        ranks, sets = rank_counts(self.ranks), variables(self.sets)
        nodes = self._nodes_of(ranks, sets)
        names = ", ".join(path.stem for path in self.workloads)
        yield f"about = {toml_text(f'Injection bandwidth: {names}')}"
        yield f"seed = {self.seed}"
        yield f"repetitions = {self.runs}"
        if self.rate_command is not None:
            yield f"rate_command = {toml_text(self.rate_command)}"
        yield from table_lines("factors", {
            "workload": [str(path) for path in self.workloads],
            "on": self._place(),
            "rate": _rates(self.rates),
            "ranks": ranks or None,
            "ranks_per_node": self.ranks_per_node,
            "placement": self.placements or None,
        })  # fmt: skip
        yield from table_lines("set", {**sets, **({self.nodes: list(nodes.values())} if self.nodes else {})})
        yield from table_lines("run", self.rounds)
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
    with told_as_options(SOURCE, _OPTIONS):
        yield


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
