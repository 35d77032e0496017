"""Recognition of motifs in captures: the engine writes the calls of each candidate, which are compared with theirs."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from operator import itemgetter
from pathlib import Path
from statistics import median

from stressbench.errors import UserError
from stressbench.experiments.motif_calls import MotifCalls, MotifRefused
from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.recognition_rest import Rest, rest_of
from stressbench.experiments.scratch import scratch_directory
from stressbench.formats.files import write_output
from stressbench.formats.trace import Trace, TraceFileError, read_trace
from stressbench.formats.trace.records import MAX_RANKS
from stressbench.launch.find import find_engine
from stressbench.launch.traced import check_output
from stressbench.levels import Level
from stressbench.tracing.alphabet import NotComparable
from stressbench.tracing.recognition.candidate import Candidate
from stressbench.tracing.recognition.communication import Communication
from stressbench.tracing.recognition.estimates import candidates
from stressbench.tracing.recognition.occurrences import (
    Amount,
    Occurrences,
    ProgramCalls,
    amount_of,
    is_enough,
)
from stressbench.tracing.recognition.recognised import (
    RecognisedCaptures,
    RecognisedMotif,
    Recognition,
    Scaled,
    ScaledMotif,
    recognised_workload,
    scaled_to,
)
from stressbench.tracing.recognition.stencils.candidates import stencils_of

SUFFIX = ".sb"
_JOB = "program"


def recognise_captures(
    captures: Sequence[Path], *, ranks: int | None = None, size: float = 1.0, any_tag: bool = False,
    output: Path | None = None, job: str | None = None, engine: Path | None = None, progress: Progress = silent,
) -> RecognisedCaptures:  # fmt: skip
    """The motifs of which a captured program consists, from captures of the same run on other numbers of ranks.

    With `ranks` or `size`, those of the first capture are scaled to so many ranks and `size` times the cells in all.
    With `any_tag`, tags are not compared. Writes the workload to `output` if a motif was recognised. Raises
    LaunchMistake and UserError for options, TraceFileError for captures, and EngineFailed.
    """
    if not 0 < size < float("inf"):
        raise UserError(f"--size: {size:g}: expected a factor on the number of cells, greater than 0")
    if ranks is not None and not 0 < ranks <= MAX_RANKS:
        raise UserError(f"--ranks: {ranks}: expected 1 to {MAX_RANKS}")
    if output is not None:
        check_output(output, endings=(SUFFIX,), replace=True)
    traces = [read_trace(path) for path in captures]
    found_engine = find_engine(explicit=engine, environment=os.environ)
    with scratch_directory("recognise") as folder:
        search = _Search(
            calls=MotifCalls(engine=found_engine, folder=folder), any_tag=any_tag, progress=progress
        )  # fmt: skip
        found, refusals, rest = search.run(traces, output=output)
        first = found[0]
        scales = first.motifs and (ranks is not None or size != 1.0)
        scaled = search.scaled(first, ranks=ranks or first.ranks, size=size) if scales else None
    result = RecognisedCaptures(captures=found, scaled=scaled, refusals=refusals)
    if output is not None and first.motifs:
        if rest is not None and scaled is None:
            for path, content in rest.files(traces[0]):
                write_output(path, content)
        steps = None if rest is None else rest.steps
        write_output(output, recognised_workload(result, job=job or first.program or _JOB, steps=steps))
    return result


@dataclass(frozen=True, kw_only=True)
class _Match:
    """A candidate, and where each capture has its calls (None: nowhere, or not often enough)."""

    candidate: Candidate
    occurrences: tuple[Occurrences | None, ...]

    def rank(self) -> tuple[int, ...]:
        """For comparison: how many captures have them, how many calls these are, and how little is assumed."""
        found = [one for one in self.occurrences if one is not None]
        return (len(found), sum(one.explained.calls for one in found), -len(self.candidate.assumed))


def _with_median_times(
    motifs: Sequence[Sequence[tuple[int, RecognisedMotif]]], ranks: Sequence[int]
) -> list[tuple[int, RecognisedMotif]]:
    """The motifs of the first capture: each computes as long as in the median of the captures on as many ranks."""
    same = [own for own, number in zip(motifs, ranks, strict=True) if number == ranks[0]]
    result = []
    for place, motif in motifs[0]:
        times_s = [one.computed_s for own in same for _, one in own if one.candidate == motif.candidate]
        known_s = [time_s for time_s in times_s if time_s is not None]
        result.append((place, motif.computing(median(known_s)) if known_s else motif))
    return result


@dataclass(frozen=True, kw_only=True)
class _Search:
    calls: MotifCalls
    any_tag: bool
    progress: Progress

    def run(
        self, traces: Sequence[Trace], *, output: Path | None
    ) -> tuple[tuple[Recognition, ...], tuple[str, ...], Rest | None]:
        """The motifs of each capture, why loops of the first one are no stencil, and what is between its motifs."""
        programs = list(map(self._program, traces))
        remaining = list(dict.fromkeys(one for trace in traces for one in self._candidates(trace)))
        self.progress(f"comparing the calls of {len(remaining)} motifs with options", level=Level.progress)
        motifs: list[list[tuple[int, RecognisedMotif]]] = [[] for _ in traces]  # with the place of the first iteration
        self._take(remaining, programs, motifs)
        sides = [motif.candidate.sides(traces[0].header.ranks) for _, motif in motifs[0]]
        stencils, refusals = stencils_of(programs, known=[one for one in sides if one is not None])
        self._take(stencils, programs, motifs)
        motifs[0] = _with_median_times(motifs, [program.ranks for program in programs])
        found = [[motif for _, motif in own] for own in motifs]
        rest = rest_of(programs, found[0], calls=self.calls, output=output) if found[0] else None
        recognised = [
            Recognition(
                program=trace.header.program, ranks=trace.header.ranks, nodes=trace.header.hosts,
                motifs=tuple(motif for _, motif in sorted(own, key=itemgetter(0))), total=program.total,
            )
            for trace, program, own in zip(traces, programs, motifs, strict=True)
        ]  # fmt: skip
        if rest is not None:
            recognised[0] = replace(recognised[0], motifs=rest.motifs, parts=rest.replayed)
        return tuple(recognised), refusals, rest

    def _take(
        self, remaining: Sequence[Candidate], programs: Sequence[ProgramCalls],
        motifs: Sequence[list[tuple[int, RecognisedMotif]]],
    ) -> None:  # fmt: skip
        """Take the calls of these motifs away from the programs, those that explain most first."""
        while matches := [match for one in remaining if (match := self._match(one, programs, motifs)) is not None]:
            best = max(matches, key=_Match.rank)
            if not any(best.occurrences):
                return
            for program, found, own in zip(programs, best.occurrences, motifs, strict=True):
                if found is not None:
                    self._add(best.candidate, found, program=program, own=own)
            remaining = [match.candidate for match in matches if match is not best or best.candidate.any_number]

    def _add(
        self, candidate: Candidate, found: Occurrences, *, program: ProgramCalls,
        own: list[tuple[int, RecognisedMotif]],
    ) -> None:  # fmt: skip
        """Take these iterations: a motif of their own, or more of one that was found before."""
        for place, (first, motif) in enumerate(own):
            if motif.candidate == candidate:
                program.take(found, more_of=place)
                more = replace(motif, times=motif.times + found.times, runs=motif.runs + found.most_runs)
                own[place] = (min(first, found.first), more)
                return
        program.take(found)
        own.append((found.first, self._recognised(candidate, found, cpu_time=program.cpu_time)))

    def _candidates(self, trace: Trace) -> Iterator[Candidate]:
        @cache
        def largest_message(candidate: Candidate) -> int | None:
            try:
                calls = self.calls.of(candidate, ranks=trace.header.ranks)
            except MotifRefused:
                return None
            return Communication.of(calls).largest_message

        return candidates(Communication.of(trace), largest_message)

    def scaled(self, capture: Recognition, *, ranks: int, size: float) -> Scaled:
        """The motifs of a capture on other ranks, with other cells. Raises UserError where one does not permit that."""
        motifs = []
        for motif in capture.motifs:
            candidate = motif.candidate.scaled(from_ranks=capture.ranks, ranks=ranks, size=size)
            try:
                calls = self.calls.of(candidate, ranks=ranks)
            except MotifRefused as refusal:
                raise UserError(f"{scaled_to(ranks, size)}: {refusal}") from None
            own_s = self.calls.computation_s(candidate, ranks=ranks)
            factor = 1.0 if candidate.times_of_capture else motif.scale
            motifs.append(
                ScaledMotif(
                    name=motif.name_of(candidate), words=motif.words_of(candidate), times=motif.times,
                    of_one=sum(map(amount_of, calls.ranks()), start=Amount()),
                    computed_s=None if own_s is None or factor is None else own_s * factor,
                )
            )  # fmt: skip
        return Scaled(ranks=ranks, size=size, motifs=tuple(motifs))

    def _program(self, trace: Trace) -> ProgramCalls:
        try:
            return ProgramCalls(trace, any_tag=self.any_tag)
        except NotComparable as fault:
            raise TraceFileError(str(fault), path=trace.path) from fault

    def _match(
        self, candidate: Candidate, programs: Sequence[ProgramCalls],
        motifs: Sequence[list[tuple[int, RecognisedMotif]]],
    ) -> "_Match | None":  # fmt: skip
        """Where the captures have the calls of the candidate; None if they never will be enough."""
        found = [self._occurrences(candidate, program) for program in programs]
        known = candidate.any_number and any(one.candidate.motif == candidate.motif for own in motifs for _, one in own)
        occurrences = tuple(
            one if one is not None and self._counts(candidate, one, program, known=known) else None
            for one, program in zip(found, programs, strict=True)
        )
        stays = candidate.any_number and any(found)
        return _Match(candidate=candidate, occurrences=occurrences) if stays or any(occurrences) else None

    def _counts(self, candidate: Candidate, found: Occurrences, program: ProgramCalls, *, known: bool) -> bool:
        """Whether these are iterations of the motif, and not there by chance. `known`: others of it were recognised."""
        if candidate.is_particular or is_enough(found, program.total):
            return True
        return known and program.keeps_order(found)

    def _occurrences(self, candidate: Candidate, program: ProgramCalls) -> Occurrences | None:
        try:
            return program.occurrences(self.calls.of(candidate, ranks=program.ranks))
        except MotifRefused:
            return None

    def _recognised(self, candidate: Candidate, found: Occurrences, *, cpu_time: bool) -> RecognisedMotif:
        return RecognisedMotif(
            candidate=candidate, times=found.times, runs=found.most_runs, of_one=found.of_one,
            computed_s=found.computed_s, cpu_time=cpu_time,
            scale=self.calls.scale(candidate, ranks=len(found.runs), computed_s=found.computed_s),
        )  # fmt: skip
