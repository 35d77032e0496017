"""Removal of files that killed launches left behind."""

import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from stressbench.formats.errors import reason_of
from stressbench.launch.leftovers import Leftover, find, remove
from stressbench.launch.tracing import POOL_VARIABLE
from stressbench.results.leftovers import CleanedLeftover


def remove_leftovers(folders: Sequence[Path] = (), *, dry_run: bool = False) -> list[CleanedLeftover]:
    """Remove leftovers of this user in `folders`, by default in /dev/shm, $TMPDIR, the current one and the tracer's
    pools.

    With `dry_run` they are listed, but not removed.
    """
    return [
        _removed(leftover, dry_run=dry_run) for leftover in find(list(folders) or _default_folders(), user=os.geteuid())
    ]


def _removed(leftover: Leftover, *, dry_run: bool) -> CleanedLeftover:
    reason = None
    if not dry_run:
        try:
            remove(leftover)
        except OSError as fault:
            reason = reason_of(fault)
    return CleanedLeftover(
        path=str(leftover.path), kind=leftover.kind.value, bytes=leftover.size, removed=not dry_run and reason is None,
        reason=reason,
    )  # fmt: skip


def _default_folders() -> list[Path]:
    pools = os.environ.get(POOL_VARIABLE)
    current = []
    with suppress(FileNotFoundError):  # where it was removed
        current = [Path.cwd()]
    return [Path("/dev/shm"), Path(tempfile.gettempdir()), *current, *([Path(pools)] if pools else [])]
