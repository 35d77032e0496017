"""The profile of an MPI program, as data frames, as a report, and as a table in a notebook."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from stressbench.api.frames import Library, columns_of_records, data_frame
from stressbench.api.presentation import figure_files, notebook_table, report_text
from stressbench.report.document import columns
from stressbench.tracing.matrix import Pair
from stressbench.tracing.profile import Profile, RankRow
from stressbench.tracing.tables import CommunicatorSize, OperationRow, SiteRow, SizeClass

if TYPE_CHECKING:
    from stressbench.api.frames import DataFrame


class ProfileResults:
    """Times and traffic of the ranks of a program.

    `data` holds all numbers as values (schema/profile.schema.json). The methods return data frames of polars or
    pandas (`library`; by default the one that is installed). Times are in seconds, sizes in bytes; unknown values are
    null.
    """

    def __init__(self, data: Profile, *, sources: Iterable[Path] = ()) -> None:
        self.data = data
        self._sources = tuple(sources)

    def __repr__(self) -> str:
        facts = self.data.facts
        return f"<ProfileResults of {facts.program or 'a program'}: {facts.ranks} ranks, {facts.wall_s:.3g} s>"

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences about what makes a number doubtful."""
        return self.data.warnings

    def ranks(self, *, library: Library | None = None) -> "DataFrame":
        """One row for each rank.

        Columns: rank, node (the lowest rank on its host), ended, wall_s, application_s (outside MPI), mpi_s and its
        parts p2p_s, wait_s, coll_s, io_s, other_s; messages and bytes sent.
        """
        return data_frame(columns_of_records(self.data.ranks, RankRow), library=library)

    def operations(self, *, library: Library | None = None) -> "DataFrame":
        """One row for each MPI operation, the most expensive first.

        Columns: op, kind, calls, empty (tests and probes that found nothing), time_s (summed over ranks), max_s (the
        longest call), bytes, mean_bytes.
        """
        return data_frame(columns_of_records(self.data.operations, OperationRow), library=library)

    def sites(self, *, library: Library | None = None) -> "DataFrame":
        """One row for each call site and operation.

        Columns: site, function (null without debugging symbols), op, ranks, calls, time_s, max_s, bytes, mean_bytes.
        """
        return data_frame(columns_of_records(self.data.sites, SiteRow), library=library)

    def sizes(self, *, library: Library | None = None) -> "DataFrame":
        """One row for each class of operations and range of message sizes: kind, at_least, below, calls."""
        return data_frame(columns_of_records(self.data.sizes, SizeClass), library=library)

    def communicators(self, *, library: Library | None = None) -> "DataFrame":
        """One row for each size of communicators: size (ranks), communicators, calls, time_s."""
        return data_frame(columns_of_records(self.data.communicators, CommunicatorSize), library=library)

    def messages(self, *, library: Library | None = None) -> "DataFrame":
        """The communication matrix: one row for each pair of ranks, or of groups of ranks where there are many.

        Columns: source, destination, messages, bytes.
        """
        return data_frame(columns_of_records(self.data.matrix.pairs, Pair), library=library)

    def report(self, path: str | PathLike[str] | None = None, *, format: str = "html") -> str:  # noqa: A002  as --format
        """The report as text: `html` as a page with figures, or its tables as `text`, `md`, `csv`, `latex` or `json`.

        It is also written to `path` if given. Raises ValueError for an unknown format, and OSError if the file
        cannot be written.
        """
        from stressbench.report.renderers import formats
        from stressbench.report.traffic import document

        return report_text(formats(brief=document.brief, page=document.page), format, path, self.data)

    def figures(self, directory: str | PathLike[str], *, force: bool = False) -> tuple[Path, ...]:
        """Write the figures of the HTML page into a new directory, and return the paths of the files.

        Each figure is an SVG, a PNG and a PDF, with its data as CSV; figures.json lists them. With `force`, figures in
        an existing directory are replaced. Raises `stressbench.StressBenchError` for another directory, and OSError if
        a file cannot be written.
        """
        from stressbench.report.traffic import document

        return figure_files(document.page(self.data), directory, sources=self._sources, force=force)

    def _repr_html_(self) -> str:
        """The busiest operations, for notebooks."""
        from stressbench.report.units import count, size, time

        facts = self.data.facts
        return notebook_table(
            f"{facts.program or 'a program'}: {count(facts.ranks, 'rank')}, {time(facts.wall_s)}",
            columns(texts=("operation",), numbers=("calls", "time, all ranks", "longest", "bytes")),
            [
                (row.op, f"{row.calls:,}", time(row.time_s), time(row.max_s), size(row.bytes))
                for row in self.data.operations[:10]
            ],
            notes=self.warnings,
        )
