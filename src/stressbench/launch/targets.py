"""Launch targets that are registered by kind: what `--on KIND` and `--on KIND:NAME` mean besides what ships.

A target that is registered for a kind answers for all of that kind, also for one that ships. Tests register labs that
are not there; a site may register its own batch system.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from stressbench.launch.place import Place

CardTotals = Mapping[str, tuple[int, int]]
"""Bytes sent and received so far by each network card."""

_targets: dict[str, "Target"] = {}


class Target(Protocol):
    """What one kind of `--on` means."""

    def place(self, on: str, *, environment: Mapping[str, str], rate: str | None, rails: int | None) -> Place:
        """Where ranks go. `rate` is the share of their rates that links carry, `rails` the cards in use on each host.

        Raises LaunchMistake where `on` cannot be used, LinkMistake where it cannot have such links.
        """

    def set_rate(self, on: str, rate: str) -> None:
        """Have all links carry this share of their rates from now on. Raises LaunchMistake."""

    def cards(self, on: str) -> CardTotals | None:
        """Bytes by card, added over the hosts; None where they are not known."""


@contextmanager
def registered(**targets: Target) -> Iterator[None]:
    """Register targets by kind; on exit the kinds mean what they meant before."""
    before = dict(_targets)
    _targets.update(targets)
    try:
        yield
    finally:
        _targets.clear()
        _targets.update(before)


def target_of(on: str) -> Target | None:
    """The target that is registered for the kind of `on`; None where none is."""
    return _targets.get(on.partition(":")[0])
