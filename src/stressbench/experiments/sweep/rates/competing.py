"""A study of workloads beside traffic that competes for injection bandwidth, and the workload files of that study."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from stressbench.experiments.scratch import temporary_directory
from stressbench.experiments.study.includes import statements_of
from stressbench.experiments.sweep.rates.competing_traffic import NODES, RATE, require_shareable, texts_of
from stressbench.experiments.sweep.rates.study import ROUNDS, RateSweep, node_counts
from stressbench.experiments.sweep.specification import Specification, SweepRounds
from stressbench.formats.errors import reason_of
from stressbench.formats.files import limits, read_text, write_atomically
from stressbench.formats.study.errors import StudyMistake
from stressbench.launch.targets import properties_of

FOLDER = "workloads"


@dataclass(frozen=True, kw_only=True)
class CompetingSweep:
    """Runs of the workloads of `sweep` beside traffic that leaves them the shares `sweep.rates` of each node's link.

    `link_bytes_per_s`: the full rate of that link. All rounds are contended, by default 10. Raises StudyMistake for
    sweeps that do not support such traffic.
    """

    sweep: RateSweep
    link_bytes_per_s: float

    def __post_init__(self) -> None:
        """Check all that can be checked without reading a workload."""
        sweep = self.sweep
        if sweep.rate_command is not None:
            raise StudyMistake("--compete: and --rate-command: expected one of the two")
        if properties_of(sweep.on).simulated:
            raise StudyMistake(f"--compete: --on {sweep.on}: simulated links have each rate; leave it out")
        if sweep.rounds is not None and sweep.rounds.isolated:
            raise StudyMistake(
                f"--isolated {sweep.rounds.isolated}: with --compete there are no isolated rounds; expected --contended"
            )
        if self.rounds.contended == 0:
            raise StudyMistake("--contended 0: expected rounds in which jobs run beside the traffic")
        names = (*sweep.variables, sweep.nodes_variable)
        if taken := next((name for name in (RATE, NODES) if name in names), None):
            raise StudyMistake(f"--compete: {taken} is a variable of the study itself; expected another name")

    def specification(self) -> Specification:
        """The study, without writing any file. Raises StudyMistake and ValidationMistakes."""
        sweep, paths, nodes = self.sweep, self._by_name(), self._nodes()
        made = replace(sweep, rounds=self.rounds).study_with_factors(
            about="Competing traffic", factors={"workload": list(paths)},
            variables={RATE: list(map(str, sweep.rates))},
            by_ranks={NODES: {count: str(many) for count, many in nodes.items()}},
        )  # fmt: skip
        for workload, sets in dict.fromkeys((cell.workload, cell.sets) for cell in made.study.cells):
            require_shareable(
                statements_of(paths[workload], dict(sets)), workload=str(paths[workload]),
                most_ranks=(sweep.ranks_per_node or 0) - 1,
            )  # fmt: skip
        return made

    def write_in(self, output: Path) -> Path:
        """Write the workload files below `output`. Returns the folder to which the study's paths are relative.

        Raises StudyMistake where `output` contains something else, or such a file exists with another text.
        """
        folder = output / FOLDER
        try:
            if output.exists() and any(output.iterdir()) and not (folder / "compete").exists():
                raise StudyMistake(f"{output} holds no study of --compete; choose a directory that is new or empty")
            for name, written in self._texts(folder).items():
                _write(folder / name, written)
        except OSError as fault:
            raise StudyMistake(f"--output: {fault.filename}: {reason_of(fault)}") from fault
        return folder.absolute()

    @contextmanager
    def in_temporary_directory(self) -> Iterator[Path]:
        """Context with the workload files in a temporary directory."""
        with temporary_directory("degrade") as path:
            yield self.write_in(path)

    @property
    def rounds(self) -> SweepRounds:
        """Rounds and repetitions of each run."""
        given = self.sweep.rounds or SweepRounds()
        return replace(given, isolated=0, contended=ROUNDS if given.contended is None else given.contended)

    def _nodes(self) -> Mapping[int, int]:
        """Number of nodes by number of ranks, where ranks include those of the competing job."""
        ranks, each = self.sweep.ranks, self.sweep.ranks_per_node
        if not ranks or each is None or each < 2:
            raise StudyMistake(
                "--compete: expected -n and --ranks-per-node of 2 or more: one rank of each node is the competing job's"
            )
        nodes = node_counts(ranks, each)
        if wrong := next((count for count, many in nodes.items() if many < 2), None):
            raise StudyMistake(
                f"-n: {wrong} ranks, {each} per node, are one node: expected 2 or more, which send to each other"
            )
        return nodes

    def _by_name(self) -> Mapping[str, Path]:
        """Paths of the workloads by file name, which is also the name of the generated file."""
        found: dict[str, Path] = {}
        for path in map(Path, self.sweep.workloads):
            if path.name in found:
                raise StudyMistake(f"--compete: {path}: {found[path.name]} has the same name; rename one of them")
            found[path.name] = path
        return found

    def _texts(self, folder: Path) -> Mapping[str, str]:
        paths = {
            name: Path(os.path.relpath(path.parent.resolve() / path.name, folder.resolve())).as_posix()
            for name, path in self._by_name().items()
        }
        return texts_of(
            paths, rates=self.sweep.rates, nodes=self._nodes().values(), link_bytes_per_s=self.link_bytes_per_s
        )  # fmt: skip


def _write(path: Path, text: str) -> None:
    """Write a file. Raises StudyMistake where it exists with another text, since runs may have used it."""
    if path.exists() and read_text(path, limit=limits.WORKLOAD, errors="replace") != text:
        raise StudyMistake(f"{path} already exists with different contents: begin a study in another directory")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, text.encode())
