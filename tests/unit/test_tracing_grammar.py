"""Rules walked, counted and compared against their plain expansion."""

import re
from collections import Counter
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.counted import Counted

from stressbench.formats.trace import Rule
from stressbench.formats.trace.checks import rules_fault
from stressbench.tracing.fingerprint import Fingerprint, first_difference
from stressbench.tracing.grammar import (
    Loop,
    TooManyCalls,
    call_counts,
    children_first,
    expand,
    expand_bounded,
    outermost_loops,
    rule_lengths,
    single_pass,
)

CALLS = 4


@st.composite
def grammars(draw: st.DrawFn) -> tuple[Rule, ...]:
    """Up to 6 rules, each holding calls and later rules only."""
    rules = draw(st.integers(1, 6))
    made = []
    for number in range(rules):
        symbols = st.one_of(
            st.integers(0, CALLS - 1), *([st.integers(number + 1, rules - 1).map(int.__neg__)] * (number + 1 < rules))
        )
        made.append(tuple(draw(st.lists(st.tuples(symbols, st.integers(1, 4)), max_size=5))))
    return tuple(made)


def plain(rules: tuple[Rule, ...], number: int = 0) -> list[int]:
    """The expansion as anybody would write it first."""
    row: list[int] = []
    for symbol, times in rules[number]:
        row += ([symbol] if symbol >= 0 else plain(rules, -symbol)) * times
    return row


@given(rules=grammars())
def test_walking_gives_what_the_rules_stand_for(rules: tuple[Rule, ...]) -> None:
    assert rules_fault(rules, calls=CALLS) is None
    assert list(expand(rules)) == plain(rules)


