"""Options of commands that serve the progress of a study or a run as a page."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from stressbench.errors import UserError


def port_option(*names: str) -> Any:
    """The option for the port of the page."""
    return typer.Option(
        *names, metavar="PORT", min=0, max=65535, help="Port of the page on 127.0.0.1; 0: any free one."
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class WatchOptions:
    """Whether a run is watched, and on which port."""

    watch: Annotated[
        bool, typer.Option("--watch", help="Serve a page with the progress of the run on this machine while it runs.")
    ] = False
    watch_port: Annotated[int | None, port_option("--watch-port")] = None

    def check(self, *, emit: bool) -> None:
        """Raise UserError for a page of a run that is not started here, and for a port without a page."""
        if self.watch and emit:
            raise UserError("--watch: expected only without --emit: the script starts the run, `study watch` shows it")
        if self.watch_port is not None and not self.watch:
            raise UserError(f"--watch-port {self.watch_port}: expected only with --watch, which serves a page")
