"""A check of `stressbench doctor`: its name, what it examines, and the function that judges it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from stressbench.formats.files import limits, read_text
from stressbench.launch.command import Launcher
from stressbench.launch.flavour import Recognised
from stressbench.launch.launch_target import LOCAL, LaunchTarget
from stressbench.launch.launched_ranks import ObservedLaunch
from stressbench.results.doctor import Finding, Level


@dataclass(frozen=True, kw_only=True)
class EngineFacts:
    """The engine and its launcher. `version` and `library` as the engine prints them; None: it did not start.

    `fault` and `launcher_fault`: why the engine or the launcher cannot be used.
    """

    path: Path | None = None
    version: str | None = None
    library: Recognised | None = None
    fault: str | None = None
    launcher: Launcher | None = None
    launcher_fault: str | None = None


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What checks examine. `ranks` are to be started on the target `on`; `extra`: options for the launcher.

    `directories`: where files will be written. `workload`: the file to check, or None. `root`: the directory that
    contains proc and sys. `launch`: the launch, None where it was not started for the reason `launch_fault`.
    """

    on: str = "local"
    target: LaunchTarget = LOCAL
    ranks: int = 2
    environment: Mapping[str, str] = field(default_factory=dict)
    engine: EngineFacts = field(default_factory=EngineFacts)
    extra: tuple[str, ...] = ()
    directories: tuple[Path, ...] = ()
    workload: Path | None = None
    root: Path = Path("/")
    limit_s: float = 60.0
    launch: ObservedLaunch | None = None
    launch_fault: str | None = None

    def text(self, path: str) -> str | None:
        """The text of a file below `root`, without white space around it; None where it cannot be read."""
        try:
            return read_text(self.root / path, limit=limits.STATE, errors="replace").strip()
        except OSError:
            return None


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a check found. `consequence`: what will go wrong, `remedy`: what to type."""

    level: Level
    found: str
    consequence: str | None = None
    remedy: str | None = None


def ok(found: str) -> Verdict:
    """Nothing to do."""
    return Verdict(level=Level.ok, found=found)


def note(found: str, *, consequence: str, remedy: str | None = None) -> Verdict:
    """Something to know."""
    return Verdict(level=Level.note, found=found, consequence=consequence, remedy=remedy)


def warning(found: str, *, consequence: str, remedy: str) -> Verdict:
    """Results may be wrong or slow."""
    return Verdict(level=Level.warning, found=found, consequence=consequence, remedy=remedy)


def error(found: str, *, consequence: str, remedy: str) -> Verdict:
    """Runs fail, or measure something else."""
    return Verdict(level=Level.error, found=found, consequence=consequence, remedy=remedy)


Judge: TypeAlias = Callable[[Setting], Iterator[Verdict]]


@dataclass(frozen=True, kw_only=True)
class Check:
    """A check by its name. `about`: what it examines, as in the documentation."""

    name: str
    about: str
    judge: Judge

    def findings(self, setting: Setting) -> Iterator[Finding]:
        """Its findings in this setting, none where there is nothing to examine."""
        for one in self.judge(setting):
            yield Finding(
                check=self.name, level=one.level, found=one.found, consequence=one.consequence, remedy=one.remedy
            )


def check(name: str, about: str) -> Callable[[Judge], Check]:
    """The decorator that makes a check of the function that judges it."""
    return lambda judge: Check(name=name, about=about, judge=judge)