@given(rules=grammars())
def test_walking_without_a_rule_written_out_gives_the_same(rules: tuple[Rule, ...]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("stressbench.tracing.grammar._MAX_CACHED_RULE", 3)
        assert list(expand(rules)) == plain(rules)


@given(rules=grammars())
def test_lengths_and_counts_need_no_expansion(rules: tuple[Rule, ...]) -> None:
    assert rule_lengths(rules)[0] == len(plain(rules))
    assert +call_counts(rules) == Counter(plain(rules))


@given(rules=grammars(), place=st.integers(0, 10_000))
def test_any_place_and_any_prefix_can_be_asked_for(rules: tuple[Rule, ...], place: int) -> None:
    row = plain(rules)
    found = Fingerprint(rules, range(CALLS))
    flat = Fingerprint((tuple((symbol, 1) for symbol in row),), range(CALLS))

    assert found.calls == len(row)
    if row:
        assert found.at(place % len(row)) == row[place % len(row)]
        assert found.prefix(place % len(row)) == flat.prefix(place % len(row))


@given(a=grammars(), b=grammars())
def test_the_first_difference_is_that_of_the_expansions(a: tuple[Rule, ...], b: tuple[Rule, ...]) -> None:
    left, right = plain(a), plain(b)
    common = next(
        (at for at, (x, y) in enumerate(zip(left, right, strict=False)) if x != y), min(len(left), len(right))
    )

    found = first_difference(Fingerprint(a, range(CALLS)), Fingerprint(b, range(CALLS)))

    assert found == (None if left == right else common)


def test_ten_million_calls_are_walked_as_they_are_asked_for_and_compared_at_once() -> None:
    rules: tuple[Rule, ...] = (((-1, 10**9), (3, 1)), ((-2, 1000), (2, 1)), ((0, 1), (1, 1)))
    other: tuple[Rule, ...] = (((-1, 10**9), (2, 1)), *rules[1:])

    assert list(islice(expand(rules), 2000, 2003)) == [2, 0, 1]
    assert rule_lengths(rules)[0] == 10**9 * 2001 + 1
    assert first_difference(Fingerprint(rules, range(CALLS)), Fingerprint(other, range(CALLS))) == 10**9 * 2001


def test_a_deep_grammar_does_not_exhaust_the_stack() -> None:
    rules: tuple[Rule, ...] = (*(((-number, 1), (0, 1)) for number in range(1, 5000)), ((1, 1),))

    assert len(list(expand(rules))) == 5000
    assert outermost_loops(rules) == ()


def test_outermost_loops_are_found_through_rules_that_come_once() -> None:
    rules: tuple[Rule, ...] = (((0, 1), (-1, 1), (-2, 5)), ((-2, 3), (1, 7)), ((2, 1), (3, 4)))

    assert outermost_loops(rules) == (
        Loop(symbol=-2, times=3, calls=5),
        Loop(symbol=1, times=7, calls=1),
        Loop(symbol=-2, times=5, calls=5),
    )
    assert list(expand(single_pass(rules, -2))) == [2, 3, 3, 3, 3]


@given(row=st.lists(st.integers(0, CALLS - 1), min_size=2, max_size=30), data=st.data())
def test_the_order_of_calls_counts(row: list[int], data: st.DataObject) -> None:
    other = data.draw(st.permutations(row))
    common = next((at for at, (x, y) in enumerate(zip(row, other, strict=True)) if x != y), None)

    flat = [Fingerprint((tuple((symbol, 1) for symbol in one),), range(CALLS)) for one in (row, other)]

    assert first_difference(*flat) == common


@pytest.mark.parametrize(("times", "said"), [(10**7, "10,000,001"), (10**30, "more than 10^15")])
def test_who_goes_through_all_of_a_sequence_refuses_one_that_is_too_long(times: int, said: str) -> None:
    assert len(list(expand_bounded((((0, 1000),),)))) == 1000
    with pytest.raises(TooManyCalls, match=re.escape(f"a rank made {said} calls in order")):
        expand_bounded((((0, times), (1, 1)),))


def test_a_rule_that_many_rules_contain_is_read_once() -> None:
    """A wide rule waits on the path once for each rule of a chain."""
    count = 200
    wide = Counted(((0, 1), (1, 1)) * count)
    chain = (((-1, 1), (-number - 1, 1)) for number in range(2, count))
    rules: tuple[Rule, ...] = (((-2, 1),), wide, *chain, ((0, 1),))

    order = children_first(rules)

    assert order == (1, *range(count, 1, -1), 0)
    assert wide.reads == 1


LARGEST = 2**63 - 1


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ((((0, LARGEST),),), None),
        ((((0, LARGEST), (1, 1)),), "rules.0: stands for 2^63 calls or more; expected less"),
        ((((-1, 2),), ((0, LARGEST),)), "rules.0: stands for 2^63 calls or more; expected less"),
        ((((0, 1),), ((-2, 2),), ((0, LARGEST),)), "rules.1: stands for 2^63 calls or more; expected less"),
        (
            (*(((-number, 1 << 62),) for number in range(1, 20_000)), ((0, 1),)),
            "rules.19997: stands for 2^63 calls or more; expected less",
        ),
        ((((-1, LARGEST),), ()), None),
    ],
    ids=["the most", "one more", "twice", "unused", "20,000 loops", "of nothing"],
)
def test_a_sequence_is_shorter_than_two_to_the_63(rules: tuple[Rule, ...], expected: str | None) -> None:
    assert rules_fault(rules, calls=2) == expected


def test_rules_without_calls_are_not_repeated() -> None:
    rules: tuple[Rule, ...] = (((-1, LARGEST), (0, 1)), ((-2, LARGEST), (-2, 1)), ())

    assert list(islice(expand(rules), 2)) == [0]
    assert +call_counts(rules) == Counter({0: 1})
    assert max(call_counts((*(((-number, 1 << 62),) for number in range(1, 300)), ())).values(), default=0) == 0


def test_a_rule_in_many_rules_is_searched_for_loops_once() -> None:
    rules: tuple[Rule, ...] = (*(((-number, 1), (-number, 1)) for number in range(1, 60)), ((0, 5),))

    assert outermost_loops(rules) == (Loop(symbol=0, times=5, calls=1),)
