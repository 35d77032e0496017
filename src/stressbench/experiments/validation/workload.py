"""The workload that is compared with an application: a motif with its options, or a workload file of one job.

Its computation is replaced by that between the program's calls, which the engine reads from a capture.
"""

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, partial
from pathlib import Path

import orjson

from stressbench.errors import MachineFault
from stressbench.exit_status import ExitStatus
from stressbench.experiments.run import WorkloadRefused
from stressbench.experiments.study.includes import statements_of
from stressbench.formats.errors import reason_of
from stressbench.formats.files import limits, read_text, write_atomically
from stressbench.formats.workload_text import STATEMENT, quote, quote_argument, without_comments
from stressbench.launch.engine import check_arguments
from stressbench.launch.errors import LaunchMistake
from stressbench.launch.find import find_engine
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.program import request_of
from stressbench.results.validation import REPLAY
from stressbench.tracing.alphabet import NotComparable

SUFFIX = ".sb"
_COMPUTE = "compute"
_REMOVED = "\0"
_GAPS_OPTION = "gaps-from"
_WORD = r'(?:"(?:\\.|[^"\\])*"|\S)+'
_CAPTURE_OPTIONS = re.compile(rf"\s--(?:{_GAPS_OPTION}|gaps|first-call)(?:=|\s+){_WORD}")
_ITERATIONS_OPTION = re.compile(r"(?<!\S)(?:-i|--iterations)(?![^\s=\d])")
_SCALING_OPTION = re.compile(r"(?<!\S)--(?:scale|compute)(?![^\s=])")
_WORKING_SET_OPTION = re.compile(r"(?<!\S)--working-set(?![^\s=])")


def write_workload(folder: Path, text: str) -> Path:
    """Write the text to the file of launches in `folder`. Raises MachineFault."""
    path = folder / f"workload{SUFFIX}"
    try:
        write_atomically(path, text.encode())
    except OSError as fault:
        raise MachineFault(f"{path}: {reason_of(fault)}") from fault
    return path


