"""GOAL text as values, and its execution: every operation begins when those that it depends on allow it."""

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field

_OPERATION = re.compile(r"l(\d+): (?:calc (\d+)|(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+))")
_DEPENDENCY = re.compile(r"l(\d+) (i?requires) l(\d+)")


@dataclass
class GoalOperation:
    """`kind`: calc, send or recv; `amount`: nanoseconds or bytes."""

    kind: str
    amount: int
    partner: int = -1
    tag: int = 0
    requires: list[int] = field(default_factory=list)
    irequires: list[int] = field(default_factory=list)


Schedule = dict[int, dict[int, GoalOperation]]
"""Operations by rank and label."""


def parsed(lines: Iterable[str]) -> Schedule:
    """The schedule, whose syntax is checked line by line."""
    schedule: Schedule = {}
    announced = rank = -1
    for line in "".join(lines).splitlines():
        if line.startswith("num_ranks "):
            announced = int(line.removeprefix("num_ranks "))
        elif begin := re.fullmatch(r"rank (\d+) \{", line):
            rank = int(begin[1])
            schedule[rank] = {}
        elif found := _OPERATION.fullmatch(line):
            label = int(found[1])
            assert label not in schedule[rank]
            schedule[rank][label] = (
                GoalOperation("calc", int(found[2]))
                if found[3] is None
                else GoalOperation(found[3], int(found[4]), int(found[5]), int(found[6]))
            )
        elif found := _DEPENDENCY.fullmatch(line):
            assert int(found[3]) in schedule[rank], "txt2bin knows only labels of earlier lines"
            getattr(schedule[rank][int(found[1])], found[2]).append(int(found[3]))
        else:
            assert line in ("", "}") or line.startswith("// "), line
    assert list(schedule) == list(range(announced))
    return schedule


def traffic(schedule: Schedule, kind: str = "send") -> Counter[tuple[int, int, int]]:
    """Number of messages by sender, receiver and bytes; of kind `recv`, of those that are received."""
    return Counter(
        (rank, one.partner, one.amount) if kind == "send" else (one.partner, rank, one.amount)
        for rank, operations in schedule.items() for one in operations.values() if one.kind == kind
    )  # fmt: skip


def executed(schedule: Schedule) -> list[tuple[int, int]]:
    """Rank and label of all operations in an order in which they can complete, with sends that wait for receives.

    Fails if some never can, or if the sizes of a message and its receive differ.
    """
    begun: set[tuple[int, int]] = set()
    complete: list[tuple[int, int]] = []
    done: set[tuple[int, int]] = set()
    waiting: dict[tuple[int, int, int], dict[str, deque[int]]] = defaultdict(lambda: {"send": deque(), "recv": deque()})
    remaining = {rank: deque(sorted(operations)) for rank, operations in schedule.items()}
    while any(remaining.values()):
        progress = False
        for rank, labels in remaining.items():
            for label in list(labels):
                one = schedule[rank][label]
                if any((rank, other) not in done for other in one.requires):
                    continue
                if any((rank, other) not in begun for other in one.irequires):
                    continue
                progress = True
                labels.remove(label)
                begun.add((rank, label))
                if one.kind == "calc":
                    done.add((rank, label))
                    complete.append((rank, label))
                    continue
                ends = (rank, one.partner) if one.kind == "send" else (one.partner, rank)
                channel = waiting[(*ends, one.tag)]
                channel[one.kind].append(label)
                while channel["send"] and channel["recv"]:
                    sender, receiver = (ends[0], channel["send"].popleft()), (ends[1], channel["recv"].popleft())
                    assert schedule[sender[0]][sender[1]].amount == schedule[receiver[0]][receiver[1]].amount
                    done |= {sender, receiver}
                    complete += [sender, receiver]
        assert progress, "deadlock"
    assert not any(kind for channel in waiting.values() for kind in channel.values())
    return complete
