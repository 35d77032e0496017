"""What a program does between its motifs: once as a stencil, which can be scaled, or else as it was captured."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from stressbench.experiments.motif_calls import MotifCalls, MotifRefused
from stressbench.formats.trace import RankTrace, Trace
from stressbench.tracing.excerpts import lines_of_parts
from stressbench.tracing.recognition.candidate import Candidate
from stressbench.tracing.recognition.estimates.phases import phases
from stressbench.tracing.recognition.occurrences import Amount, ProgramCalls, amount_of
from stressbench.tracing.recognition.recognised import RecognisedMotif, ReplayedPart, Step
from stressbench.tracing.recognition.sequence import Part, Run
from stressbench.tracing.recognition.stencils.candidates import stencil
from stressbench.tracing.recognition.stencils.passes import NoStencil

_OUTPUT = "app.sb"
_LONGEST = 100_000
"""Calls of a rank in a part. A longer one is left out."""
_LONGEST_STENCIL = 2_000
"""Calls of a rank in a part that may be a stencil, which states each of them. Longer ones are replayed."""


@dataclass(frozen=True, kw_only=True)
class Excerpt:
    """A part to replay: its trace file, and what each rank does."""

    trace: Path
    ranks: tuple[RankTrace, ...]


@dataclass(frozen=True, kw_only=True)
class Rest:
    """Motifs in the order of their first calls, those between the others included, and parts to replay.

    `steps`: how they follow one another in the program.
    """

    motifs: tuple[RecognisedMotif, ...]
    replayed: tuple[ReplayedPart, ...]
    excerpts: tuple[Excerpt, ...]
    steps: tuple[Step, ...]

    def files(self, capture: Trace) -> Iterator[tuple[Path, bytes]]:
        """The trace files of the parts and their content."""
        for excerpt in self.excerpts:
            yield excerpt.trace, b"".join(lines_of_parts(capture.header, excerpt.ranks))


def rest_of(
    programs: Sequence[ProgramCalls], motifs: Sequence[RecognisedMotif], *, calls: MotifCalls, output: Path | None
) -> Rest | None:  # fmt: skip
    """What is between the `motifs` of the first capture, which were taken in this order.

    Parts of the other captures are used where they have the same place. None if the motifs follow one another in
    different ways on the ranks, or if there are too many iterations to be listed.
    """
    sequences = [program.sequence() for program in programs]
    first = sequences[0]
    if first is None:
        return None
    others = [
        (program, own)
        for program, own in zip(programs[1:], sequences[1:], strict=True)
        if own is not None and _shape(own) == _shape(first)
    ]
    found = _Found(programs[0], list(motifs), calls, output or Path(_OUTPUT))
    for place, item in enumerate(first):
        if isinstance(item, Run):
            found.add_run(item)
        else:
            found.add_part(item, [(program, own[place]) for program, own in others])
    return found.rest()


def _shape(items: Sequence[Run | Part]) -> list[bool]:
    return [isinstance(one, Run) for one in items]


def _aligned(
    items: Sequence[Run | Part], others: Sequence[tuple[ProgramCalls, Sequence[Run | Part]]]
) -> list[tuple[Run | Part, list[tuple[ProgramCalls, Part]]]]:
    """Runs and pieces of a part, each with those of the other captures that have the same place."""
    alike = [(program, own) for program, own in others if _shape(own) == _shape(items)]
    return [
        (item, [(program, piece) for program, own in alike if isinstance(piece := own[place], Part)])
        for place, item in enumerate(items)
    ]


class _Found:
    """Steps so far. Motifs and parts are numbered in the order in which they occur first."""

    def __init__(
        self, program: ProgramCalls, taken: Sequence[RecognisedMotif], calls: MotifCalls, output: Path
    ) -> None:  # fmt: skip
        self._program = program
        self._taken = list(taken)
        self._with_phases: list[int] = []
        self._calls = calls
        self._output = output
        self._motifs: dict[int | Part, RecognisedMotif] = {}
        self._excerpts: dict[Part, Excerpt] = {}
        self._left_out: set[Part] = set()
        self._steps: list[tuple[int | Part, int]] = []
        self._iterations: dict[ProgramCalls, Mapping[int, tuple[str, ...]]] = {}

    def add_run(self, run: Run) -> None:
        self._motifs.setdefault(run.motif, self._taken[run.motif])
        self._steps.append((run.motif, run.times))

    def add_part(self, part: Part, others: Sequence[tuple[ProgramCalls, Run | Part]]) -> None:
        """Add the iterations of motifs that a part has, and what is between them as stencils or pieces to replay."""
        items = _aligned(
            self._cut(self._program, part),
            [(program, self._cut(program, own)) for program, own in others if isinstance(own, Part)],
        )
        for item, theirs in items:
            if isinstance(item, Run):
                self.add_run(item)
            else:
                self._add_piece(item, theirs)

    def _add_piece(self, part: Part, others: Sequence[tuple[ProgramCalls, Part]]) -> None:
        if part not in self._motifs and part not in self._excerpts and part not in self._left_out:
            self._recognise(part, others)
        if part not in self._left_out:
            self._steps.append((part, 1))

    def _cut(self, program: ProgramCalls, part: Part) -> tuple[Run | Part, ...]:
        """A part of a program in iterations of motifs, among them other phases of theirs, and pieces between these.

        In the whole program, short runs of iterations were left out for longer ones of the same motif: they might have
        been part of another loop. No loop has those that are between runs.
        """
        if program not in self._iterations:
            self._iterations[program] = dict(self._iterations_in(program))
        items = program.cut(part, self._iterations[program])
        return tuple(chain.from_iterable([one] if isinstance(one, Run) else program.pieces(one) for one in items))

    def _iterations_in(self, program: ProgramCalls) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The numbers of motifs of applications and of their phases, and the calls of an iteration of each."""
        if not self._with_phases:
            applications = [(n, one) for n, one in enumerate(self._taken) if not one.candidate.times_of_capture]
            self._with_phases = [number for n, one in applications for number in self._phases_of(n, one.candidate)]
        for number in self._with_phases:
            try:
                calls = self._calls.of(self._taken[number].candidate, ranks=program.ranks)
            except MotifRefused:
                continue
            yield number, program.iteration(calls)

    def _phases_of(self, number: int, motif: Candidate) -> Iterator[int]:
        """Numbers of the phases of a motif. Those that are new are added to the motifs."""
        for candidate in phases(motif):
            if candidate == motif:
                yield number
            else:
                self._taken.append(self._phase(candidate))
                yield len(self._taken) - 1

    def _phase(self, candidate: Candidate) -> RecognisedMotif:
        calls = self._calls.of(candidate, ranks=self._program.ranks)
        computed_s = self._program.computed_in_s(self._program.iteration(calls))
        return RecognisedMotif(
            candidate=candidate, times=0, runs=0, of_one=sum(map(amount_of, calls.ranks()), start=Amount()),
            computed_s=computed_s, cpu_time=self._program.cpu_time,
            scale=self._calls.scale(candidate, ranks=self._program.ranks, computed_s=computed_s),
        )  # fmt: skip

    def _recognise(self, part: Part, others: Sequence[tuple[ProgramCalls, Part]]) -> None:
        calls = max(map(len, part.numbers))
        if calls > _LONGEST:
            self._left_out.add(part)
            return
        candidate = self._stencil(part, others) if calls <= _LONGEST_STENCIL else None
        if candidate is not None:
            self._motifs[part] = RecognisedMotif(
                candidate=candidate, times=1, runs=1, of_one=self._program.amount_of_part(part),
                computed_s=self._program.computed_s(part), scale=None, cpu_time=self._program.cpu_time,
            )  # fmt: skip
            return
        ranks = self._program.traces_of(part)
        if ranks is None:
            self._left_out.add(part)
        else:
            path = self._output.with_name(f"{self._output.stem}-part-{len(self._excerpts) + 1}.trace")
            self._excerpts[part] = Excerpt(trace=path, ranks=ranks)

    def _stencil(self, part: Part, others: Sequence[tuple[ProgramCalls, Part]]) -> Candidate | None:
        """A stencil that makes the calls of the part: also those of other captures, or else of this one."""
        for chosen in ([(self._program, part), *others], [(self._program, part)]):
            try:
                candidate = stencil(
                    [program.events(own) for program, own in chosen], known=self._meshes(),
                    moved_waits=any(program.moved_waits for program, _ in chosen),
                )  # fmt: skip
                if self._program.is_part(self._calls.of(candidate, ranks=self._program.ranks), part):
                    return candidate
            except (NoStencil, MotifRefused):
                continue
        return None

    def _meshes(self) -> list[tuple[int, ...]]:
        """Sides of the meshes of motifs, those of applications and each also the other way round."""
        motifs = [*self._taken, *self._motifs.values()]
        sides = [motif.candidate.sides(self._program.ranks) for motif in motifs]
        return list(dict.fromkeys(one for own in sides if own is not None for one in (own, own[::-1])))

    def rest(self) -> Rest:
        times: Counter[int | Part] = Counter()
        for key, count in self._steps:
            times[key] += count
        runs = Counter(key for key, _ in self._steps)
        motifs = tuple(self._motifs)
        parts = tuple(self._excerpts)
        return Rest(
            motifs=tuple(replace(motif, times=times[key], runs=runs[key]) for key, motif in self._motifs.items()),
            replayed=tuple(
                ReplayedPart(trace=str(excerpt.trace), times=times[part], of_one=self._program.amount_of_part(part))
                for part, excerpt in self._excerpts.items()
            ),
            excerpts=tuple(self._excerpts.values()),
            steps=tuple(
                Step(motif=motifs.index(key), times=count) if key in self._motifs else Step(part=_place(parts, key))
                for key, count in self._steps
            ),
        )  # fmt: skip


def _place(parts: Sequence[Part], key: int | Part) -> int:
    assert isinstance(key, Part)
    return parts.index(key)
