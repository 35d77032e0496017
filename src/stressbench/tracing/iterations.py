"""Iterations of a program that make the same calls as a workload: where they are, or the first difference. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from stressbench.errors import UserError
from stressbench.formats.trace import Call, RankTrace, Trace
from stressbench.tracing.alphabet import CallAlphabet, NotComparable
from stressbench.tracing.completions import makes_tests
from stressbench.tracing.diff import Difference
from stressbench.tracing.grammar import Loop, Rules, expand_bounded, outermost_loops
from stressbench.tracing.operations import PERSISTENT_INITS, START_CALLS
from stressbench.tracing.reference import rules_of_pass

CONTEXT = 4
_MOST_COLLECTIVES = 8  # equal collective calls in a pass of a loop
_NEARLY = 0.9
FEWEST_IN_ROW = 4
"""Successive iterations that a program is unlikely to make by chance."""


class NoSuchCall(UserError):
    """Raised for a boundary of iterations that the program never reaches; the message names the calls that it makes."""


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

    @property
    def any_wait_place(self) -> bool:
        """Whether the place of waits among other calls was not compared, since some ranks test for messages."""
        return self.expected is not None and any(self.expected.complete_early)

    def limited(self, most: int) -> "Iterations":
        """At most so many of the iterations to measure."""
        times = min(self.times, most)
        return replace(self, runs=tuple(run.part(skip=0, times=times) for run in self.runs))


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCalls:
    """The calls of an iteration, by rank, as texts of an alphabet; `complete_early`: which of them with early waits."""

    alphabet: CallAlphabet
    texts: tuple[str, ...]
    complete_early: tuple[bool, ...]

    def require(self, rank: RankTrace, *, times: int) -> None:
        """Raise NotComparable unless the rank's sequence is this iteration so many times."""
        text = self.texts[rank.rank]
        place = self.alphabet.first_difference(rank, text, times=times, completes_early=self.complete_early[rank.rank])
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

    The longest run of successive iterations is taken, or the last one that is nearly as long, and its first `skip` are
    left out if at least as many remain. Runs of FEWEST_IN_ROW iterations and more, such as those of an inner loop, that
    together have less than half of the calls of the program's own loop are no match, unless there are `boundaries` or
    one run has half of these calls. With `any_tag`, tags are not compared. Raises NotComparable, and TraceFileError for
    a damaged file.
    """
    for trace in (program, workload):
        trace.require_complete()
    if program.header.ranks != workload.header.ranks:
        raise NotComparable(f"the program ran on {program.header.ranks} ranks, the workload on {workload.header.ranks}")
    alphabet = CallAlphabet(any_tag=any_tag)
    runs_by_rank: list[list[IterationSpan]] = []
    texts: list[str] = []
    complete_early: list[bool] = []
    differences: list[IterationDifference] = []
    longer: list[IterationDifference] = []  # where the program's own loop goes on with other calls
    for program_rank, workload_rank in zip(program.ranks(), workload.ranks(), strict=True):
        early = makes_tests(program_rank) or makes_tests(workload_rank)
        sequence = alphabet.encode(workload_rank, completes_early=early)
        iteration = _single_iteration(sequence, repetitions, rank=workload_rank.rank)
        text = alphabet.encode(program_rank, completes_early=early)
        segments = _segments(text, alphabet, boundaries, rank=program_rank.rank)
        runs = list(runs_of(text, iteration, segments=segments))
        runs_by_rank.append(runs)
        texts.append(iteration)
        complete_early.append(early)
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
    expected = ExpectedCalls(alphabet=alphabet, texts=tuple(texts), complete_early=tuple(complete_early))
    return _chosen(_same_run_on_all_ranks(runs_by_rank), expected, skip=skip)


def loop_of(program: Trace, *, skip: int = 1) -> Iterations:
    """The iterations of the program's own loop: the outermost one with the most calls; without a loop, the whole run.

    As in `iterations_of`, the first `skip` are left out if at least as many remain, and the same errors are raised.
    """
    program.require_complete()
    alphabet = CallAlphabet()
    complete_early = tuple(map(makes_tests, program.ranks()))
    found = _loop_between_collectives(program, alphabet, complete_early) if any(complete_early) else None
    runs, texts = found or _loop_by_rules(program, alphabet, complete_early)
    expected = ExpectedCalls(alphabet=alphabet, texts=tuple(texts), complete_early=complete_early)
    return _chosen(runs, expected, skip=skip)


def whole_run(program: Trace) -> Iterations:
    """The whole run as one iteration, with whatever calls it has. Raises NotComparable for a rank without calls."""
    program.require_complete()
    runs = []
    for rank in program.ranks():
        if not rank.sequence_calls:
            raise NotComparable(f"rank {rank.rank} makes no MPI call, or its sequence is not in the trace")
        runs.append(IterationSpan(start=0, calls=rank.sequence_calls, times=1))
    return Iterations(runs=tuple(runs), found=1, skipped=0, differences=())


def _loop_by_rules(
    program: Trace, alphabet: CallAlphabet, complete_early: Sequence[bool]
) -> tuple[list[IterationSpan], list[str]]:
    """The outermost loop in the rules of rank 0's sequence, and the one of each other rank that runs as often.

    Where it is on each rank, and the calls of a pass.
    """
    loop: Loop | None = None
    runs_by_rank: list[list[IterationSpan]] = []
    passes: list[str] = []
    for rank, early in zip(program.ranks(), complete_early, strict=True):
        text = alphabet.encode(rank, completes_early=early)
        if rank.rank == 0:
            loop = max(outermost_loops(rank.rules or ()), key=lambda one: one.times * one.calls, default=None)
        rules = None if loop is None else rules_of_pass(program, rank, loop)
        one_pass = text if rules is None else alphabet.encode(rank, rules, completes_early=early)
        if rules is not None and not early:
            place = _place_without_pending(rank, rules)
            one_pass = one_pass[place:] + one_pass[:place]
        if not one_pass:
            raise NotComparable(f"rank {rank.rank} makes no MPI call, so that its iterations cannot be found")
        runs = list(runs_of(text, one_pass))
        if not runs:
            raise NotComparable(f"rank {rank.rank}: its loop starts persistent requests that were created before it")
        runs_by_rank.append(runs)
        passes.append(one_pass)
    return _same_run_on_all_ranks(runs_by_rank), passes


def _place_without_pending(rank: RankTrace, rules: Rules) -> int:
    """The first place in a pass of a loop at which no request is pending, so that it completes its own; 0 without one.

    A pass that begins with waits would end with requests for which the replay of some passes does not wait.
    """
    calls = [rank.calls[number] for number in expand_bounded(rules)]
    pending: set[int] = set()
    for call in calls:
        update_pending(pending, call)
    for place, call in enumerate(calls):
        if not pending:
            return place
        update_pending(pending, call)
    return 0


def update_pending(pending: set[int], call: Call) -> None:
    """Add the slots of requests whose operation the call starts, and remove those that it completes or frees."""
    if call.op in START_CALLS:
        pending.update(call.requests or ())
    elif call.request is not None and call.op not in PERSISTENT_INITS:
        pending.add(call.request)
    else:
        pending.difference_update(call.requests or () if call.done is None else call.done)


def _loop_between_collectives(
    program: Trace, alphabet: CallAlphabet, complete_early: Sequence[bool]
) -> tuple[list[IterationSpan], list[str]] | None:
    """The longest loop whose passes begin with the same collective call of all ranks; None if there is none.

    Where it is on each rank, and the calls of a pass. For sequences in which waits were moved: the rules of the ranks
    do not have these loops.
    """
    texts = [
        alphabet.encode(rank, completes_early=early)
        for rank, early in zip(program.ranks(), complete_early, strict=True)
    ]
    longest: list[IterationSpan] | None = None
    for character in alphabet.collectives(texts[0], ranks=len(texts)):
        places = [[place for place, one in enumerate(text) if one == character] for text in texts]
        if len(set(map(len, places))) > 1:
            continue
        for calls in range(1, min(_MOST_COLLECTIVES, len(places[0]) // 2) + 1):
            for begin in _starts_of_loops(texts[0], places[0], calls):
                runs = [_passes_from(text, one, begin, calls) for text, one in zip(texts, places, strict=True)]
                times = min(run.times for run in runs)
                runs = [replace(run, times=times) for run in runs]
                if times > 1 and (longest is None or runs[0].end - runs[0].start > longest[0].end - longest[0].start):
                    longest = runs
    if longest is None:
        return None
    return longest, [text[run.start : run.start + run.calls] for text, run in zip(texts, longest, strict=True)]


def _starts_of_loops(text: str, places: Sequence[int], calls: int) -> Iterator[int]:
    """Where, among the `places` of a call, loops begin that make it `calls` times in each pass."""
    begin = 0
    while begin + 2 * calls <= len(places):
        run = _passes_from(text, places, begin, calls)
        if run.times > 1:
            yield begin
        begin += max(1, calls * (run.times - 1))


def _passes_from(text: str, places: Sequence[int], begin: int, calls: int) -> IterationSpan:
    """Equal passes from number `begin` of the `places` of a call on, each with that call `calls` times."""
    start = places[begin]
    one_pass = text[start : places[begin + calls]]
    times = 1
    while begin + times * calls < len(places) and text.startswith(one_pass, places[begin + times * calls]):
        times += 1
    return IterationSpan(start=start, calls=len(one_pass), times=times)


def _chosen(chosen: Sequence[IterationSpan], expected: ExpectedCalls, *, skip: int) -> Iterations:
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
    """A long run of rank 0, and on each other rank the one at the same place among its runs, if it has as many."""
    first = runs_by_rank[0]
    place = _last_of_longest(first)
    return [runs[place if len(runs) == len(first) else _last_of_longest(runs)] for runs in runs_by_rank]


def _last_of_longest(runs: Sequence[IterationSpan]) -> int:
    """The place of the last run that has nearly as many iterations as the longest.

    In the first ones, connections are made and memory is used for the first time.
    """
    longest = max(run.times for run in runs)
    return max(place for place, run in enumerate(runs) if run.times >= _NEARLY * longest)


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
