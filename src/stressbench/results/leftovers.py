"""Files that killed launches left behind, as `stressbench clean` found them."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class CleanedLeftover:
    """A leftover. `removed` is false in a dry run, and where removal failed for the given `reason`."""

    path: str
    kind: str
    bytes: int
    removed: bool
    reason: str | None
