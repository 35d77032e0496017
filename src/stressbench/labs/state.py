"""Recorded state of labs that are up: a directory per lab with `state.json` and a lock held by the lab's processes.

The lock is held by the `up` that starts a lab and by the lab supervisor, and released by the kernel when they end: it
decides whether a lab is up. `state.json` is replaced atomically before and after each step.

Commands act on this state, so other users must not be able to write it: every directory and file belongs to this user,
and nothing in `state.json` is used as an environment variable or program name.
"""

import fcntl
import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import Annotated, BinaryIO

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from stressbench.formats.errors import reason_of
from stressbench.formats.files import NotPrivate, PrivateDirectory, limits
from stressbench.formats.lab.errors import LabMistake
from stressbench.labs.errors import LabFault
from stressbench.labs.process import Process
from stressbench.labs.variables import STATE, environment

FOLDER_VARIABLE = "STRESSBENCH_LABS"
_RUNTIME_VARIABLE = "XDG_RUNTIME_DIR"
_LOCK, LOG = "lock", "keeper.log"
_FILES = (_LOCK, LOG, STATE, f"{STATE}.new")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,40}")
_POLL_INTERVAL_S = 0.01
_LARGEST_LOG = limits.MIB


class Phase(Enum):
    """Progress of starting a lab."""

    starting = "starting"
    building = "building"
    up = "up"


@dataclass(frozen=True, kw_only=True)
class State:
    """The recorded state of a lab.

    `source` and `text` are the path and text of the lab file, `builder` is the `up` that starts the lab, `supervisor`
    its root process (key `keeper` in the file), `nodes` the processes that hold the nodes' namespaces. `rails` and
    `scratch` determine the environment of processes in the lab; `cores` are those of each host.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: Annotated[str, Field(pattern=f"^{_NAME.pattern}$")]
    source: str
    text: Annotated[str, Field(max_length=limits.TOML)]
    phase: Phase
    since: Annotated[str, Field(max_length=40)]
    user_namespace: bool
    builder: Process
    supervisor: Annotated[Process | None, Field(alias="keeper")] = None
    nodes: Mapping[str, Process] | None = None
    rails: Annotated[int, Field(ge=1, le=64)] = 1
    scratch: Annotated[str | None, Field(pattern=r"^(/run/lab/[A-Za-z0-9._-]+)?$")] = None
    cores: Mapping[str, tuple[Annotated[int, Field(ge=0)], ...]] = field(default_factory=dict)

    def at(self, phase: Phase) -> "State":
        """The state in another phase."""
        return replace(self, phase=phase)

    @property
    def environment(self) -> Mapping[str, str]:
        """Environment variables of processes in the lab."""
        return dict(environment(self.name, rails=self.rails, scratch=self.scratch))


_ADAPTER = TypeAdapter(State)


def base_directory(environment_variables: Mapping[str, str] | None = None) -> PrivateDirectory:
    """Directory of this user's lab states: $STRESSBENCH_LABS, else one that does not survive a reboot."""
    variables = os.environ if environment_variables is None else environment_variables
    if configured := variables.get(FOLDER_VARIABLE):
        path = Path(configured).absolute()
        return PrivateDirectory(anchor=path.parent, parts=(path.name,))
    if os.geteuid() == 0:
        return PrivateDirectory(anchor=Path("/run"), parts=("stressbench", "labs"))
    runtime = variables.get(_RUNTIME_VARIABLE)
    if runtime and Path(runtime).is_dir():
        path = Path(runtime).resolve()
        return PrivateDirectory(anchor=path.parent, parts=(path.name, "stressbench", "labs"))
    return PrivateDirectory(anchor=Path("/tmp"), parts=(f"stressbench-{os.geteuid()}", "labs"))


@contextmanager
def _with_remedy() -> Iterator[None]:
    """Turn NotPrivate into a LabMistake that names the remedy."""
    try:
        yield
    except NotPrivate as fault:
        remedy = f"another user may have created it: remove it, or set {FOLDER_VARIABLE} to a folder of your own"
        raise LabMistake(f"{fault}; {remedy}") from fault


