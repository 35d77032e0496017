"""The motifs recognised in a capture, and the workload of these motifs. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from stressbench.formats.workload_text import quote, quote_argument
from stressbench.tracing.comments import in_comment
from stressbench.tracing.recognition.candidate import Candidate
from stressbench.tracing.recognition.occurrences import Amount

_SCALE_DIGITS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedMotif:
    """A motif whose calls the program makes `times` times, in at most `runs` runs of successive iterations on a rank.

    `computed_s`: seconds of computation in an iteration of the program, mean over the ranks; `scale`: the factor with
    which the motif computes as long. None where the capture has no times, or the motif does not compute.
    """

    candidate: Candidate
    times: int
    runs: int
    of_one: Amount
    computed_s: float | None
    scale: float | None

    @property
    def explained(self) -> Amount:
        """What all its iterations have."""
        return self.of_one.times(self.times)

    @property
    def words(self) -> tuple[str, ...]:
        """The motif and its options, with the factor on its computation."""
        return self.words_of(self.candidate)

    def words_of(self, candidate: Candidate) -> tuple[str, ...]:
        """Another candidate with the factor of this one on its computation."""
        scale = () if self.scale is None else ("--scale", f"{self.scale:.{_SCALE_DIGITS}g}")
        return (*candidate.words, *scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """The motifs of a capture, in the order of their first calls; `total`: what the whole capture has."""

    program: str | None
    ranks: int
    nodes: int | None
    motifs: tuple[RecognisedMotif, ...]
    total: Amount

    @property
    def explained(self) -> Amount:
        """What all iterations of all motifs have."""
        return sum((motif.explained for motif in self.motifs), start=Amount())

    @property
    def rest(self) -> Amount:
        """What no motif explains."""
        return self.total + self.explained.times(-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledMotif:
    """A recognised motif on other ranks, with other cells. `computed_s`: the computation of an iteration that its own
    law gives, with the factor of the capture; None where that is unknown.
    """

    words: tuple[str, ...]
    times: int
    of_one: Amount
    computed_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaled:
    """The motifs of the first capture on `ranks` ranks, with `size` times its cells in all."""

    ranks: int
    size: float
    motifs: tuple[ScaledMotif, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedCaptures:
    """Captures of the same program and input on different numbers of ranks, and the first of them scaled."""

    captures: tuple[Recognition, ...]
    scaled: Scaled | None = None


def share(part: int, whole: int) -> float | None:
    """Part over whole; None of nothing."""
    return part / whole if whole else None


def scaled_to(ranks: int, size: float) -> str:
    """Words for the ranks and the cells of a scaled capture."""
    return f"{ranks} ranks" + ("" if size == 1 else f", {size:g} times the cells")


def recognised_workload(result: RecognisedCaptures, *, job: str) -> str:
    """Text of a workload with the motifs of the first capture as one job, scaled if they were.

    Raises WorkloadTextError for a name that a job cannot have.
    """
    recognition, scaled = result.captures[0], result.scaled
    nodes = recognition.nodes or 1
    lines = [
        f"# {in_comment(recognition.program or 'An MPI program')} on {recognition.ranks} ranks as motifs.",
        f"# Written by `stressbench recognise` from a capture, of which it has {_shares(recognition)}.",
    ]
    if scaled is not None:
        lines.append(f"# Scaled to {scaled_to(scaled.ranks, scaled.size)}.")
    lines += [f"# Not shown by the messages: {text}." for text in _assumed(recognition.motifs)]
    lines += ["", f"[SET] nodes={nodes}", "", f"[JOB_NAME] {quote(job)}", "[NODES] ${nodes}"]
    for motif in recognition.motifs if scaled is None else scaled.motifs:
        text = f"[MOTIF] {' '.join(map(quote_argument, motif.words))}"
        lines += [text] if motif.times == 1 else [f"[LOOP] {motif.times}", f"  {text}", "[END]"]
    return "\n".join(lines) + "\n"


def _shares(recognition: Recognition) -> str:
    explained, total = recognition.explained, recognition.total
    return ", ".join(
        f"{share(part, whole) or 0:.1%} of {name}"
        for name, part, whole in (
            ("calls", explained.calls, total.calls),
            ("messages", explained.messages, total.messages),
            ("bytes", explained.bytes, total.bytes),
        )
        if whole
    )


def _assumed(motifs: Sequence[RecognisedMotif]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for motif in motifs for text in motif.candidate.assumed))
