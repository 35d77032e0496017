"""What is written down about labs that are up: a folder each, with a lock that its processes hold while they live.

The lock tells the truth when nothing else does: it is held by the `up` that makes a lab and by the lab's keeper, and
the kernel takes it from them when they end. `state.json` is replaced as a whole before and after each step.

Commands act on what stands there, so nobody else may have written it: every directory and file is this user's own, and
nothing in `state.json` becomes a variable of an environment or a program's name.
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
from stressbench.lab.errors import LabFault, LabMistake
from stressbench.lab.process import Process
from stressbench.lab.variables import STATE, environment

FOLDER_VARIABLE = "STRESSBENCH_LABS"
_RUNTIME_VARIABLE = "XDG_RUNTIME_DIR"
_LOCK, LOG = "lock", "keeper.log"
_FILES = (_LOCK, LOG, STATE, f"{STATE}.new")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,40}")
_PAUSE_S = 0.01
_LARGEST_LOG = limits.MIB


class Phase(Enum):
    """How far a lab has come."""

    starting = "starting"
    building = "building"
    up = "up"


@dataclass(frozen=True, kw_only=True)
class State:
    """A lab as it is written down. `source` and `text`: the lab file; `builder`: the `up` that makes it.

    `rails` and `scratch` are what the environment of processes in the lab is made from; `cores`: which cores pinned
    hosts have.
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
        """The same, so far."""
        return replace(self, phase=phase)

    @property
    def environment(self) -> Mapping[str, str]:
        """What processes find that are started in the lab."""
        return dict(environment(self.name, rails=self.rails, scratch=self.scratch))


_ADAPTER = TypeAdapter(State)


def base_directory(given: Mapping[str, str] | None = None) -> PrivateDirectory:
    """Where this user's labs are written down: $STRESSBENCH_LABS, else a folder that is gone after a restart."""
    variables = os.environ if given is None else given
    if named := variables.get(FOLDER_VARIABLE):
        path = Path(named).absolute()
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
    """LabMistake in the place of NotPrivate: it names the remedy."""
    try:
        yield
    except NotPrivate as fault:
        remedy = f"somebody else may have put it there: remove it, or let {FOLDER_VARIABLE} name a folder of your own"
        raise LabMistake(f"{fault}; {remedy}") from fault


class LabDirectory:
    """The folder of one lab, whether it is up or not. LabMistake where no lab can have this name."""

    def __init__(self, name: str, *, under: PrivateDirectory | None = None) -> None:
        if _NAME.fullmatch(name) is None:
            raise LabMistake(f"{name!r} is no name for a lab; expected letters, digits, -, _ and .")
        self.name = name
        self._base = under or base_directory()
        self._own = self._base.below(name)
        self._lock: int | None = None

    @property
    def path(self) -> Path:
        """Where it is."""
        return self._own.path

    def new_log(self) -> BinaryIO:
        """The file for what the keeper says beside its conversation with `up`, empty."""
        with _with_remedy():
            return self._own.create(LOG)

    def last_log_line(self) -> str | None:
        """The last line that the keeper wrote there."""
        with _with_remedy():
            said = self._own.read(LOG, limit=_LARGEST_LOG).decode(errors="replace").strip().splitlines()
        return said[-1] if said else None

    @property
    def exists(self) -> bool:
        """Whether anything is written down."""
        with _with_remedy():
            return self._own.exists()

    @property
    def descriptor(self) -> int:
        """The lock's file descriptor, for the keeper to inherit."""
        assert self._lock is not None
        return self._lock

    def lock(self, *, within_s: float = 0.0) -> bool:
        """Take the lock, waiting at most so long; whether it was taken. The folder is made where there is none."""
        end = time.monotonic() + within_s
        while True:
            if self._try_lock():
                return True
            if time.monotonic() >= end:
                return False
            time.sleep(_PAUSE_S)

    def _try_lock(self) -> bool:
        try:
            with _with_remedy(), self._own.opened(create=True):
                self._require_lab_directory()
                descriptor = self._own.open_file(_LOCK, os.O_RDWR | os.O_CREAT)
        except FileNotFoundError:  # a `down` removed the folder at this moment
            return False
        except OSError as fault:
            raise LabFault(f"{self.path}: {fault.strerror}") from fault
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            still = (self.path / _LOCK).lstat()
            if (still.st_dev, still.st_ino) == (os.fstat(descriptor).st_dev, os.fstat(descriptor).st_ino):
                self._lock = descriptor
                return True
        except (BlockingIOError, FileNotFoundError):
            pass
        os.close(descriptor)
        return False

    def _require_lab_directory(self) -> None:
        """Whatever has a lab's name where labs are written down need not be one. Raises LabMistake."""
        if others := self._own.others(_FILES):
            raise LabMistake(
                f"{self.path} is no lab's: it holds {others[0]!r}, which no lab makes, and stays as it is; remove it "
                f"yourself, or let {FOLDER_VARIABLE} name a folder for labs alone"
            )

    @property
    def is_lab_directory(self) -> bool:
        """Whether the folder holds nothing but what labs write down; an `up` that was killed may have made it alone."""
        try:
            with _with_remedy():
                return not self._own.others(_FILES)
        except OSError:
            return False

    def unlock(self) -> None:
        """Give this process's hold on the lock back; a keeper's own stays."""
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
        """Replace what is written down."""
        with _with_remedy():
            self._own.replace(STATE, _ADAPTER.dump_json(state, indent=1, by_alias=True))

    def read(self) -> State | None:
        """What is written down; None where there is nothing."""
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
        return LabFault(f"{self.path / STATE} cannot be read as what this version writes; {clears}")

    def _text(self) -> bytes:
        with _with_remedy():
            return self._own.read(STATE, limit=limits.STATE)

    def kill(self) -> None:
        """End the keeper, and the `up` that made it: those that are written down and hold the lock indeed."""
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
        """The keeper and the `up` that made it, as far as they are written down, whichever version wrote them."""
        try:
            found = json.loads(self._text())
            written = [found.get("keeper"), found.get("builder")]
            return tuple(Process(pid=int(one["pid"]), started=int(one["started"])) for one in written if one)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
            return ()

    def clear(self) -> None:
        """Remove what labs write down, the folder, and those above it. The caller holds the lock. Raises LabFault."""
        try:
            with _with_remedy():
                self._base.remove(self.name, files=_FILES)
        except OSError as fault:
            raise LabFault(f"{self.path}: cannot be removed ({reason_of(fault)})") from fault
        self.clear_above()

    def clear_above(self) -> None:
        """Remove the folders above that we made and that are empty: a killed `up` may have made only them."""
        for above in (self.path.parent, self.path.parent.parent):
            if above.name in ("labs", "stressbench", f"stressbench-{os.geteuid()}"):
                with suppress(OSError):
                    above.rmdir()


def lab_directories() -> tuple[LabDirectory, ...]:
    """All that is written down, by name."""
    base = base_directory()
    with _with_remedy():
        names = base.names()
    found = (LabDirectory(name, under=base) for name in names if _NAME.fullmatch(name))
    return tuple(directory for directory in found if directory.is_lab_directory)