class LabDirectory:
    """The directory of one lab, whether it is up or not. Raises LabMistake for an invalid lab name."""

    def __init__(self, name: str, *, under: PrivateDirectory | None = None) -> None:
        if _NAME.fullmatch(name) is None:
            raise LabMistake(f"{name!r} is not a valid lab name; expected letters, digits, -, _ and .")
        self.name = name
        self._base = under or base_directory()
        self._own = self._base.below(name)
        self._lock: int | None = None

    @property
    def path(self) -> Path:
        """Path of the directory."""
        return self._own.path

    def new_log(self) -> BinaryIO:
        """Create an empty log file for the output of the supervisor."""
        with _with_remedy():
            return self._own.create(LOG)

    def last_log_line(self) -> str | None:
        """The last line of the supervisor's log; None if it is empty."""
        with _with_remedy():
            lines = self._own.read(LOG, limit=_LARGEST_LOG).decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else None

    @property
    def exists(self) -> bool:
        """Whether the directory exists."""
        with _with_remedy():
            return self._own.exists()

    @property
    def descriptor(self) -> int:
        """File descriptor of the held lock, to be inherited by the supervisor."""
        assert self._lock is not None
        return self._lock

    def lock(self, *, within_s: float = 0.0) -> bool:
        """Take the lock, waiting at most `within_s`; returns whether it was taken. Creates the directory if needed."""
        deadline = time.monotonic() + within_s
        while True:
            if self._try_lock():
                return True
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_INTERVAL_S)

    def _try_lock(self) -> bool:
        try:
            with _with_remedy(), self._own.opened(create=True):
                self._require_lab_directory()
                descriptor = self._own.open_file(_LOCK, os.O_RDWR | os.O_CREAT)
        except FileNotFoundError:  # a concurrent `down` removed the directory
            return False
        except OSError as fault:
            raise LabFault(f"{self.path}: {fault.strerror}") from fault
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            lock_status = (self.path / _LOCK).lstat()
            if (lock_status.st_dev, lock_status.st_ino) == (os.fstat(descriptor).st_dev, os.fstat(descriptor).st_ino):
                self._lock = descriptor
                return True
        except (BlockingIOError, FileNotFoundError):
            pass
        os.close(descriptor)
        return False

    def _require_lab_directory(self) -> None:
        """Raise LabMistake if the directory holds files that are not those of a lab."""
        if others := self._own.others(_FILES):
            raise LabMistake(
                f"{self.path} is not a lab directory: it holds {others[0]!r} and is left unchanged; remove it "
                f"yourself, or set {FOLDER_VARIABLE} to a folder for labs only"
            )

    @property
    def is_lab_directory(self) -> bool:
        """Whether the directory holds only files of labs; it may be empty if `up` was killed."""
        try:
            with _with_remedy():
                return not self._own.others(_FILES)
        except OSError:
            return False

    def unlock(self) -> None:
        """Release this process's hold on the lock. A supervisor that inherited the lock keeps it."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def is_held(self) -> bool:
        """Whether any process holds the lock."""
        try:
            with _with_remedy():
                descriptor = self._own.open_file(_LOCK, os.O_RDWR)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(descriptor)
        return False

    def write(self, state: State) -> None:
        """Replace the recorded state."""
        with _with_remedy():
            self._own.replace(STATE, _ADAPTER.dump_json(state, indent=1, by_alias=True))

    def read(self) -> State | None:
        """The recorded state; None if there is none. Raises LabFault if it cannot be read."""
        try:
            state = _ADAPTER.validate_json(self._text())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError) as fault:
            raise self._unreadable() from fault
        if state.name != self.name:
            raise self._unreadable()
        return state

    def _unreadable(self) -> LabFault:
        clears = f"`stressbench lab down {self.name}` clears it"
        return LabFault(f"{self.path / STATE} is not a state file of this version; {clears}")

    def _text(self) -> bytes:
        with _with_remedy():
            return self._own.read(STATE, limit=limits.STATE)

    def kill(self) -> None:
        """Kill the recorded supervisor and `up`, if they hold the lock."""
        try:
            with _with_remedy():
                descriptor = self._own.open_file(_LOCK, os.O_RDWR)
        except FileNotFoundError:
            return
        try:
            for process in self.processes():
                if process.pid != os.getpid():
                    process.kill(holding=os.fstat(descriptor))
        finally:
            os.close(descriptor)

    def processes(self) -> tuple[Process, ...]:
        """The recorded supervisor and `up` process. Also reads state files of other versions."""
        try:
            state = json.loads(self._text())
            records = [state.get("keeper"), state.get("builder")]
            return tuple(
                Process(pid=int(record["pid"]), started=int(record["started"])) for record in records if record
            )
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
            return ()

    def clear(self) -> None:
        """Remove the directory and empty ones above it. The caller must hold the lock. Raises LabFault."""
        try:
            with _with_remedy():
                self._base.remove(self.name, files=_FILES)
        except OSError as fault:
            raise LabFault(f"{self.path}: cannot be removed ({reason_of(fault)})") from fault
        self.clear_above()

    def clear_above(self) -> None:
        """Remove empty parent directories that belong to StressBench. A killed `up` may have created nothing else."""
        for parent in (self.path.parent, self.path.parent.parent):
            if parent.name in ("labs", "stressbench", f"stressbench-{os.geteuid()}"):
                with suppress(OSError):
                    parent.rmdir()


def lab_directories() -> tuple[LabDirectory, ...]:
    """Directories of all labs of this user, in the order of names."""
    base = base_directory()
    with _with_remedy():
        names = base.names()
    found = (LabDirectory(name, under=base) for name in names if _NAME.fullmatch(name))
    return tuple(directory for directory in found if directory.is_lab_directory)
