"""Where a program makes the calls of a motif, and how much of the program these are. Pure."""

import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from stressbench.formats.trace import RankTrace, Trace
from stressbench.tracing.alphabet import CallAlphabet
from stressbench.tracing.completions import makes_tests, with_early_completions
from stressbench.tracing.excerpts import part_of_rank
from stressbench.tracing.grammar import Rules, expand
from stressbench.tracing.iterations import FEWEST_IN_ROW, IterationSpan, runs_of
from stressbench.tracing.operations import COLLECTIVES, COMMUNICATOR_CONSTRUCTORS
from stressbench.tracing.recognition.sequence import MotifRuns, Part, RankRuns, Run, are_in_one_order, sequence_of
from stressbench.tracing.recognition.shortening import Counts, shortened
from stressbench.tracing.recognition.stencils.loops import RankSequence, loops_of
from stressbench.tracing.recognition.stencils.passes import STENCIL_CALLS, Event, NoStencil, events_of
from stressbench.tracing.tokens import CallTokenizer, TokenStyle

_TAKEN = chr(sys.maxunicode)
"""In place of a call that belongs to a motif."""
_TENTH = 10
_START = attrgetter("start")


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """Calls, messages and bytes (of messages and collectives), summed over all ranks."""

    calls: int = 0
    messages: int = 0
    bytes: int = 0

    def times(self, factor: int) -> "Amount":
        """So many times this."""
        return Amount(calls=factor * self.calls, messages=factor * self.messages, bytes=factor * self.bytes)

    def __add__(self, other: "Amount") -> "Amount":
        return Amount(
            calls=self.calls + other.calls, messages=self.messages + other.messages, bytes=self.bytes + other.bytes
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrences:
    """How often a program makes the calls of a motif: `times` in all, up to `in_row` in a row, in `most_runs` runs.

    `iteration`: the calls of one, by rank. `runs`: of each rank, where the calls of successive iterations are in its
    shortened sequence. `of_one`: what an iteration of the motif has. `computed_s`: seconds between its calls in one
    iteration, on the rank with most; None where the capture has no times.
    """

    times: int
    in_row: int
    most_runs: int
    iteration: tuple[str, ...]
    runs: tuple[tuple[IterationSpan, ...], ...]
    of_one: Amount
    computed_s: float | None

    @property
    def first(self) -> int:
        """Place of the first iteration in the shortened sequence of a rank; for comparison with other motifs."""
        return min(runs[0].start for runs in self.runs if runs)

    @property
    def explained(self) -> Amount:
        """What all iterations have."""
        return self.of_one.times(self.times)

    def __add__(self, other: "Occurrences") -> "Occurrences":
        runs = (tuple(sorted((*a, *b), key=_START)) for a, b in zip(self.runs, other.runs, strict=True))
        return replace(
            self, times=self.times + other.times, in_row=max(self.in_row, other.in_row),
            most_runs=self.most_runs + other.most_runs, runs=tuple(runs),
        )  # fmt: skip


def is_enough(found: Occurrences, total: Amount) -> bool:
    """Whether these are hardly there by chance: some in a row, or a tenth of the messages or bytes of the program."""
    explained = found.explained
    return (
        found.in_row >= FEWEST_IN_ROW
        or _TENTH * explained.messages >= total.messages > 0
        or _TENTH * explained.bytes >= total.bytes > 0
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramLoop:
    """A loop that all ranks run `times` times: the calls of a pass, by rank.

    `passes` is empty if motif `stencil` cannot have such calls, for the reason in `refusal`, the end of a sentence.
    `moved_waits`: waits are as early in them as they may be.
    """

    times: int
    passes: tuple[tuple[Event, ...], ...]
    refusal: str = ""
    moved_waits: bool = False


class ProgramCalls:
    """The calls of a program, from which those of motifs are taken away.

    `total` is what all of them have. `cpu_time`: times between them are processor time.
    """

    def __init__(self, program: Trace, *, any_tag: bool = False) -> None:
        """With `any_tag`, tags are not compared.

        Raises NotComparable for several threads or too many calls, and TraceFileError for a damaged file.
        """
        program.require_complete()
        self._alphabet = CallAlphabet(any_tag=any_tag)
        self._ranks = [_RankCalls.of(rank, self._alphabet) for rank in program.ranks()]
        self.total = sum((rank.amount for rank in self._ranks), start=Amount())
        self._taken: list[Occurrences] = []
        self.cpu_time = program.header.gap_clock == "cpu"

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return len(self._ranks)

    @property
    def _is_whole(self) -> bool:
        """Whether no passes of loops were left out."""
        return all(rank.stands_for is None for rank in self._ranks)

    @property
    def moved_waits(self) -> bool:
        """Whether ranks test for messages, so that waits were moved in their sequences to where they start."""
        return any(rank.completes_early for rank in self._ranks)

    def occurrences(self, motif: Trace) -> Occurrences | None:
        """Where the program makes the calls of one iteration of a motif, which are all calls of this trace.

        Runs of fewer than FEWEST_IN_ROW iterations are left out if there are longer ones: part of another loop may have
        the calls of the motif. None if a rank never makes them, or if the ranks do so differently often.
        """
        iterations: list[str] = []
        runs: list[tuple[IterationSpan, ...]] = []
        times: set[int] = set()
        in_row, most_runs, amount = 0, 0, Amount()
        for own, program in zip(motif.ranks(), self._ranks, strict=True):
            iteration = self._alphabet.encode(own, completes_early=program.completes_early)
            iterations.append(iteration)
            found = program.long_runs(iteration)
            if iteration:
                times.add(sum(run.times for run in found))
                if not found or len(times) > 1:
                    return None
            in_row = max([in_row, *(run.in_row for run in found)])
            most_runs = max(most_runs, sum(run.runs for run in found))
            runs.append(tuple(run.span for run in found))
            amount += amount_of(own)
        if not times:
            return None
        return Occurrences(
            times=times.pop(), in_row=in_row, most_runs=most_runs, iteration=tuple(iterations), runs=tuple(runs),
            of_one=amount, computed_s=self.computed_in_s(iterations),
        )  # fmt: skip

    def loops(self) -> Iterator["ProgramLoop"]:
        """The loops that are left, without those that have iterations of motifs in them."""
        taken = {number: found.iteration for number, found in enumerate(self._taken)}
        for loop in loops_of([rank.sequence() for rank in self._ranks]):
            before = tuple(numbers[-1] if numbers else None for numbers in loop.numbers)
            one_pass = Part(numbers=loop.numbers, before=before)
            if self._is_whole and any(isinstance(item, Run) for item in self.cut(one_pass, taken)):
                continue  # its iterations are runs of these motifs then
            try:
                passes = self.events(one_pass)
            except NoStencil as why:
                yield ProgramLoop(times=loop.times, passes=(), refusal=str(why))
            else:
                yield ProgramLoop(times=loop.times, passes=passes, moved_waits=self.moved_waits)

    def sequence(self) -> tuple[Run | Part, ...] | None:
        """The motifs that were taken, by their number in that order, and the parts between them.

        None if they follow one another in different ways on the ranks, or if passes of loops were left out.
        """
        if not self._is_whole:
            return None
        return sequence_of(
            [
                RankRuns(numbers=rank.sequence().numbers, runs=runs)
                for rank, runs in zip(self._ranks, self._runs_of(self._taken), strict=True)
            ]
        )

    def pieces(self, part: Part) -> tuple[Part, ...]:
        """A part in pieces: calls of all ranks that no stencil makes, and those between them."""
        return tuple(part.split([rank.is_split for rank in self._ranks]))

    def iteration(self, motif: Trace) -> tuple[str, ...]:
        """The calls of one iteration of a motif, by rank."""
        return tuple(
            self._alphabet.encode(own, completes_early=program.completes_early)
            for own, program in zip(motif.ranks(), self._ranks, strict=True)
        )

    def cut(self, part: Part, iterations: Mapping[int, Sequence[str]]) -> tuple[Run | Part, ...]:
        """A part in which iterations of motifs are runs. They are by number of the motif, in the order of the search.

        The part alone if there are none that all ranks have, and have in the same order.
        """
        texts = [rank.text_of(numbers) for rank, numbers in zip(self._ranks, part.numbers, strict=True)]
        runs: list[list[tuple[IterationSpan, int]]] = [[] for _ in texts]
        for motif, iteration in iterations.items():
            found = [tuple(runs_of(text, own)) if own else () for text, own in zip(texts, iteration, strict=True)]
            if len({tuple(span.times for span in own) for own in found}) == 1:
                for rank, spans in enumerate(found):
                    runs[rank] += [(span, motif) for span in spans]
                    texts[rank] = _without(texts[rank], spans)
        return part.cut(runs)

    def keeps_order(self, found: Occurrences) -> bool:
        """Whether the motifs follow one another in the same way on all ranks with these, or do not do so already."""
        if not self._is_whole or not are_in_one_order(self._runs_of(self._taken)):
            return True
        return are_in_one_order(self._runs_of([*self._taken, found]))

    def _runs_of(self, taken: Sequence[Occurrences]) -> list[MotifRuns]:
        """By rank, the runs of these motifs with their numbers."""
        return [
            [(span, motif) for motif, one in enumerate(taken) for span in one.runs[rank]] for rank in range(self.ranks)
        ]

    def amount_of_part(self, part: Part) -> Amount:
        """What a part has."""
        amounts = (rank.amount_of(numbers) for rank, numbers in zip(self._ranks, part.numbers, strict=True))
        return sum(amounts, start=Amount())

    def computed_s(self, part: Part) -> float | None:
        """Seconds between the calls of a part, on the rank with most; None where the capture has no times."""
        texts = (rank.text_of(numbers) for rank, numbers in zip(self._ranks, part.numbers, strict=True))
        return self.computed_in_s(tuple(texts))

    def computed_in_s(self, iteration: Sequence[str]) -> float | None:
        """The same between the calls of an iteration, which are given by rank."""
        if not all(rank.timed for rank in self._ranks):
            return None
        return max(rank.computed_s(own) for rank, own in zip(self._ranks, iteration, strict=True))

    def events(self, part: Part) -> tuple[tuple[Event, ...], ...]:
        """The calls of a part, by rank. Raises NoStencil."""
        return tuple(
            events_of(rank.trace, numbers, ranks=self.ranks, before=before)
            for rank, numbers, before in zip(self._ranks, part.numbers, part.before, strict=True)
        )

    def is_part(self, motif: Trace, part: Part) -> bool:
        """Whether the calls of one iteration of a motif are those of a part, on all ranks."""
        return all(
            iteration == program.text_of(numbers)
            for iteration, program, numbers in zip(self.iteration(motif), self._ranks, part.numbers, strict=True)
        )

    def traces_of(self, part: Part) -> tuple[RankTrace, ...] | None:
        """The part of each rank's trace; None if it cannot stand by itself, or if waits have moved in the sequences."""
        if self.moved_waits:
            return None
        parts = [
            part_of_rank(rank.trace, numbers, before=before)
            for rank, numbers, before in zip(self._ranks, part.numbers, part.before, strict=True)
        ]
        return None if None in parts else tuple(one for one in parts if one is not None)

    def take(self, occurrences: Occurrences, *, more_of: int | None = None) -> None:
        """Leave these calls out of what is searched from now on.

        `more_of`: the motif of which they are further iterations, by the number of those that were taken before.
        """
        if more_of is None:
            self._taken.append(occurrences)
        else:
            self._taken[more_of] += occurrences
        for rank, runs in zip(self._ranks, occurrences.runs, strict=True):
            rank.take(runs)


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of successive iterations in a shortened sequence, which stands for `runs` equal ones in the whole."""

    span: IterationSpan
    runs: int
    in_row: int

    @property
    def times(self) -> int:
        """Iterations in all of these runs."""
        return self.runs * self.in_row


@dataclass(slots=True)
class _RankCalls:
    """The shortened sequence of a rank as a text.

    `stands_for`: how many calls of the whole sequence each of them stands for, None if it was not shortened. `gaps_s`:
    seconds before all calls with the same character, `counts` of them.
    """

    text: str
    stands_for: Counts | None
    completes_early: bool
    amount: Amount
    timed: bool
    counts: Mapping[str, int]
    gaps_s: Mapping[str, float]
    trace: RankTrace
    rules: Rules
    of_each_call: str

    @classmethod
    def of(cls, rank: RankTrace, alphabet: CallAlphabet) -> "_RankCalls":
        early = makes_tests(rank)
        short = shortened(rank.rules or ((),))
        text = alphabet.encode(rank, short.rules, completes_early=early)
        stands_for = short.stands_for
        if stands_for is not None and early:
            stands_for = stands_for[with_early_completions(list(expand(short.rules)), rank.calls)]
        of_each_call = alphabet.encode(rank, (tuple((number, 1) for number in range(len(rank.calls))),))
        gaps_s: dict[str, float] = defaultdict(float)
        for gap in rank.gaps or ():
            gaps_s[of_each_call[gap.after]] += gap.sum_s
        counts: Counter[str] = Counter()
        for character, call in zip(of_each_call, rank.calls, strict=True):
            counts[character] += call.n
        return cls(
            text=text, stands_for=stands_for, completes_early=early, amount=amount_of(rank), timed=bool(rank.gaps),
            counts=counts, gaps_s=gaps_s, trace=rank, rules=short.rules, of_each_call=of_each_call,
        )  # fmt: skip

    def sequence(self) -> RankSequence:
        """The shortened sequence with the numbers of its calls."""
        numbers = array("q", expand(self.rules))
        if self.completes_early:
            numbers = array("q", map(numbers.__getitem__, with_early_completions(numbers, self.trace.calls)))
        return RankSequence(
            rules=self.rules, text=self.text, numbers=numbers, calls=self.trace.calls, text_of=self.text_of
        )  # fmt: skip

    def text_of(self, numbers: Sequence[int]) -> str:
        """Calls by number as text."""
        return "".join(map(self.of_each_call.__getitem__, numbers))

    def is_split(self, number: int) -> bool:
        """Whether a call is one of all ranks that no stencil makes: the calls before and after it may be one."""
        call = self.trace.calls[number]
        return call.op in COMMUNICATOR_CONSTRUCTORS or (call.op in COLLECTIVES and call.op not in STENCIL_CALLS)

    def amount_of(self, numbers: Sequence[int]) -> Amount:
        """What these calls have."""
        tokenizer = CallTokenizer(self.trace, self.trace, TokenStyle.exact)
        tokenizer.assign_slots()
        sent = [message.bytes for number in numbers for message in tokenizer.messages(number)]
        calls = [self.trace.calls[number] for number in numbers]
        collective = sum(call.bytes or 0 for call in calls if call.op in COLLECTIVES)
        return Amount(calls=len(calls), messages=len(sent), bytes=sum(sent) + collective)

    def long_runs(self, iteration: str) -> Sequence[_Run]:
        """Runs of successive iterations; short ones only if there are no others."""
        runs = [self._run(span) for span in runs_of(self.text, iteration)] if iteration else []
        fewest = min(FEWEST_IN_ROW, max((run.in_row for run in runs), default=0))
        return [run for run in runs if run.in_row >= fewest]

    def _run(self, span: IterationSpan) -> _Run:
        if self.stands_for is None:
            return _Run(span, runs=1, in_row=span.times)
        stands_for = self.stands_for[span.start : span.end]
        runs = int(stands_for.min())  # passes of an outer loop: what calls stand for beyond that is within the run
        return _Run(span, runs=runs, in_row=int(stands_for.sum()) // (span.calls * runs))

    def computed_s(self, iteration: str) -> float:
        """Seconds before the calls of an iteration, as long as the mean before equal calls."""
        return sum(self.gaps_s.get(one, 0.0) / self.counts[one] for one in iteration if self.counts.get(one))

    def take(self, runs: Iterable[IterationSpan]) -> None:
        self.text = _without(self.text, runs)


def _without(text: str, runs: Iterable[IterationSpan]) -> str:
    """A text in which these runs are marked as taken."""
    parts, end = [], 0
    for run in runs:
        parts += [text[end : run.start], _TAKEN * (run.end - run.start)]
        end = run.end
    return "".join((*parts, text[end:]))


def amount_of(rank: RankTrace) -> Amount:
    """What a rank has. Bytes of collectives are those that the trace states for the calls."""
    collective = sum(call.n * (call.bytes or 0) for call in rank.calls if call.op in COLLECTIVES)
    return Amount(
        calls=rank.sequence_calls or 0,
        messages=sum(peer.messages for peer in rank.peers or ()),
        bytes=sum(peer.bytes for peer in rank.peers or ()) + collective,
    )
