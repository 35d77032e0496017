"""A site's own command that sets the injection bandwidth, and launches; both record their calls."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from support.studies import made_run

SCRIPT = """\
#!/bin/sh
echo "$@" >> calls
[ "$2" != "$(cat refused 2>/dev/null)" ] || exit 7
"""


@dataclass
class Site:
    """A folder with a command and launches that record their calls."""

    folder: Path
    at: dict[int, Callable[[], Any]] = field(default_factory=dict)
    launched: int = 0

    @property
    def calls(self) -> list[str]:
        file = self.folder / "calls"
        return file.read_text().splitlines() if file.exists() else []

    def refuse(self, rate: str) -> None:
        (self.folder / "refused").write_text(rate)

    def run(self, prepared: object, *, run_file: Path) -> Any:
        with (self.folder / "calls").open("a") as file:
            file.write("run\n")
        self.launched += 1
        status = self.at.get(self.launched, lambda: 0)()
        run_file.write_text(made_run())
        return SimpleNamespace(
            status=status, death=None, replacement_file=None, run=None, cancellation=None,
            outcome=SimpleNamespace(
                stop_requests=0, hung_in_finalize=False, was_asked_to_stop=False, status=status, errors=""
            ),
        )  # fmt: skip
