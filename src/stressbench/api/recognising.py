"""`stressbench.recognise`: the motifs of a captured program, from Python."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from stressbench.api.presentation import Reported
from stressbench.api.progress import Report, reporting_to
from stressbench.experiments.recognition import recognise_captures
from stressbench.report.document import Document
from stressbench.report.recognition import recognition_document
from stressbench.tracing.recognition.recognised import RecognisedCaptures


class RecognitionResults(Reported[RecognisedCaptures]):
    """The motifs of captures, in `data.captures` (schema/recognise.schema.json)."""

    @property
    def recognised(self) -> bool:
        """Whether the first capture has a motif."""
        return bool(self.data.captures[0].motifs)

    def _title(self) -> str:
        return f"Motifs of {self.data.captures[0].program or 'a program'}"

    def _brief(self) -> Document:
        return recognition_document(self.data)


def recognise(
    captures: str | PathLike[str] | Sequence[str | PathLike[str]], *, ranks: int | None = None, size: float = 1.0,
    any_tag: bool = False, output: str | PathLike[str] | None = None, job: str | None = None,
    engine: str | PathLike[str] | None = None, progress: Report | None = None,
) -> RecognitionResults:  # fmt: skip
    """Find the motifs whose calls a captured program makes, and the options with which they do.

        results = stressbench.recognise(["app-8.trace", "app-16.trace"], output="app.sb")
        results.data.captures[0].motifs[0].words      # ("tealeaf", "--solver", "cg", "--columns", "1000", ...)

    `captures` are trace files of `stressbench.capture`, of the same program and input on different numbers of ranks, or
    on the same number: the computation is then the median. With `ranks` or `size`, the motifs of the first one are
    scaled to so many ranks, and `size` times its cells in all (`data.scaled`). With `any_tag`, tags are not compared,
    for programs that use counters as tags. `output` is a workload to write, with these motifs as one job named `job`,
    by default after the program, and next to it trace files of what is replayed between them. It is not written if none
    is recognised. Raises `stressbench.StressBenchError`.
    """
    paths = [captures] if isinstance(captures, str | PathLike) else captures
    return RecognitionResults(
        recognise_captures(
            tuple(map(Path, paths)), ranks=ranks, size=size, any_tag=any_tag,
            output=None if output is None else Path(output), job=job,
            engine=None if engine is None else Path(engine), progress=reporting_to(progress),
        )
    )  # fmt: skip
