"""Profiles on disk: FOLDER/MACHINE/APPLICATION.json."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stressbench.formats.errors import ProfileFileError, reason_of
from stressbench.formats.files import write_atomically
from stressbench.formats.profiles.profile import Profile, read_profile, to_json

_SUFFIX = ".json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """A folder of profiles, one per application and machine. Reading and writing raise ProfileFileError."""

    folder: Path

    def path_of(self, *, application: str, machine: str) -> Path:
        """Path of the profile, whether or not it exists."""
        return self.folder / machine / f"{application}{_SUFFIX}"

    def save(self, profile: Profile) -> Path:
        """Write the profile atomically, replacing an older one, and return its path."""
        path = self.path_of(application=profile.application, machine=profile.machine)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, to_json(profile).encode())
        except OSError as fault:
            raise ProfileFileError(reason_of(fault), path=path) from fault
        return path

    def load(self, *, application: str, machine: str) -> Profile:
        """Read a profile; the application and machine in the file must be those of its path."""
        return self._read(self.path_of(application=application, machine=machine))

    def machines(self) -> tuple[str, ...]:
        """Sorted names of the machines that have profiles."""
        return tuple(dict.fromkeys(path.parent.name for path in self._paths()))

    def profiles(self, *, machine: str | None = None) -> Iterator[Profile]:
        """All profiles, or those of one machine, in order of machine and application."""
        for path in self._paths():
            if machine in (None, path.parent.name):
                yield self._read(path)

    def _paths(self) -> list[Path]:
        return sorted(path for path in self.folder.glob(f"*/*{_SUFFIX}") if not path.name.startswith("."))

    def _read(self, path: Path) -> Profile:
        profile = read_profile(path)
        expected = self.path_of(application=profile.application, machine=profile.machine)
        if expected != path:
            raise ProfileFileError(
                f"application '{profile.application}' on machine '{profile.machine}': expected in {expected}", path=path
            )
        return profile
