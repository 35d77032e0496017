"""Sequences of calls as text with one character per distinct call, so that they are searched at the speed of
`str.find`. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from stressbench.errors import StressBenchError
from stressbench.formats.trace import Call, RankTrace, Stream
from stressbench.formats.trace.records import Wildcard
from stressbench.tracing.completions import with_early_completions
from stressbench.tracing.fingerprint import Fingerprint, first_difference
from stressbench.tracing.grammar import Rules, TooManyCalls, expand_bounded
from stressbench.tracing.operations import COLLECTIVES, COMPLETION_TOKENS, NULL_REQUEST, SENDRECV_CALLS, WAIT_OF_TEST
from stressbench.tracing.tokens import CallTokenizer, TokenStyle

_SURROGATES = (0xD800, 0xE000)  # code points that no text may hold
_TAG = re.compile(r"([<>][^:,()<>]+):[^:,()<>]+:")
_TO_NOBODY = re.compile(r"([<>]-1:[^:,()<>]+):[0-9]+")
_TESTS = {"T(": "W(", "Ta(": "Wa("}
_STARTED = re.compile(r"(?<=[(,])[^(),]+(?=[),])")


class NotComparable(StressBenchError):
    """Raised for a capture that cannot be compared; the message says which and why."""


@dataclass(slots=True)
class CallAlphabet:
    """One character for each distinct call of all sequences that it encodes, by its token.

    To the tokens of `stressbench trace show`, it adds the tags of MPI_Sendrecv (`SR>1:TAG:100<0:TAG:100`) and the root
    of a collective (`Bcast:8@4,root=0`). Messages to and from MPI_PROC_NULL have 0 bytes: programs and bindings differ
    in what they state there. Of waits, requests that are null do not count. A test that completed requests counts as
    the wait for them: which of the two a program makes depends on when the messages arrive. So may its place: `encode`
    of a rank that tests ignores the place of waits among other calls. With `any_tag`, messages of any tag are the same.
    """

    any_tag: bool = False
    _characters: dict[str, str] = field(default_factory=dict)
    _tokens: dict[str, str] = field(default_factory=dict)
    _names: dict[str, set[str]] = field(default_factory=dict)  # by character: its operations and shown tokens

    def encode(self, rank: RankTrace, rules: Rules | None = None, *, completes_early: bool = False) -> str:
        """The sequence of a rank, or of other `rules` over its calls.

        With `completes_early`, waits are named where their requests start (`with_early_completions`). Raises
        NotComparable if there is none, several threads, or too many calls.
        """
        stream, own_rules = _only_stream(rank)
        tokenizer = CallTokenizer(rank, stream, TokenStyle.exact)
        try:
            expanded = expand_bounded(own_rules if rules is None else rules)
        except TooManyCalls as fault:
            raise NotComparable(f"rank {rank.rank}: {fault}") from fault
        if not completes_early:
            return self._text(tokenizer, expanded)
        numbers = list(expanded)
        text = self._text(tokenizer, numbers)
        return "".join(map(text.__getitem__, with_early_completions(numbers, stream.calls)))

    def first_difference(self, rank: RankTrace, iteration: str, *, times: int, completes_early: bool) -> int | None:
        """The first call of a rank's sequence that is not that of `times` iterations; None if there is none.

        Calls that start persistent requests are equal if they start equally many, since what they start may depend on
        the calls before them. Raises NotComparable as `encode` does.
        """
        if not completes_early:
            return first_difference(self.fingerprint(rank), self.fingerprint_of_iterations(iteration, times))
        text, expected = self.encode(rank, completes_early=True), iteration * times
        started = {character: _started(token) for character, token in self._tokens.items()}
        for place, (a, b) in enumerate(zip(text, expected, strict=False)):
            if a != b and started[a] != started[b]:
                return place
        return None if len(text) == len(expected) else min(len(text), len(expected))

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

    def collectives(self, text: str, *, ranks: int) -> tuple[str, ...]:
        """The characters of an encoded sequence that are collective calls of so many ranks, as they first occur."""
        return tuple(
            character
            for character in dict.fromkeys(text)
            if self._names[character] & COLLECTIVES and re.search(rf"@{ranks}\b", self._tokens[character])
        )

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

    def _text(self, tokenizer: CallTokenizer, numbers: Iterable[int]) -> str:
        if tokenizer.is_order_dependent:
            return "".join(self._character(tokenizer, number) for number in numbers)
        tokenizer.assign_slots()
        characters = [self._character(tokenizer, number) for number in range(len(tokenizer.stream.calls))]
        return "".join(map(characters.__getitem__, numbers))

    def _character(self, tokenizer: CallTokenizer, number: int) -> str:
        call = tokenizer.stream.calls[number]
        shown = tokenizer.token(number)
        for test, wait in _TESTS.items():
            if shown.startswith(test):
                shown = wait + shown.removeprefix(test)
        token = _with_tags_and_root(_for_requests(shown, call), call, tokenizer)
        token = _TO_NOBODY.sub(r"\1:0", token)
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


def _for_requests(token: str, call: Call) -> str:
    """The token of a wait with the number of its requests that are not null; others as they are."""
    if call.op not in COMPLETION_TOKENS:
        return token
    active = sum(slot != NULL_REQUEST for slot in call.requests or ())
    return f"{token.partition('(')[0]}({active})"


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
