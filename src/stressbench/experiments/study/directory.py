"""The directory of a study: its study files, its manifest and its runs.

DIR/study-1.toml      a copy of the study file; study-2.toml where the study was extended later
DIR/study-1.json      the folder of the study file, and SHA-256 of its workloads and the files they include
DIR/manifest.jsonl    a journal of what was planned, started, finished, failed
DIR/runs/RUN.jsonl    one run file per run; RUN-a2.jsonl for a second attempt
DIR/environment.json  programs and settings
"""

import fcntl
import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

import orjson

from stressbench import __version__
from stressbench.experiments.study.claims import exclusive_set_up
from stressbench.experiments.study.environment import environment
from stressbench.experiments.study.includes import included_files
from stressbench.formats import toml
from stressbench.formats.errors import reason_of
from stressbench.formats.files import (
    limits,
    open_journal,
    protect_from_overwriting,
    read_text,
    sha256_of,
    write_atomically,
)
from stressbench.formats.files.studies import ENVIRONMENT, LOCK, MANIFEST, RUNS, SETUP_CLAIM, STUDY_FILE, WORKLOADS
from stressbench.formats.study.errors import StudyFault, StudyMistake
from stressbench.formats.study.file import Study, parse_study
from stressbench.formats.study.manifest import Manifest, PlannedRecord, Record, StudyRecord, append, read_manifest
from stressbench.formats.study.origin import Origin, origin_file, origin_json, read_origin
from stressbench.formats.toml import TomlMistake

MIN_FREE_BYTES = 1 << 20
"""Free bytes that run files need. With less, a run fails because the disk is full, and the next one would fail, too."""
_LOCK_ATTEMPTS, _LOCK_PAUSE_S = 5, 0.02
_INITIAL_FILES = (RUNS, ENVIRONMENT, LOCK, WORKLOADS, "study-1.json")
_WRITTEN_FIRST = (ENVIRONMENT, MANIFEST, "study-1.json", "study-1.toml")
_TEMPORARY_FILES = re.compile(
    r"\.(stressbench-([0-9a-f]{16}|.+-\d+-[0-9a-f]{8})|environment\.json|study-1\.json|study-1\.toml)\.new"
    rf"|{re.escape(SETUP_CLAIM)}"
)


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class Directory:
    """A study's directory and the study in it. Paths of the study are relative to `folder`.

    `is_checked`: this process has checked the workload of each cell.
    """

    path: Path
    study: Study
    folder: Path
    is_checked: bool = False

    @property
    def manifest(self) -> Path:
        """Path of the manifest."""
        return self.path / MANIFEST

    def read(self) -> Manifest:
        """Read the manifest."""
        return read_manifest(self.manifest)

    def write(self, *records: Record) -> None:
        """Append records to the manifest."""
        append(self.manifest, *records)

    def file_of(self, run: str, *, attempt: int) -> str:
        """The name of an attempt's run file, relative to the directory."""
        return f"{RUNS}/{run}.jsonl" if attempt == 1 else f"{RUNS}/{run}-a{attempt}.jsonl"

    def newest_file(self) -> tuple[str, str]:
        """Name and text of the newest study file, which is the one in effect."""
        name = f"study-{_newest(self.path)}.toml"
        return name, _text(self.path / name)

    def sources(self) -> tuple[Path, ...]:
        """Absolute paths of the newest study file's workloads and the files they include, also of missing ones."""
        return tuple(self.digests())

    def digests(self) -> Mapping[Path, str]:
        """SHA-256 of each of the `sources` at the time when the newest study file was added."""
        origin = read_origin(self.path, _newest(self.path))
        digest_by_name = {**origin.includes, **origin.workloads}
        return {
            Path(os.path.normpath(self.folder / name)): digest_by_name[name]
            for name in (*origin.workloads, *origin.includes)
        }

    def environment_text(self) -> str:
        """Programs and settings as JSON, empty where that file is missing."""
        path = self.path / ENVIRONMENT
        try:
            return read_text(path, limit=limits.JOURNAL, errors="replace")
        except OSError:
            return ""

    def require_free_space(self) -> None:
        """Raise StudyFault where there is no room for a run file of `MIN_FREE_BYTES`."""
        try:
            with TemporaryFile(dir=self.path) as file:
                os.posix_fallocate(file.fileno(), 0, MIN_FREE_BYTES)
        except OSError as fault:
            raise StudyFault(
                f"{self.path}: {reason_of(fault)}; the last run does not count as failed; `study resume` continues"
            ) from fault

    def plan(self) -> None:
        """Record planned runs that the manifest does not contain yet."""
        with exclusive_set_up(self.path):
            planned = {record.run for record in self.read().records if isinstance(record, PlannedRecord)}
            missing = [
                PlannedRecord(run=run.id, cell=run.cell.id, repetition=run.repetition, values=run.cell.values)
                for run in self.study.runs
                if run.id not in planned
            ]
            if missing:
                self.write(*missing)


