"""`stressbench.clean`: remove what killed launches left behind."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from stressbench.api.presentation import Reported
from stressbench.experiments.cleaning import remove_leftovers
from stressbench.report.cleaning import full_document
from stressbench.report.document import Document
from stressbench.results.leftovers import CleanedLeftover


class CleanResults(Reported[tuple[CleanedLeftover, ...]]):
    """The leftovers: `data` has path, kind, size in bytes, and whether or why not each was removed."""

    def __init__(self, data: tuple[CleanedLeftover, ...], *, dry_run: bool) -> None:
        super().__init__(data)
        self._dry_run = dry_run

    def __repr__(self) -> str:
        return f"<CleanResults: {len(self.data)} leftovers>"

    @property
    def complete(self) -> bool:
        """Whether everything could be removed."""
        return all(one.reason is None for one in self.data)

    def _brief(self) -> Document:
        return full_document(self.data, dry_run=self._dry_run)


def clean(folders: Sequence[str | PathLike[str]] = (), *, dry_run: bool = False) -> CleanResults:
    """Remove what your own dead processes left behind: shared memory of Open MPI, its sessions, pools of the tracer.

    Also temporary directories of `validate` and `compress`, for example. `folders` are searched, by default /dev/shm,
    $TMPDIR, the current directory and the tracer's pools. With `dry_run`, leftovers are listed and not removed.
    """
    found = remove_leftovers([Path(one) for one in folders], dry_run=dry_run)
    return CleanResults(tuple(found), dry_run=dry_run)
