"""Iterations of a program that make the same calls as a workload: where they are, or the first difference. Pure.

Sequences are compared as text with one character per distinct call, so that they are searched at the speed of
`str.find`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from stressbench.errors import StressBenchError, UserError
from stressbench.formats.trace import Call, RankTrace, Stream, Trace
from stressbench.formats.trace.records import Wildcard
from stressbench.tracing.diff import Difference
from stressbench.tracing.fingerprint import Fingerprint, first_difference
from stressbench.tracing.grammar import Loop, Rules, TooManyCalls, expand_bounded, outermost_loops
from stressbench.tracing.operations import SENDRECV_CALLS, WAIT_OF_TEST
from stressbench.tracing.reference import rules_of_pass
from stressbench.tracing.tokens import CallTokenizer, TokenStyle

CONTEXT = 4
FEWEST_IN_ROW = 4
"""Successive iterations that a program is unlikely to make by chance."""
_SURROGATES = (0xD800, 0xE000)  # code points that no text may hold
_TAG = re.compile(r"([<>][^:,()<>]+):[^:,()<>]+:")
_TESTS = {"T(": "W(", "Ta(": "Wa("}
_STARTED = re.compile(r"(?<=[(,])[^(),]+(?=[),])")


class NotComparable(StressBenchError):
    """Raised for a capture that cannot be compared; the message says which and why."""


class NoSuchCall(UserError):
    """Raised for a boundary of iterations that the program never reaches; the message names the calls that it makes."""


@dataclass(slots=True)
class CallAlphabet:
    """One character for each distinct call of all sequences that it encodes, by its token.

    To the tokens of `stressbench trace show`, it adds the tags of MPI_Sendrecv (`SR>1:TAG:100<0:TAG:100`) and the root
    of a collective (`Bcast:8@4,root=0`). A test that completed requests counts as the wait for them: which of the two a
    program makes depends on when the messages arrive. With `any_tag`, messages of any tag are the same.
    """

    any_tag: bool = False
    _characters: dict[str, str] = field(default_factory=dict)
    _tokens: dict[str, str] = field(default_factory=dict)
    _names: dict[str, set[str]] = field(default_factory=dict)  # by character: its operations and shown tokens

    def encode(self, rank: RankTrace, rules: Rules | None = None) -> str:
        """The sequence of a rank, or of other `rules` over its calls.

        Raises NotComparable if there is none, several threads, or too many calls.
        """
        stream, own_rules = _only_stream(rank)
        tokenizer = CallTokenizer(rank, stream, TokenStyle.exact)
        try:
            numbers = expand_bounded(own_rules if rules is None else rules)
        except TooManyCalls as fault:
            raise NotComparable(f"rank {rank.rank}: {fault}") from fault
        if tokenizer.is_order_dependent:
            return "".join(self._character(tokenizer, number) for number in numbers)
        tokenizer.assign_slots()
        characters = [self._character(tokenizer, number) for number in range(len(stream.calls))]
        return "".join(map(characters.__getitem__, numbers))

    def tokens(self, text: str) -> tuple[str, ...]:
        """The calls of an encoded sequence as tokens."""
        return tuple(map(self._tokens.__getitem__, text))

    def matching(self, pattern: str) -> frozenset[str]:
        """The characters of all calls whose token, or whose operation, matches a pattern; `*` and `?` as in a shell."""
        pattern = pattern.replace("[", "[[]")
        return frozenset(
            character
            for character, names in self._names.items()
            for name in names
            if fnmatchcase(name, pattern) or fnmatchcase(name, f"{pattern}[[:(<>@]*")
        )

    def operations(self, text: str) -> tuple[str, ...]:
        """Names of the operations of an encoded sequence, sorted."""
        names = {name for character in set(text) for name in self._names[character]}
        return tuple(sorted(name for name in names if name.isidentifier()))

    def fingerprint(self, rank: RankTrace) -> Fingerprint:
        """Fingerprint of a rank's sequence, for comparison with that of an iteration.

        Calls that start persistent requests are equal if they start equally many, since what they start may depend on
        the calls before them. Raises NotComparable as `encode` does.
        """
        stream, rules = _only_stream(rank)
        tokenizer = CallTokenizer(rank, stream, TokenStyle.exact)
        tokenizer.assign_slots()
        tokens = (self._tokens[self._character(tokenizer, number)] for number in range(len(stream.calls)))
        return Fingerprint(rules, [hash(_started(token)) for token in tokens])

    def fingerprint_of_iterations(self, iteration: str, times: int) -> Fingerprint:
        """Fingerprint of `times` iterations of these calls."""
        numbers = {character: number for number, character in enumerate(dict.fromkeys(iteration))}
        rules = (((-1, times),), tuple((numbers[character], 1) for character in iteration))
        return Fingerprint(rules, [hash(_started(token)) for token in self.tokens("".join(numbers))])

    def _character(self, tokenizer: CallTokenizer, number: int) -> str:
        call = tokenizer.stream.calls[number]
        shown = tokenizer.token(number)
        for test, wait in _TESTS.items():
            if shown.startswith(test):
                shown = wait + shown.removeprefix(test)
        token = _with_tags_and_root(shown, call, tokenizer)
        if self.any_tag:
            token = _TAG.sub(r"\1:*:", token)
        known = self._characters.get(token)
        if known is None:
            code = len(self._characters)
            known = chr(code if code < _SURROGATES[0] else code - _SURROGATES[0] + _SURROGATES[1])
            self._characters[token] = known
            self._tokens[known] = token
            self._names[known] = {token}
        self._names[known] |= {shown, call.op, WAIT_OF_TEST.get(call.op, call.op)}
        return known


def _only_stream(rank: RankTrace) -> tuple[Stream, Rules]:
    streams = rank.streams_by_thread()
    if len(streams) > 1:
        raise NotComparable(f"rank {rank.rank}: {len(streams)} threads called MPI; expected one")
    if streams[0].rules is None:
        raise NotComparable(f"rank {rank.rank}: the sequence of calls was not kept ({_loss(rank)})")
    return streams[0], streams[0].rules


def _with_tags_and_root(token: str, call: Call, tokenizer: CallTokenizer) -> str:
    """The token with what `stressbench trace show` leaves out: tags of MPI_Sendrecv, and the root of a collective."""
    if call.op in SENDRECV_CALLS:
        is_any = call.any in (Wildcard.tag, Wildcard.both) or call.receive_tag is None
        tags = ("*" if call.tag is None else str(call.tag), "*" if is_any else str(call.receive_tag))
        sides = (side.rpartition(":") for side in token.split("<"))
        return "<".join(f"{peer}:{tag}:{size}" for (peer, _, size), tag in zip(sides, tags, strict=True))
    return token if call.root is None else f"{token},root={tokenizer.root(call)}"


def _started(token: str) -> str:
    """The token of a call that starts persistent requests without these requests; others as they are."""
    return _STARTED.sub("?", token) if token.startswith(("St(", "Start(")) else token


def _loss(rank: RankTrace) -> str:
    return next((loss.why for loss in rank.lost or () if loss.what == "sequence" and loss.why), "lost")


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationSpan:
    """`times` successive iterations of `calls` calls each; the first begins with call `start` of the sequence."""

    start: int
    calls: int
    times: int

    @property
    def end(self) -> int:
        """The call after the last one."""
        return self.start + self.calls * self.times

    def part(self, *, skip: int, times: int) -> "IterationSpan":
        """`times` of these iterations, without the first `skip`."""
        return IterationSpan(start=self.start + skip * self.calls, calls=self.calls, times=times)


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationDifference:
    """The first difference of a rank: the program's calls are those of the iteration up to call `place` (from 0).

    `before` are the last common calls; `program` and `workload` those that follow, empty where a sequence has ended.
    """

    rank: int
    place: int
    calls: int
    before: tuple[str, ...]
    program: tuple[str, ...]
    workload: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Iterations:
    """Where each rank of a program makes the calls of the workload: `runs` by rank, with equal `times`.

    `found` is how many successive iterations the program has (the minimum over the ranks), of which the first `skipped`
    are not in `runs`; `most_found` is the maximum over the ranks. With `differences`, `runs` is empty: some ranks never
    make the calls of the workload or, if `found` is not 0, only so often in a row, while their own loop goes on with
    other calls. `expected` are the calls of an iteration.
    """

    runs: tuple[IterationSpan, ...]
    found: int
    skipped: int
    differences: tuple[IterationDifference, ...]
    most_found: int | None = None
    expected: "ExpectedCalls | None" = None

    @property
    def times(self) -> int:
        """Iterations to measure; 0 with differences."""
        return self.runs[0].times if self.runs else 0

    def limited(self, most: int) -> "Iterations":
        """At most so many of the iterations to measure."""
        times = min(self.times, most)
        return replace(self, runs=tuple(run.part(skip=0, times=times) for run in self.runs))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCalls:
    """The calls of an iteration, by rank, as texts of an alphabet."""

    alphabet: CallAlphabet
    texts: tuple[str, ...]

    def require(self, rank: RankTrace, *, times: int) -> None:
        """Raise NotComparable unless the rank's sequence is this iteration so many times."""
        text = self.texts[rank.rank]
        expected = self.alphabet.fingerprint_of_iterations(text, times)
        place = first_difference(self.alphabet.fingerprint(rank), expected)
        if place is not None:
            (token,) = self.alphabet.tokens(text[place % len(text)])
            raise NotComparable(
                f"rank {rank.rank}, call {place % len(text) + 1} of an iteration: another launch of the program made "
                f"{token}: the calls of the program differ from launch to launch"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundaries:
    """Which calls begin and end an iteration of the program, as patterns of tokens. None: any call may.

    Without `last`, an iteration ends before the next call that matches `first`, or with the sequence.
    """

    first: str | None = None
    last: str | None = None


def iterations_of(
    program: Trace, workload: Trace, *, repetitions: int, boundaries: Boundaries = Boundaries(), skip: int = 1,
    any_tag: bool = False,
) -> Iterations:  # fmt: skip
    """Find the calls of the workload in the program, rank by rank. `workload` holds `repetitions` equal iterations.

    The longest run of successive iterations is taken, and its first `skip` are left out if at least as many remain.
    Runs of FEWEST_IN_ROW iterations and more, such as those of an inner loop, that together have less than half of the
    calls of the program's own loop are no match, unless there are `boundaries` or one run has half of these calls. With
    `any_tag`, tags are not compared. Raises NotComparable, and TraceFileError for a damaged file.
    """
    for trace in (program, workload):
        trace.require_complete()
    if program.header.ranks != workload.header.ranks:
        raise NotComparable(f"the program ran on {program.header.ranks} ranks, the workload on {workload.header.ranks}")
    alphabet = CallAlphabet(any_tag=any_tag)
    runs_by_rank: list[list[IterationSpan]] = []
    texts: list[str] = []
    differences: list[IterationDifference] = []
    longer: list[IterationDifference] = []  # where the program's own loop goes on with other calls
    for program_rank, workload_rank in zip(program.ranks(), workload.ranks(), strict=True):
        iteration = _single_iteration(alphabet.encode(workload_rank), repetitions, rank=workload_rank.rank)
        text = alphabet.encode(program_rank)
        segments = _segments(text, alphabet, boundaries, rank=program_rank.rank)
        runs = list(runs_of(text, iteration, segments=segments))
        runs_by_rank.append(runs)
        texts.append(iteration)
        if not runs:
            differences.append(_difference(program_rank.rank, text, iteration, alphabet, segments))
        elif segments is None:
            longest = max(runs, key=lambda run: run.times)
            counted = sum(run.end - run.start for run in runs if run is longest or run.times >= FEWEST_IN_ROW)
            if 2 * counted < _calls_in_loop(program_rank):
                longer.append(_difference_after(program_rank.rank, text, iteration, alphabet, longest))
    if differences or longer:
        found = 0 if differences else min(max(run.times for run in runs) for runs in runs_by_rank)
        return Iterations(runs=(), found=found, skipped=0, differences=tuple(differences or longer))
    return _chosen(runs_by_rank, ExpectedCalls(alphabet=alphabet, texts=tuple(texts)), skip=skip)


def loop_of(program: Trace, *, skip: int = 1) -> Iterations:
    """The iterations of the program's own loop: the outermost one with the most calls; without a loop, the whole run.

    As in `iterations_of`, the first `skip` are left out if at least as many remain, and the same errors are raised.
    """
    program.require_complete()
    alphabet = CallAlphabet()
    loop: Loop | None = None
    runs_by_rank: list[list[IterationSpan]] = []
    texts: list[str] = []
    for rank in program.ranks():
        text = alphabet.encode(rank)
        if rank.rank == 0:
            loop = max(outermost_loops(rank.rules or ()), key=lambda one: one.times * one.calls, default=None)
        iteration = text if loop is None else alphabet.encode(rank, rules_of_pass(program, rank, loop))
        if not iteration:
            raise NotComparable(f"rank {rank.rank} makes no MPI call, so that its iterations cannot be found")
        runs = list(runs_of(text, iteration))
        if not runs:
            raise NotComparable(f"rank {rank.rank}: its loop starts persistent requests that were created before it")
        runs_by_rank.append(runs)
        texts.append(iteration)
    return _chosen(runs_by_rank, ExpectedCalls(alphabet=alphabet, texts=tuple(texts)), skip=skip)


def _chosen(runs_by_rank: Sequence[Sequence[IterationSpan]], expected: ExpectedCalls, *, skip: int) -> Iterations:
    chosen = _same_run_on_all_ranks(runs_by_rank)
    found = min(run.times for run in chosen)
    skipped = skip if found >= 2 * skip else 0
    return Iterations(
        runs=tuple(run.part(skip=skipped, times=found - skipped) for run in chosen), found=found, skipped=skipped,
        differences=(), most_found=max(run.times for run in chosen), expected=expected,
    )  # fmt: skip


def differences_in(difference: Difference) -> tuple[IterationDifference, ...]:
    """The first difference of each rank between a capture (a) and its replay (b)."""
    return tuple(
        IterationDifference(
            rank=one.rank, place=one.place, calls=one.a_calls, before=one.before, program=one.a, workload=one.b
        )
        for one in difference.sequences
    )


def runs_of(text: str, iteration: str, *, segments: Sequence[tuple[int, int]] | None = None) -> Iterator[IterationSpan]:
    """Runs of successive iterations in a sequence, in order. With `segments`, each iteration is one of these."""
    allowed = None if segments is None else set(segments)
    calls, place = len(iteration), 0

    def is_iteration(start: int) -> bool:
        return text.startswith(iteration, start) and (allowed is None or (start, start + calls) in allowed)

    while (place := text.find(iteration, place)) >= 0:
        times = 0
        while is_iteration(place + times * calls):
            times += 1
        if times:
            yield IterationSpan(start=place, calls=calls, times=times)
        place += max(1, times * calls)


def _single_iteration(text: str, repetitions: int, *, rank: int) -> str:
    calls, rest = divmod(len(text), repetitions)
    iteration = text[:calls]
    if rest or iteration * repetitions != text:
        raise NotComparable(
            f"rank {rank} of the workload: the calls of its {repetitions} iterations differ from one another"
        )
    if not iteration:
        raise NotComparable(f"rank {rank} of the workload makes no MPI call, so that its iterations cannot be found")
    return iteration


def _segments(
    text: str, alphabet: CallAlphabet, boundaries: Boundaries, *, rank: int
) -> Sequence[tuple[int, int]] | None:
    """First call and end of each iteration of the program. None if any call may begin one."""
    if boundaries.first is None and boundaries.last is None:
        return None
    first, last = (
        None if pattern is None else _characters(alphabet, pattern, option=option, text=text, rank=rank)
        for pattern, option in ((boundaries.first, "--from"), (boundaries.last, "--to"))
    )
    if first is None:
        assert last is not None
        ends = [place + 1 for place, character in enumerate(text) if character in last]
        return list(zip([0, *ends], ends, strict=False))
    starts = [place for place, character in enumerate(text) if character in first]
    if last is None:
        return list(zip(starts, [*starts[1:], len(text)], strict=True))
    ends = [place + 1 for place, character in enumerate(text) if character in last]
    segments, position = [], 0
    for number, start in enumerate(starts):
        while position < len(ends) and ends[position] <= start:
            position += 1
        if position < len(ends) and (number + 1 == len(starts) or ends[position] <= starts[number + 1]):
            segments.append((start, ends[position]))
    if not segments:
        raise NoSuchCall(f"rank {rank} makes no call --to {boundaries.last} after --from {boundaries.first}")
    return segments


def _characters(alphabet: CallAlphabet, pattern: str, *, option: str, text: str, rank: int) -> frozenset[str]:
    characters = alphabet.matching(pattern)
    if not any(character in text for character in characters):
        known = alphabet.operations(text)
        raise NoSuchCall(f"{option} {pattern}: rank {rank} never makes this call; it makes {', '.join(known[:20])}")
    return characters


def _same_run_on_all_ranks(runs_by_rank: Sequence[Sequence[IterationSpan]]) -> list[IterationSpan]:
    """The longest run of rank 0, and on each other rank the one at the same place among its runs, if it has as many."""
    first = runs_by_rank[0]
    place = max(range(len(first)), key=lambda number: first[number].times)
    return [runs[place] if len(runs) == len(first) else max(runs, key=lambda run: run.times) for runs in runs_by_rank]


def _difference(
    rank: int, text: str, iteration: str, alphabet: CallAlphabet, segments: Sequence[tuple[int, int]] | None
) -> IterationDifference:
    """The difference at the place in the program that has most of the iteration's first calls."""
    if segments is None:
        start, common = _longest_match(text, iteration)
        end = len(text)
    else:
        common, (start, end) = max(
            ((_common_prefix(text[begin:stop], iteration), (begin, stop)) for begin, stop in segments),
            default=(0, (0, 0)), key=lambda pair: pair[0],
        )  # fmt: skip
    at = start + common
    return IterationDifference(
        rank=rank, place=common, calls=len(iteration), before=alphabet.tokens(text[max(start, at - CONTEXT) : at]),
        program=alphabet.tokens(text[at : min(end, at + CONTEXT)]),
        workload=alphabet.tokens(iteration[common : common + CONTEXT]),
    )  # fmt: skip


def _difference_after(
    rank: int, text: str, iteration: str, alphabet: CallAlphabet, run: IterationSpan
) -> IterationDifference:
    """The difference between the iteration and what the program does after a run of iterations."""
    common = _common_prefix(text[run.end : run.end + len(iteration)], iteration)
    at = run.end + common
    return IterationDifference(
        rank=rank, place=common, calls=len(iteration), before=alphabet.tokens(text[max(run.start, at - CONTEXT) : at]),
        program=alphabet.tokens(text[at : at + CONTEXT]),
        workload=alphabet.tokens(iteration[common : common + CONTEXT]),
    )  # fmt: skip


def _calls_in_loop(rank: RankTrace) -> int:
    """Calls in all passes of the outermost loop that has most of them; 0 without a loop."""
    return max((loop.times * loop.calls for loop in outermost_loops(rank.rules or ())), default=0)


def _longest_match(text: str, iteration: str) -> tuple[int, int]:
    """Where in the text the most of the iteration's first calls are found, and how many."""
    low, high = 0, len(iteration)  # the first `low` calls are found, the first `high` + 1 are not
    while low < high:
        middle = (low + high + 1) // 2
        if iteration[:middle] in text:
            low = middle
        else:
            high = middle - 1
    return text.find(iteration[:low]), low


def _common_prefix(a: str, b: str) -> int:
    return next((place for place, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