def open_directory(path: Path) -> Directory:
    """The study in the directory at `path`. Raises StudyMistake."""
    if not path.is_dir():
        raise StudyMistake(f"{path} is not a directory; `stressbench study run FILE.toml -o {path}` makes it")
    number = _newest(path)
    if number == 0:
        raise StudyMistake(
            f"{path} holds no study (no study-1.toml); `stressbench study run FILE.toml -o DIR` makes one"
        )
    file = path / f"study-{number}.toml"
    folder = Path(os.path.normpath(path.absolute() / read_origin(path, number).folder))
    directory = Directory(path=path, study=parse_study(_text(file), source=str(file)), folder=folder)
    for source in directory.sources():
        protect_from_overwriting(source)
    return directory


def create_or_extend(
    path: Path, *, study: Study, text: str, folder: Path, check: Callable[[], None] | None = None
) -> Directory:
    """Create the directory at `path` for this study, or extend the study in it. Raises StudyMistake.

    `check` is called before the study is added, and raises StudyMistake where a workload is wrong. Whatever is raised,
    a study that was there before is not extended, and of a new directory nothing is left.
    """
    with removed_if_refused(path, RUNS):
        try:
            (path / RUNS).mkdir(parents=True, exist_ok=True)
            with exclusive_set_up(path), _emptied_if_refused(path):
                (path / RUNS).mkdir(exist_ok=True)  # another command may have removed it, as its study was refused
                return _created_or_extended(path, study=study, text=text, folder=folder, check=check)
        except OSError as fault:
            raise StudyMistake(f"{fault.filename or path}: {reason_of(fault)}") from fault


@contextmanager
def removed_if_refused(path: Path, name: str) -> Iterator[None]:
    """Context that removes the directory `name` of a study directory after an exception, and those above it.

    Those stay that existed before, or in which there is a study or another command begins one.
    """
    missing = [folder for folder in (path / name, path, *path.parents) if not os.path.lexists(folder)]
    try:
        yield
    except BaseException:
        if missing and path.is_dir():
            with suppress(OSError), exclusive_set_up(path):
                if not has_study(path):
                    shutil.rmtree(path / name, ignore_errors=True)
        with suppress(OSError):
            for folder in missing[1:]:
                folder.rmdir()
        raise


@contextmanager
def _emptied_if_refused(path: Path) -> Iterator[None]:
    """Context that removes what a study writes first, after an exception, if there was no study before."""
    before = None if has_study(path) else set(path.iterdir())
    try:
        yield
    except BaseException:
        for file in () if before is None else set(path.iterdir()) - before:
            if file.name in _WRITTEN_FIRST or _TEMPORARY_FILES.fullmatch(file.name):
                with suppress(OSError):
                    file.unlink()
        raise


def _created_or_extended(
    path: Path, *, study: Study, text: str, folder: Path, check: Callable[[], None] | None
) -> Directory:
    number = _newest(path)
    _refuse_other_files(path, number)
    if os.path.lexists(path / MANIFEST):
        os.close(open_journal(path / MANIFEST))  # before anything is written
    if number and text == _text(path / f"study-{number}.toml"):
        return Directory(path=path, study=study, folder=folder)
    if number:
        _require_extension(open_directory(path).study, study, path=path)
    if check is not None:
        check()
    added = _add_study_file(path, number + 1, study=study, text=text, folder=folder)
    return replace(added, is_checked=check is not None)


def _add_study_file(path: Path, number: int, *, study: Study, text: str, folder: Path) -> Directory:
    name = f"study-{number}.toml"
    origin = Origin(
        folder=os.path.relpath(folder, path.absolute()),
        workloads={workload: sha256_of(folder / workload) for workload in _workloads(study)},
        includes={
            os.path.relpath(file, folder): sha256_of(file)
            for workload in _workloads(study)
            for file in included_files(
                folder / workload, [dict(cell.sets) for cell in study.cells if cell.workload == workload]
            )
        },
    )
    if number > 1:
        require_same_workloads(open_directory(path), newest=number - 1)
    write_atomically(path / ENVIRONMENT, orjson.dumps(environment(), option=orjson.OPT_INDENT_2))
    write_atomically(origin_file(path, number), origin_json(origin))
    write_atomically(path / name, text.encode())
    directory = Directory(path=path, study=study, folder=folder)
    directory.write(
        StudyRecord(at=now(), file=name, sha256=hashlib.sha256(text.encode()).hexdigest(), version=__version__)
    )
    return directory


