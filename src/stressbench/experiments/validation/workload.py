"""The workload that is compared with an application: a motif with its options, or a workload file of one job.

Its computation is replaced by that between the program's calls, which the engine reads from a capture.
"""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import orjson

from stressbench.exit_status import ExitStatus
from stressbench.experiments.run import WorkloadRefused
from stressbench.experiments.study.includes import STATEMENT, without_comments
from stressbench.formats.errors import reason_of
from stressbench.formats.files import limits, read_text
from stressbench.launch.engine import check_arguments
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.find import find_engine
from stressbench.launch.launch_target import LOCAL, LaunchTarget
from stressbench.tracing.replay import quote

SUFFIX = ".sb"
_COMPUTE = "compute"
_GAPS_OPTION = "gaps-from"
REPLAY = "replay"
_WITH_OWN_CAPTURE = frozenset({REPLAY})  # its computation is that of the program already


class Computation(StrEnum):
    """The time between the workload's calls."""

    measured = "measured"
    """Drawn from the distribution of each gap between two calls of the program, on each rank."""
    mean = "mean"
    """The mean of each gap, on each rank."""
    own = "own"
    """That of the workload as it is written."""


@dataclass(frozen=True, kw_only=True)
class ComparedWorkload:
    """A workload of one job. `words`: as given; `file`: the workload file, None for a motif with its options.

    Without words, it is a replay of the program's own calls.
    """

    words: tuple[str, ...]
    file: Path | None
    engine: Path | None

    @classmethod
    def of(cls, words: Sequence[str], *, engine: Path | None) -> "ComparedWorkload":
        """The workload that these words name. Raises LaunchMistake."""
        file = Path(words[0]) if words and words[0].endswith(SUFFIX) else None
        if file is not None and len(words) > 1:
            raise LaunchMistake(f"{words[1]}: {file} is a workload, which takes no options; write them in the file")
        return cls(words=tuple(words), file=file, engine=engine)

    @property
    def name(self) -> str:
        """Name of the motif or of the file."""
        if self.is_replay:
            return REPLAY
        return self.words[0] if self.file is None else self.file.stem

    @property
    def is_replay(self) -> bool:
        """Whether it repeats the program's own calls."""
        return not self.words

    def text(self, *, nodes: int, gaps: Path | None = None, computation: Computation = Computation.own) -> str:
        """The workload on so many nodes, with the computation of the capture `gaps`.

        Raises LaunchMistake where the file cannot be read, or the computation cannot be replaced in it.
        """
        if self.is_replay:
            capture = "" if gaps is None else f" -f {quote(str(gaps))} --gaps {_replay_gaps(computation)}"
            return f"[JOB_NAME] {REPLAY}\n[NODES] {nodes}\n[MOTIF] {REPLAY}{capture}\n"
        text = self._as_written(nodes)
        if gaps is None or computation is Computation.own:
            return text
        motifs = [match for match in STATEMENT.finditer(text) if match["key"] == "MOTIF"]
        communicating = [match for match in motifs if _motif_of(match["rest"]) != _COMPUTE]
        if len(communicating) != 1 or any(match["key"] in _LOOPS for match in STATEMENT.finditer(text)):
            raise LaunchMistake(
                f"--computation {computation}: {self.words[0]} is a chain of {len(communicating)} motifs, whose own "
                "computation cannot be replaced; expected one motif, or --computation own"
            )
        if _motif_of(communicating[0]["rest"]) in _WITH_OWN_CAPTURE:
            return text
        source = f"--{_GAPS_OPTION} {quote(str(gaps))} --gaps {computation}"
        motif = communicating[0]
        if self.takes_gaps(_motif_of(motif["rest"])):
            with_gaps = f"[MOTIF] {_without_end(motif['rest'])} {source}\n"
        else:
            with_gaps = f"[MOTIF] {_COMPUTE} {source} --call 0\n{motif[0]}"
        parts, position = [], 0
        for match in motifs:
            parts += [text[position : match.start()], with_gaps if match is motif else ""]
            position = match.end()
        return "".join([*parts, text[position:]])

    def takes_gaps(self, motif: str) -> bool:
        """Whether the motif can take the computation between its calls from a capture. Raises WorkloadRefused."""
        answer = subprocess.run(
            [str(self._engine), "describe", motif, "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            check=False,
        )  # fmt: skip
        if answer.returncode != ExitStatus.ok:
            raise WorkloadRefused(answer.returncode)
        return any(one["name"] == _GAPS_OPTION for one in orjson.loads(answer.stdout)["options"])

    def check(self, *, ranks: int, target: LaunchTarget, folder: Path) -> None:
        """Let the engine check the workload on one node, with all ranks where the target is this machine.

        Raises WorkloadRefused.
        """
        if self.is_replay:
            return
        path = folder / f"{self.name}{SUFFIX}" if self.file is None else self.file
        if self.file is None:
            path.write_text(self.text(nodes=1), encoding="utf-8")
        words = check_arguments(
            engine=self._engine, workload=path, ranks=ranks if target is LOCAL else None, ranks_per_node=None, sets=()
        )
        completed = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
        if completed.returncode != ExitStatus.ok:
            raise WorkloadRefused(completed.returncode)

    @property
    def _engine(self) -> Path:
        return find_engine(explicit=self.engine, environment=os.environ)

    def _as_written(self, nodes: int) -> str:
        if self.file is None:
            motif = " ".join(map(quote, self.words))
            return f"[JOB_NAME] {self.name}\n[NODES] {nodes}\n[MOTIF] {motif}\n"
        try:
            return read_text(self.file, limit=limits.WORKLOAD).removeprefix("\ufeff")
        except UnicodeDecodeError as fault:
            raise LaunchMistake(f"{self.file}: expected a text in UTF-8") from fault
        except OSError as fault:
            raise LaunchMistake(f"{self.file}: {reason_of(fault)}") from fault


_LOOPS = frozenset({"LOOP", "INCLUDE"})


def _replay_gaps(computation: Computation) -> Computation:
    return Computation.measured if computation is Computation.own else computation


def _motif_of(rest: str) -> str:
    words = without_comments(rest).split()
    return words[0].lower() if words else ""


def _without_end(rest: str) -> str:
    return " ".join(without_comments(rest).split("\n")).strip()
