"""`--figures DIR`: the figures of a page as files, in addition to the output of a command."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from stressbench.console import emit
from stressbench.errors import UserError
from stressbench.experiments.page_figures import write_page_figures
from stressbench.report.document import Document


@dataclass(frozen=True, kw_only=True)
class FigureFiles:
    """The directory of the figures of a page."""

    figures: Annotated[
        Path | None,
        typer.Option(
            "--figures",
            metavar="DIR",
            help="Also write each figure as SVG, PNG and PDF, with its data as CSV, into this new directory.",
            show_default=False,
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Replace figures in the directory of --figures.")] = False

    def check(self) -> None:
        """Raise UserError if the directory cannot be used."""
        if self.force and self.figures is None:
            raise UserError("--force: expected --figures DIR, in which it replaces figures")
        if self.figures is not None:
            from stressbench.report.figure_files import check_figure_folder

            check_figure_folder(self.figures, replace=self.force)

    def write(
        self, page: Callable[[], Document], *, sources: Iterable[Path], source_of: Mapping[str, Path] | None = None
    ) -> None:  # fmt: skip
        """Write the figures of the page if there is a directory, and print their number. Raises UserError.

        `sources` are the files that the page is made from, `source_of` that of each section that is made from one.
        """
        if self.figures is None:
            return
        write_page_figures(
            page(), self.figures, sources=sources, source_of=source_of, replace=self.force, progress=emit
        )
