"""The calls and the computation of a motif with options on a number of ranks, from the engine, without a launch."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from stressbench.engine_answers import engine_answer
from stressbench.errors import UserError
from stressbench.formats.trace import Trace, read_trace
from stressbench.formats.workload_text import quote_argument
from stressbench.tracing.recognition.candidate import Candidate


class MotifRefused(Exception):
    """The engine refuses a motif with these options on so many ranks. The message says why."""


@dataclass(frozen=True, kw_only=True)
class MotifCalls:
    """Asks the engine; its answers are written to `folder`."""

    engine: Path
    folder: Path

    def of(self, candidate: Candidate, *, ranks: int) -> Trace:
        """The calls of an iteration. Raises MotifRefused."""
        path = self.folder / "motif.trace"
        self._answer(("calls", *candidate.words, "--ranks", str(ranks), "--output", str(path)))
        return read_trace(path)

    def computation_s(self, candidate: Candidate, *, ranks: int) -> float | None:
        """Seconds that the motif computes in an iteration, mean over the ranks; None if it does not."""
        path = self.folder / "motif.sb"
        motif = " ".join(map(quote_argument, candidate.words))
        path.write_text(f"[JOB_NAME] motif\n[NODES] 1\n[MOTIF] {motif}\n", encoding="utf-8")
        answer = self._answer(("describe", str(path), "--json", "--nodes", "1", "--ranks-per-node", str(ranks)))
        (step,) = orjson.loads(answer)["jobs"][0]["steps"]
        return step["traffic"]["compute_s"] or None

    def scale(self, candidate: Candidate, *, ranks: int, computed_s: float | None) -> float | None:
        """The factor with which the motif computes for so long in an iteration.

        None if that is not known, or if it computes for no time of its own.
        """
        if computed_s is None or candidate.times_of_capture:
            return None
        own_s = self.computation_s(candidate, ranks=ranks)
        return None if own_s is None else computed_s / own_s

    def _answer(self, words: Sequence[str]) -> bytes:
        """What the engine prints. Raises MotifRefused, and EngineFailed."""
        try:
            return engine_answer(self.engine, words)
        except UserError as refusal:
            raise MotifRefused(str(refusal)) from None
