"""Sequences of calls without the chance of when messages arrive. Pure.

A program that tests for messages (MPI_Test, MPI_Testall), and waits later for those that have not arrived, makes its
calls in another order from launch to launch. TeaLeaf, for example, tests for the messages across its mesh before it
starts those down the mesh. Such sequences can be compared if requests are taken to complete at once.
"""

from collections import defaultdict
from collections.abc import Sequence

from stressbench.formats.trace import Call, RankTrace
from stressbench.tracing.operations import PERSISTENT_INITS, START_CALLS, WAIT_OF_TEST

_COMPLETIONS = frozenset({*WAIT_OF_TEST, *WAIT_OF_TEST.values()})


def makes_tests(rank: RankTrace) -> bool:
    """Whether the rank called MPI_Test or MPI_Testall, in vain or not."""
    return any(total.calls > 0 for total in rank.totals if total.op in WAIT_OF_TEST)


def with_early_completions(numbers: Sequence[int], calls: Sequence[Call]) -> list[int]:
    """Places of a sequence of call numbers, in an order that does not depend on when requests complete.

    Waits and successful tests, for one request or for all of several, move to the call that started the last of their
    requests. Those follow it in the order of the sequence. Calls whose requests were started before the sequence stay.
    """
    started: dict[int, int] = {}  # slot -> place of the call that started the request which is in this slot
    following: dict[int, list[int]] = defaultdict(list)
    order: list[int] = []
    moved: set[int] = set()
    for place, number in enumerate(numbers):
        call = calls[number]
        if call.op in _COMPLETIONS:
            places = [started[slot] for slot in call.requests or () if slot in started]
            if places:
                following[max(places)].append(place)
                moved.add(place)
        elif call.op in START_CALLS:
            started.update(dict.fromkeys(call.requests or (), place))
        elif call.request is not None and call.op not in PERSISTENT_INITS:
            started[call.request] = place
    for place in range(len(numbers)):
        if place not in moved:
            order.append(place)
            order.extend(following.get(place, ()))
    return order
