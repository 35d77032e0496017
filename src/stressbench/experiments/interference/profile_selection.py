"""Selection of the profiles for a prediction: files, folders of profiles, or applications of a store."""

import re
from collections.abc import Sequence
from pathlib import Path

from stressbench.errors import UserError
from stressbench.formats.profiles.profile import NAME_PATTERN, Profile, read_profile
from stressbench.formats.profiles.store import Store
from stressbench.report.names import printable


class ProfileSelectionError(UserError):
    """The selection is empty, ambiguous or mixes machines. The message says what is expected."""


def select_profiles(
    words: Sequence[str], *, store: Path | None = None, machine: str | None = None
) -> tuple[Profile, ...]:  # fmt: skip
    """At least one profile, all of one machine, in the order of `words`.

    Words are files and folders with MACHINE/APPLICATION.json. With a `store` they are names of its applications, and no
    words select all of them. `machine` selects one where a folder has several. Raises ProfileSelectionError, and
    ProfileFileError where a file is not a profile.
    """
    if store is not None:
        selected = _named(words, Store(folder=store), machine=_machine_of(store, machine))
    else:
        selected = [one for word in words for one in _at_path(Path(word), machine)]
    if not selected:
        raise ProfileSelectionError("no profiles: name files, folders of profiles, or --store DIR")
    first, expected = selected[0]
    for path, profile in selected:
        if machine not in (None, profile.machine):
            raise ProfileSelectionError(
                f"{path}: machine '{profile.machine}': --machine asks for '{printable(machine or '')}'"
            )
        if profile.machine != expected.machine:
            raise ProfileSelectionError(
                f"{path}: machine '{profile.machine}': expected '{expected.machine}', as in {first}; profiles of "
                "different machines cannot be combined"
            )
    return tuple(profile for _, profile in selected)


def _at_path(path: Path, machine: str | None) -> list[tuple[Path, Profile]]:
    if path.is_dir():
        return _named((), Store(folder=path), machine=_machine_of(path, machine))
    if not path.exists():
        raise ProfileSelectionError(
            f"{printable(str(path))}: no such file or folder; names of applications need --store DIR"
        )
    return [(path, read_profile(path))]


def _machine_of(folder: Path, machine: str | None) -> str:
    """The machine that was requested, or the only one of the folder."""
    if not folder.is_dir():
        what = "is not a directory" if folder.exists() else "does not exist"
        raise ProfileSelectionError(f"--store: {folder} {what}")
    machines = Store(folder=folder).machines()
    if not machines:
        raise ProfileSelectionError(f"{folder} has no profiles: expected MACHINE/APPLICATION.json in it")
    if machine is None and len(machines) > 1:
        raise ProfileSelectionError(f"{folder} has profiles of several machines: --machine {' or '.join(machines)}")
    if machine not in (None, *machines):
        raise ProfileSelectionError(
            f"--machine {printable(machine or '')}: {folder} has profiles of {', '.join(machines)}"
        )
    return machine or machines[0]


def _named(words: Sequence[str], store: Store, *, machine: str) -> list[tuple[Path, Profile]]:
    """The profiles of the applications `words`, or without words of all applications of the machine."""
    if not words:
        profiles = store.profiles(machine=machine)
        return [(store.path_of(application=one.application, machine=machine), one) for one in profiles]
    profiles_by_path = []
    for word in words:
        path = store.path_of(application=word, machine=machine)
        if not re.fullmatch(NAME_PATTERN, word) or not path.exists():
            names = sorted(one.stem for one in (store.folder / machine).glob("*.json") if not one.name.startswith("."))
            raise ProfileSelectionError(
                f"{printable(word)}: no such application in {store.folder / machine}: {', '.join(names)}"
            )
        profiles_by_path.append((path, store.load(application=word, machine=machine)))
    return profiles_by_path
