"""The motifs recognised in a capture, and the workload of these motifs. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from stressbench.formats.workload_text import job_head, quote_argument
from stressbench.tracing.comments import in_comment
from stressbench.tracing.recognition.candidate import Candidate
from stressbench.tracing.recognition.occurrences import Amount
from stressbench.tracing.recognition.sequence import Loop, folded

_SCALE_DIGITS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedMotif:
    """A motif whose calls the program makes `times` times, in at most `runs` runs of successive iterations on a rank.

    `computed_s`: seconds of computation in an iteration of the program, on the rank with most; `scale`: the factor with
    which the motif computes as long. None where the capture has no times, or the motif does not compute, or has the
    times of the capture in its options. `cpu_time`: the capture has processor time, so that the motif uses as much.
    """

    candidate: Candidate
    times: int
    runs: int
    of_one: Amount
    computed_s: float | None
    scale: float | None
    cpu_time: bool = False

    @property
    def explained(self) -> Amount:
        """What all its iterations have."""
        return self.of_one.times(self.times)

    @property
    def words(self) -> tuple[str, ...]:
        """The motif and its options, with the factor on its computation."""
        return self.words_of(self.candidate)

    def words_of(self, candidate: Candidate) -> tuple[str, ...]:
        """Another candidate with the factor of this one on its computation, and its kind of time."""
        return (*candidate.words, *self._computation())

    def name_of(self, candidate: Candidate) -> str:
        """The same for people, without long values."""
        return " ".join((candidate.name, *self._computation()))

    def computing(self, computed_s: float) -> "RecognisedMotif":
        """The same with so many seconds of computation in an iteration."""
        factor = computed_s / self.computed_s if self.computed_s else 1.0
        return replace(self, computed_s=computed_s, scale=None if self.scale is None else self.scale * factor)

    def _computation(self) -> tuple[str, ...]:
        scale = () if self.scale is None else ("--scale", f"{self.scale:.{_SCALE_DIGITS}g}")
        return (*scale, "--compute", "cpu") if self.cpu_time and self.computed_s else scale


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedPart:
    """Calls between motifs that no motif makes: `times` times the same, with `of_one` each.

    `trace`: the trace file that motif `replay` repeats, next to the workload.
    """

    trace: str
    times: int
    of_one: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """The motifs of a capture, in the order of their first calls; `total`: what the whole capture has.

    `parts`: what is replayed between them, in the workload of the capture itself.
    """

    program: str | None
    ranks: int
    nodes: int | None
    motifs: tuple[RecognisedMotif, ...]
    total: Amount
    parts: tuple[ReplayedPart, ...] = ()

    @property
    def explained(self) -> Amount:
        """What all iterations of all motifs have."""
        return sum((motif.explained for motif in self.motifs), start=Amount())

    @property
    def replayed(self) -> Amount:
        """What all parts have."""
        return sum((part.of_one.times(part.times) for part in self.parts), start=Amount())

    @property
    def rest(self) -> Amount:
        """What neither motifs nor parts have."""
        return self.total + (self.explained + self.replayed).times(-1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledMotif:
    """A recognised motif on other ranks, with other cells. `computed_s`: the computation of an iteration that its own
    law gives, with the factor of the capture; None where that is unknown. `name`: the words without long values.
    """

    name: str
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
    """Captures of the same program and input on different numbers of ranks, and the first of them scaled.

    `refusals`: why loops of the first capture that no motif of an application explains are no stencil either.
    """

    captures: tuple[Recognition, ...]
    scaled: Scaled | None = None
    refusals: tuple[str, ...] = ()


def share(part: int, whole: int) -> float | None:
    """Part over whole; None of nothing."""
    return part / whole if whole else None


def scaled_to(ranks: int, size: float) -> str:
    """Words for the ranks and the cells of a scaled capture."""
    return f"{ranks} ranks" + ("" if size == 1 else f", {size:g} times the cells")


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a job: motif number `motif` of a capture, `times` times, or one pass of its part number `part`."""

    motif: int | None = None
    part: int | None = None
    times: int = 1


def recognised_workload(result: RecognisedCaptures, *, job: str, steps: Sequence[Step] | None = None) -> str:
    """Text of a workload with the motifs of the first capture as one job, scaled if they were.

    `steps`: in which order the motifs and parts follow one another; None: each motif once, as often as in all. Parts
    are left out of what is scaled. Raises WorkloadTextError for a name that a job cannot have.
    """
    recognition, scaled = result.captures[0], result.scaled
    lines = [
        f"# {in_comment(recognition.program or 'An MPI program')} on {recognition.ranks} ranks as motifs.",
        f"# Written by `stressbench recognise` from a capture, of which it has {_shares(recognition)}.",
    ]
    if scaled is not None:
        lines.append(f"# Scaled to {scaled_to(scaled.ranks, scaled.size)}.")
    lines += [f"# Not shown by the messages: {text}." for text in _assumed(recognition.motifs)]
    lines += ["", job_head(job, nodes=recognition.nodes)]
    motifs: Sequence[RecognisedMotif | ScaledMotif] = recognition.motifs if scaled is None else scaled.motifs
    if steps is None:
        steps = [Step(motif=number, times=motif.times) for number, motif in enumerate(motifs)]
    if scaled is not None:
        steps = [step for step in steps if step.motif is not None]
    files = [("replay", "--file", part.trace) for part in recognition.parts]
    lines += _job_lines(folded(steps), [motif.words for motif in motifs], files)
    return "\n".join(lines) + "\n"


def _job_lines(
    steps: Iterable[Step | Loop[Step]], motifs: Sequence[Sequence[str]], parts: Sequence[Sequence[str]]
) -> Iterator[str]:
    for step in steps:
        times = step.times
        lines: Iterable[str]
        if isinstance(step, Loop):
            lines = _job_lines(step.items, motifs, parts)
        else:
            words = motifs[step.motif] if step.motif is not None else parts[step.part or 0]
            lines = (f"[MOTIF] {' '.join(map(quote_argument, words))}",)
        yield from lines if times == 1 else (f"[LOOP] {times}", *(f"  {line}" for line in lines), "[END]")


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
