"""What is typed to `degrade run` and `plan`, and the study that it makes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from stressbench.cli.asking import rank_counts, table_lines, told_as_options, variables
from stressbench.cli.programs import is_program
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import Study, parse_study
from stressbench.formats.toml import toml_text
from stressbench.formats.units import FULL, UnitError, parse_rate_share

SOURCE = "degrade"
RATES = "1,1/2,1/4,1/8"
LAB = "lab:tiny"
ROUNDS = 10
_OPTIONS = {
    "factors.rate: ": "--rates ", "factors.placement: ": "--place ", "rate_command": "--rate-command", "run.": "--",
    "min_time": "min-time",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Options as they were typed; paths are relative to the folder in which that was. `link`: of --compete."""

    words: Sequence[str]
    on: str | None
    rates: str
    ranks: str | None
    ranks_per_node: int | None
    nodes: str | None
    sets: Sequence[str]
    placements: Sequence[str]
    rate_command: str | None
    runs: int | None
    seed: int
    rounds: Mapping[str, int | str | None]
    compete: bool = False
    link: str | None = None

    @property
    def is_program(self) -> bool:
        """Whether the words are a program, and no workloads."""
        return is_program(self.words)

    @property
    def workloads(self) -> tuple[Path, ...]:
        """Files that are there. Raises StudyMistake."""
        missing = next((word for word in self.words if not Path(word).is_file()), None)
        if missing is not None:
            raise StudyMistake(f"{missing}: no such file; expected a workload")
        return tuple(map(Path, self.words))

    @property
    def place(self) -> str:
        """Where ranks start. Raises StudyMistake."""
        if self.on is None and self.rate_command is not None:
            raise StudyMistake("--rate-command: where do ranks start? Expected --on, too, such as --on slurm")
        return self.on or LAB

    def study(self) -> tuple[Study, str]:
        """The study, and the text of its file. Raises StudyMistake."""
        if self.rounds["isolated"] == 0 and not self.rounds["contended"]:
            raise StudyMistake("--isolated 0: expected rounds in which jobs run alone, or --contended N")
        rounds = {**self.rounds, "contended": self.rounds["contended"] or 0}
        if rounds["isolated"] is None:
            rounds["isolated"] = ROUNDS
        factors = {"workload": [str(path) for path in self.workloads], "rate": rates_of(self.rates)}
        return self.made(about="Injection bandwidth", factors=factors, by_ranks={}, sets={}, rounds=rounds)

    def made(
        self, *, about: str, factors: Mapping[str, object], sets: Mapping[str, object],
        by_ranks: Mapping[str, Mapping[int, str]], rounds: Mapping[str, object],
    ) -> tuple[Study, str]:  # fmt: skip
        """The study of these factors and variables, some of which go `by_ranks`; and its text. Raises StudyMistake."""
        text = "\n".join(self._lines(about, factors, sets, by_ranks, rounds)) + "\n"
        with in_options():
            return parse_study(text, source=SOURCE), text

    def _lines(
        self, about: str, factors: Mapping[str, object], sets: Mapping[str, object],
        by_ranks: Mapping[str, Mapping[int, str]], rounds: Mapping[str, object],
    ) -> Iterator[str]:  # fmt: skip
        ranks, typed = rank_counts(self.ranks), variables(self.sets)
        if self.nodes is not None:
            by_ranks = {**by_ranks, self.nodes: self._nodes_of(ranks, typed)}
        names = ", ".join(path.stem for path in self.workloads)
        yield f"about = {toml_text(f'{about}: {names}')}"
        yield f"seed = {self.seed}"
        yield f"repetitions = {self.runs or 1}"
        if self.rate_command is not None:
            yield f"rate_command = {toml_text(self.rate_command)}"
        yield from table_lines("factors", {
            "workload": factors["workload"],
            "on": self.place,
            "rate": factors.get("rate"),
            "ranks": ranks or None,
            "ranks_per_node": self.ranks_per_node,
            "placement": self.placements or None,
        })  # fmt: skip
        counted = {name: list(values.values()) for name, values in by_ranks.items()}
        yield from table_lines("set", {**typed, **sets, **counted})
        yield from table_lines("run", rounds)
        for name, values in by_ranks.items():
            for count, wanted in values.items():
                if others := [other for other in values.values() if other != wanted]:
                    yield from ("[[exclude]]", f"ranks = {count}", f"set.{name} = {toml_text(others)}")

    def _nodes_of(self, ranks: Sequence[int], sets: Mapping[str, object]) -> Mapping[int, str]:
        """By number of ranks."""
        if self.nodes in sets:
            raise StudyMistake(f"--nodes {self.nodes}: has a value of --set; expected one of the two")
        if not ranks:
            raise StudyMistake(f"--nodes {self.nodes}: of how many ranks? Expected -n, too, such as -n 2,4")
        return {count: str(nodes) for count, nodes in node_counts(ranks, self.ranks_per_node or 1).items()}


def node_counts(ranks: Sequence[int], each: int) -> Mapping[int, int]:
    """Nodes by number of ranks. Raises StudyMistake."""
    wrong = next((count for count in ranks if count % each), None)
    if wrong is not None:
        raise StudyMistake(f"-n: {wrong} ranks are not a whole number of nodes of {each} (--ranks-per-node)")
    return {count: count // each for count in ranks}


@contextmanager
def in_options() -> Iterator[None]:
    """Mistakes of the file that was made are told as those of options. Raises StudyMistake."""
    with told_as_options(SOURCE, _OPTIONS):
        yield


def _rate_of(word: str) -> Fraction:
    with suppress(UnitError):
        rate = parse_rate_share(word, plain_one=True)
        if 0 < rate <= 1:
            return rate
    raise StudyMistake(f"--rates: '{word}': expected shares of the full rate, such as {RATES} or 50%")


def rates_of(text: str) -> list[str]:
    """As study files have them, the full rate first where it was typed first."""
    found: dict[Fraction, str] = {}
    for word in text.split(","):
        rate = _rate_of(word)
        if rate in found:
            raise StudyMistake(f"--rates: '{word}' is {found[rate]}, which stands there already")
        found[rate] = word
    if Fraction(1) not in found or len(found) < 2:
        raise StudyMistake(f"--rates: {text}: expected 1 and a smaller one at least: others are compared with 1")
    return [FULL if rate == 1 else str(rate) for rate in found]
