"""A workload beside its application, as a data frame, as a report, and as a table in a notebook."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from stressbench.api.frames import Library, columns_of_records, data_frame
from stressbench.api.presentation import figure_files, notebook_table, report_text, titled_formats
from stressbench.report.document import columns
from stressbench.results.validation import LaunchPair, Validation, Verdict, launch_pairs

if TYPE_CHECKING:
    from stressbench.api.frames import DataFrame


class ValidationResults:
    """The calls and times of a workload and of the application that it models.

    `data` holds everything as values (schema/validate.schema.json): the verdict, the ratio of times with its interval,
    the first difference of each rank, and the operations of an iteration. Times are in seconds.
    """

    def __init__(self, data: Validation) -> None:
        self.data = data

    def __repr__(self) -> str:
        return f"<ValidationResults of {self.data.workload[0]} beside {self.data.program[0]}: {self.data.verdict}>"

    @property
    def same_calls(self) -> bool:
        """Whether each rank of the program makes the calls of the workload."""
        return self.data.verdict is not Verdict.different_calls

    def launches(self, *, library: Library | None = None) -> "DataFrame":
        """One row for each pair of launches, in their order.

        Columns: program_s, workload_s (an iteration, mean over ranks and iterations), program_slowest_s,
        workload_slowest_s (on the slowest rank; unknown for workloads), program_mpi_s, workload_mpi_s (the part in
        MPI), ratio.
        """
        return data_frame(columns_of_records(launch_pairs(self.data), LaunchPair), library=library)

    def report(self, path: str | PathLike[str] | None = None, *, format: str = "html") -> str:  # noqa: A002  as --format
        """The report as text: `html` as a page with a figure, or its tables as `text`, `md`, `csv`, `latex` or `json`.

        It is also written to `path` if given. Raises ValueError for an unknown format, and OSError if the file
        cannot be written.
        """
        from stressbench.report.validation.document import brief, page

        title = f"{self.data.workload[0]} beside {self.data.program[0]}"
        known = titled_formats(brief=lambda: brief(self.data), page=lambda: page(self.data), title=title)
        return report_text(known, format, path)

    def figures(self, directory: str | PathLike[str], *, force: bool = False) -> tuple[Path, ...]:
        """Write the figures of the HTML page into a new directory, and return the paths of the files.

        Each figure is an SVG, a PNG and a PDF, with its data as CSV; figures.json lists them. With `force`, figures in
        an existing directory are replaced. Raises `stressbench.StressBenchError` for another directory, and OSError if
        a file cannot be written.
        """
        from stressbench.report.validation.document import page

        return figure_files(page(self.data), directory, sources=(), force=force)

    def _repr_html_(self) -> str:
        """The times of both sides, for notebooks."""
        from stressbench.report.units import ratio_text, time

        ratio = self.data.ratio
        notes = [] if ratio is None else [f"ratio {ratio_text(ratio.value, ratio.low, ratio.high)}"]
        return notebook_table(
            f"{self.data.workload[0]} beside {self.data.program[0]}: {self.data.verdict}",
            columns(texts=("launch",), numbers=("program", "workload", "ratio")),
            [
                (str(number), time(one.program_s), time(one.workload_s), f"{one.ratio:.3f}")
                for number, one in enumerate(launch_pairs(self.data), start=1)
            ],
            notes=notes,
        )