def require_same_workloads(directory: Directory, *, newest: int | None = None) -> None:
    """Raise StudyMistake where a workload or an included file is missing, or has changed since the study began."""
    number = newest or _newest(directory.path)
    origin = read_origin(directory.path, number)
    for name, digest in {**origin.workloads, **origin.includes}.items():
        path = directory.folder / name
        if not path.is_file():
            what = "workload" if name in origin.workloads else "workload's [INCLUDE]"
            raise StudyMistake(f"{path}: the study's {what} is missing; restore it there")
        if sha256_of(path) != digest:
            raise StudyMistake(
                f"{path} has changed since this study began, so its runs could not be compared: "
                "restore it, or begin a study in another directory"
            )


@contextmanager
def locked(path: Path, *, command: str = "study", subject: str = "study", shared: bool = False) -> Iterator[None]:
    """Lock the directory for this process. The kernel unlocks it however the process ends. Raises StudyMistake.

    `command` and `subject` say in its message what else runs there. `shared`: with others that share it.
    """
    try:
        descriptor = open_journal(path / LOCK)
    except OSError as fault:
        raise StudyMistake(f"{path / LOCK}: {reason_of(fault)}") from fault
    with os.fdopen(descriptor, "ab") as file:
        if not _takes_lock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX):
            unshared = " without --share" if shared else ""
            raise StudyMistake(
                f"{path}: another `stressbench {command}` is running this {subject}{unshared}; wait for it, or end it"
            )
        yield


def _takes_lock(file: BinaryIO, how: int) -> bool:
    for _ in range(_LOCK_ATTEMPTS):  # `is_locked` holds a shared lock for an instant
        try:
            fcntl.flock(file, how | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_LOCK_PAUSE_S)
        except OSError:
            return False
        else:
            return True
    return False


def _text(file: Path) -> str:
    """The text of a study file. Raises StudyMistake."""
    try:
        return toml.read_text(file)
    except TomlMistake as fault:
        raise StudyMistake(str(fault)) from fault


def _newest(path: Path) -> int:
    matches = (STUDY_FILE.fullmatch(entry.name) for entry in path.iterdir())
    return max((int(match[1]) for match in matches if match), default=0)


def has_study(path: Path) -> bool:
    """Whether the directory has a study file."""
    return path.is_dir() and _newest(path) > 0


def other_files(path: Path) -> list[str]:
    """Names in the directory that no study has before its study file is written."""
    names = sorted(entry.name for entry in path.iterdir())
    return [name for name in names if name not in _INITIAL_FILES and not _TEMPORARY_FILES.fullmatch(name)]


def _refuse_other_files(path: Path, number: int) -> None:
    others = other_files(path)
    if number == 0 and others:
        raise StudyMistake(f"{path} holds no study, but {others[0]}: choose a directory that is new or empty")


def _workloads(study: Study) -> tuple[str, ...]:
    return tuple(dict.fromkeys(cell.workload for cell in study.cells))


def _require_extension(before: Study, after: Study, *, path: Path) -> None:
    """Raise StudyMistake unless `after` keeps all settings and all planned runs of `before`."""
    remedy = "begin a study in another directory"
    if after.seed != before.seed:
        raise StudyMistake(f"{path}: seed was {before.seed} and is now {after.seed}; keep it, or {remedy}")
    for name in type(before.run).model_fields:
        old, new = getattr(before.run, name), getattr(after.run, name)
        if old != new:
            raise StudyMistake(f"{path}: run.{name} was {old} and is now {new}; keep it, or {remedy}")
    for name in ("nics", "transport"):
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            raise StudyMistake(f"{path}: {name} was {old} and is now {new}; keep it, or {remedy}")
    if after.repetitions < before.repetitions:
        raise StudyMistake(
            f"{path}: {before.repetitions} repetitions were planned and there are now {after.repetitions}; "
            f"keep them, or {remedy}"
        )
    new_ids = {cell.id for cell in after.cells}
    missing = [cell for cell in before.cells if cell.id not in new_ids]
    if missing:
        values = ", ".join(f"{name} = {value}" for name, value in missing[0].values.items())
        raise StudyMistake(
            f"{path}: {len(missing)} of its {len(before.cells)} cells are not in the new file, such as {values}; "
            f"a study may only grow: keep them, or {remedy}"
        )
