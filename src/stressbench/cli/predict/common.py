"""What the subcommands share: which profiles are meant, which models, how it ends."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from stressbench.cli.following import stop
from stressbench.interference.models import BEST, Model
from stressbench.interference.profile import NAME_PATTERN, Profile, read_profile
from stressbench.interference.store import Store
from stressbench.report.names import printable

CANNOT_TELL = 1
WHICH_PROFILES = """\
Profiles are files, or folders with MACHINE/APPLICATION.json; with --store DIR they are applications' names (none: all).
Twice the same one is two copies. All must be of one machine; --machine says which, where a folder has several.
"""

Words: TypeAlias = Annotated[
    list[str] | None, typer.Argument(metavar="PROFILE...", help="Files, folders, or names.", show_default=False)
]
StoreFolder: TypeAlias = Annotated[
    Path | None, typer.Option("--store", metavar="DIR", help="PROFILE... are names in DIR/MACHINE.", show_default=False)
]
Machine: TypeAlias = Annotated[
    str | None, typer.Option(metavar="NAME", help="Profiles of this machine.", show_default=False)
]
OneModel: TypeAlias = Annotated[
    str | None,
    typer.Option("--model", metavar="MODEL", help=f"{', '.join(Model)}; default: {BEST}.", show_default=False),
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="For programs; unknown is null.")]


def profiles_of(words: Sequence[str], *, store: Path | None, machine: str | None) -> tuple[Profile, ...]:
    """All of one machine, in the order typed. Stops with status 2 where they are not; raises ProfileFileError."""
    if store is not None:
        found = _named(words, Store(folder=store), machine=_machine_of(store, machine))
    else:
        found = [one for word in words for one in _in_place(Path(word), machine)]
    if not found:
        raise stop("no profiles: name files, folders of profiles, or --store DIR")
    first, whose = found[0]
    for path, profile in found:
        if machine not in (None, profile.machine):
            raise stop(f"{path}: machine '{profile.machine}': --machine asks for '{printable(machine or '')}'")
        if profile.machine != whose.machine:
            raise stop(
                f"{path}: machine '{profile.machine}': expected '{whose.machine}', as in {first}; "
                "what one machine does says nothing of another"
            )
    return tuple(profile for _, profile in found)


def model_of(typed: str | None) -> Model:
    """The one named, in whatever case; the best where none is."""
    if typed is None:
        return BEST
    for model in Model:
        if model.lower() == typed.lower():
            return model
    raise stop(f"--model {printable(typed)}: expected one of {', '.join(Model)}")


def _in_place(path: Path, machine: str | None) -> list[tuple[Path, Profile]]:
    if path.is_dir():
        return _named((), Store(folder=path), machine=_machine_of(path, machine))
    if not path.exists():
        raise stop(f"{printable(str(path))}: no such file or folder; names of applications need --store DIR")
    return [(path, read_profile(path))]


def _machine_of(folder: Path, machine: str | None) -> str:
    """The one that was typed, or the only one of the folder."""
    if not folder.is_dir():
        raise stop(f"--store: {folder} is not a directory" if folder.exists() else f"--store: {folder} does not exist")
    there = Store(folder=folder).machines()
    if not there:
        raise stop(f"{folder} has no profiles: expected MACHINE/APPLICATION.json in it")
    if machine is None and len(there) > 1:
        raise stop(f"{folder} has profiles of several machines: --machine {' or '.join(there)}")
    if machine not in (None, *there):
        raise stop(f"--machine {printable(machine or '')}: {folder} has profiles of {', '.join(there)}")
    return machine or there[0]


def _named(words: Sequence[str], store: Store, *, machine: str) -> list[tuple[Path, Profile]]:
    """Those named, or all of the machine."""
    if not words:
        everybody = store.profiles(machine=machine)
        return [(store.path_of(application=one.application, machine=machine), one) for one in everybody]
    found = []
    for word in words:
        path = store.path_of(application=word, machine=machine)
        if not re.fullmatch(NAME_PATTERN, word) or not path.exists():
            there = sorted(one.stem for one in (store.folder / machine).glob("*.json") if not one.name.startswith("."))
            raise stop(f"{printable(word)}: no such application in {store.folder / machine}: {', '.join(there)}")
        found.append((path, store.load(application=word, machine=machine)))
    return found