class Computation(StrEnum):
    """The time between the workload's calls."""

    sequence = "sequence"
    """Each time between two calls of the program, in its place: what ranks compute at the same time stays together."""
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

    def text(
        self, *, nodes: int, gaps: Sequence[Path] = (), computation: Computation = Computation.own,
        cpu_time: bool = False, iterations: int = 1, working_set: int | None = None,
    ) -> str:  # fmt: skip
        """The workload on so many nodes. `gaps`: captures with the computation of each of its communicating motifs.

        Without them, and with the computation `own`, it is as written. Captures that the motifs name are replaced, too.
        With `cpu_time`, the times in the captures are processor time. `iterations`: those of a motif in a repetition,
        where it `can_batch`. `working_set`: bytes that computation reads, where it does not say that itself. Raises
        LaunchMistake where the file cannot be read.
        """
        compute = " --compute cpu" if cpu_time else ""
        memory = f" --working-set {working_set}" if working_set else ""
        if self.is_replay:
            capture = "".join(f" -f {quote(str(path))} --gaps {computation}{compute}{memory}" for path in gaps)
            return f"[JOB_NAME] {REPLAY}\n[NODES] {nodes}\n[MOTIF] {REPLAY}{capture}\n"
        text = self._as_written(nodes, iterations=iterations)
        if not gaps or not self.replaces_computation(computation):
            return text
        remaining = iter(zip(gaps, self.take_gaps, strict=True))

        def with_gaps(match: re.Match[str]) -> str:
            if match["key"] != "MOTIF":
                return match[0]
            motif = _motif_of(match["rest"])
            if motif == _COMPUTE:
                return _REMOVED
            capture, takes_gaps = next(remaining)
            source = f"--{_GAPS_OPTION} {quote(str(capture))} --gaps {computation}"
            if takes_gaps:
                words = _CAPTURE_OPTIONS.sub("", _words_of(match["rest"]))
                own = "" if _WORKING_SET_OPTION.search(words) else memory
                return f"[MOTIF] {words} {source}{compute}{own}{_end_of(match['rest'])}"
            mode = " --mode cpu" if cpu_time else ""
            return f"[MOTIF] {_COMPUTE} {source} --call 0{mode}\n{match[0]}"

        return _without_removed(STATEMENT.sub(with_gaps, text))

    @property
    def can_batch(self) -> bool:
        """Whether several of its iterations can be one repetition: those of a motif that computes between its calls."""
        is_motif = self.file is None and not self.is_replay and not self._has_capture_of_calls
        return is_motif and not _ITERATIONS_OPTION.search(" ".join(self.words)) and all(self.take_gaps)

    def replaces_computation(self, computation: Computation) -> bool:
        """Whether its computation is replaced by that of the program: not that of a replay, which has a capture."""
        return computation is not Computation.own and not self.is_replay and not self._has_capture_of_calls

    @property
    def lacks_working_set(self) -> bool:
        """Whether some motif computes between its calls, or a replay does, and says not how much memory it reads."""
        if self.is_replay:
            return True
        own = (_WORKING_SET_OPTION.search(without_comments(match["rest"])) for match in self._communicating())
        return any(takes_gaps and not states for takes_gaps, states in zip(self.take_gaps, own, strict=True))

    @property
    def _has_capture_of_calls(self) -> bool:
        return set(self.motifs) == {REPLAY}

    @property
    def motifs(self) -> tuple[str, ...]:
        """Names of the motifs of its chain that communicate. Raises LaunchMistake where the file cannot be read."""
        return tuple(_motif_of(match["rest"]) for match in self._communicating())

    @cached_property
    def take_gaps(self) -> tuple[bool, ...]:
        """For each of these motifs, whether it can take the computation between its calls from a capture.

        Raises WorkloadRefused.
        """
        return tuple(map(self._takes_gaps, self.motifs))

    def steps(self, *, nodes: int) -> tuple[str, ...]:
        """For each of these motifs, the workload with this motif alone."""
        text, own = self._as_written(nodes), self._communicating()
        return tuple(
            _without_removed(STATEMENT.sub(partial(_only, kept=kept), text)) for kept in own
        )  # fmt: skip

    def _communicating(self) -> list[re.Match[str]]:
        motifs = [match for match in STATEMENT.finditer(self._as_written(1)) if match["key"] == "MOTIF"]
        return [match for match in motifs if _motif_of(match["rest"]) != _COMPUTE]

    def computation(self, asked: Computation | None) -> Computation | None:
        """The computation to use, `asked` or that of the workload if it cannot be replaced. None: any is possible.

        Raises LaunchMistake where `asked` is not possible.
        """
        if self.is_replay:
            if asked is Computation.own:
                raise LaunchMistake("--computation own: a replay of the program has no computation of its own")
            return asked
        if self._has_capture_of_calls:
            if asked not in (None, Computation.own):
                raise LaunchMistake(
                    f"--computation {asked}: {self.name} computes as its own capture says; leave the option out"
                )
            return Computation.own
        if asked is not Computation.own:
            self._require_replaceable(asked or Computation.sequence)
        return asked

    def _require_replaceable(self, computation: Computation) -> None:
        """Raise LaunchMistake where the computation cannot be replaced, as in loops, or would be scaled."""
        statements = list(STATEMENT.finditer(self._as_written(1)))
        unsupported = [match["key"] for match in statements if match["key"] in _LOOPS]
        if self.file is not None and unsupported:
            raise LaunchMistake(
                f"--computation {computation}: {self.file} has [{unsupported[0]}], in which computation cannot be "
                "replaced; write the chain out, or use --computation own"
            )
        for match in self._communicating():
            if scaling := _SCALING_OPTION.search(without_comments(match["rest"])):
                raise LaunchMistake(
                    f"{scaling[0]}: {_motif_of(match['rest'])} would not compute for as long as the program; leave the "
                    "option out, or use --computation own"
                )

    def require_gaps(self, calls: Sequence[int]) -> None:
        """Raise NotComparable if a motif makes several calls and cannot take the computation between them.

        `calls`: the most calls that a rank makes in an iteration, for each motif of the chain.
        """
        for motif, takes_gaps, number in zip(self.motifs, self.take_gaps, calls, strict=True):
            if number > 1 and not takes_gaps:
                raise NotComparable(
                    f"{motif} makes {number:,} calls and takes no --{_GAPS_OPTION}; use --computation own"
                )

    def _takes_gaps(self, motif: str) -> bool:
        answer = subprocess.run(
            [str(self._engine), "describe", motif, "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            check=False,
        )  # fmt: skip
        if answer.returncode != ExitStatus.ok:
            raise WorkloadRefused(answer.returncode)
        return any(one["name"] == _GAPS_OPTION for one in orjson.loads(answer.stdout)["options"])

    def check(self, *, ranks: int, target: LaunchTarget, folder: Path) -> None:
        """Let the engine check the workload on the nodes of the target, as far as they are known before a launch.

        Raises WorkloadRefused, LaunchMistake for a file with several jobs, and MachineFault.
        """
        if self.is_replay:
            return
        jobs = 0 if self.file is None else sum(key == "JOB_NAME" for key, _ in statements_of(self.file, {}))
        if jobs > 1:
            raise LaunchMistake(f"{self.file}: expected a workload of one job; it has {jobs}")
        request = request_of((), ranks=ranks, target=target, environment=os.environ)
        per_node = target.ranks_per_node(request, explicit=None)
        nodes = ranks // per_node if isinstance(per_node, int) and ranks % per_node == 0 else None
        one_node = target.host_count == 1 and target.knows_nodes(request)
        path = write_workload(folder, self.text(nodes=nodes or 1)) if self.file is None else self.file
        words = check_arguments(
            engine=self._engine,
            workload=path,
            ranks=ranks if nodes or one_node else None,
            ranks_per_node=per_node if nodes else None,
            sets=(),
        )
        completed = subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False,
            env={**os.environ, **dict(target.environment)},
        )  # fmt: skip
        if completed.returncode != ExitStatus.ok:
            raise WorkloadRefused(completed.returncode)

    @property
    def _engine(self) -> Path:
        return find_engine(explicit=self.engine, environment=os.environ)

    def _as_written(self, nodes: int, *, iterations: int = 1) -> str:
        if self.file is None:
            option = ("--iterations", str(iterations)) if iterations > 1 else ()
            motif = " ".join(map(quote_argument, (*self.words, *option)))
            return f"[JOB_NAME] {quote(self.name)}\n[NODES] {nodes}\n[MOTIF] {motif}\n"
        try:
            return read_text(self.file, limit=limits.WORKLOAD).removeprefix("\ufeff")
        except UnicodeDecodeError as fault:
            raise LaunchMistake(f"{self.file}: expected a text in UTF-8") from fault
        except OSError as fault:
            raise LaunchMistake(f"{self.file}: {reason_of(fault)}") from fault


_LOOPS = frozenset({"LOOP", "INCLUDE"})


def _motif_of(rest: str) -> str:
    words = without_comments(rest).split()
    return words[0].lower() if words else ""


def _only(match: re.Match[str], *, kept: re.Match[str]) -> str:
    return _REMOVED if match["key"] == "MOTIF" and match.start() != kept.start() else match[0]


def _words_of(rest: str) -> str:
    return " ".join(without_comments(rest).split("\n")).strip()


def _end_of(rest: str) -> str:
    """The newlines that end a statement at the end of a file."""
    return rest[len(rest.rstrip("\n")) :]


def _without_removed(text: str) -> str:
    """The text without the lines of removed statements."""
    return text.replace(f"{_REMOVED}\n", "").replace(_REMOVED, "")
