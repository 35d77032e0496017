"""Options of `predict` and `sensitivity` that select profiles."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from stressbench.experiments.interference.profile_selection import select_profiles
from stressbench.formats.profiles.profile import Profile
from stressbench.interference.models import DEFAULT_MODEL, Model

WHICH_PROFILES = """\
PROFILE is a file, or a directory with MACHINE/APPLICATION.json; with --store DIR it is the name of an application
(none: all). A profile that is given twice means two copies of the application. All profiles must be of one machine;
--machine selects it if a directory has several.
"""

Profiles: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(metavar="PROFILE...", help="Files, directories, or names of applications.", show_default=False),
]
ModelName: TypeAlias = Annotated[
    str | None,
    typer.Option("--model", metavar="MODEL", help=f"{', '.join(Model)}; default: {DEFAULT_MODEL}.", show_default=False),
]


@dataclass(frozen=True, kw_only=True)
class SelectionOptions:
    """The store and the machine from which profiles are selected."""

    store: Annotated[
        Path | None,
        typer.Option(
            "--store",
            metavar="DIR",
            help="Directory of profiles; PROFILE... are names in DIR/MACHINE.",
            show_default=False,
        ),
    ] = None
    machine: Annotated[
        str | None, typer.Option(metavar="NAME", help="Select profiles of this machine.", show_default=False)
    ] = None

    def profiles(self, words: Sequence[str] | None) -> tuple[Profile, ...]:
        """The selected profiles, all of one machine. Raises ProfileSelectionError and ProfileFileError."""
        return select_profiles(words or (), store=self.store, machine=self.machine)
