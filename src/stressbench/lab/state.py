"""What is written down about labs that are up: a folder each, with a lock that its processes hold while they live.

The lock tells the truth when nothing else does: it is held by the `up` that makes a lab and by the lab's keeper, and
the kernel takes it from them when they end. `state.json` is replaced as a whole before and after each step.
"""

import fcntl
import json
import os
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from stressbench.lab.errors import LabFault
from stressbench.lab.process import Process

FOLDER_VARIABLE = "STRESSBENCH_LABS"
_STATE, _LOCK, LOG = "state.json", "lock", "keeper.log"
_PAUSE_S = 0.01


class Phase(Enum):
    """How far a lab has come."""

    starting = "starting"
    building = "building"
    up = "up"


@dataclass(frozen=True, kw_only=True)
class State:
    """A lab as it is written down. `source` and `text`: the lab file; `builder`: the `up` that makes it.

    `environment`: what processes find that are started in it; `cores`: which cores pinned hosts have.
    """

    name: str
    source: str
    text: str
    phase: Phase
    since: str
    user_namespace: bool
    builder: Process
    keeper: Process | None = None
    nodes: Mapping[str, Process] | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    cores: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def at(self, phase: Phase) -> "State":
        """The same, so far."""
        return replace(self, phase=phase)


_ADAPTER = TypeAdapter(State)


def folder(environment: Mapping[str, str] | None = None) -> Path:
    """Where this user's labs are written down: $STRESSBENCH_LABS, else a folder that is gone after a restart."""
    given = os.environ if environment is None else environment
    if named := given.get(FOLDER_VARIABLE):
        return Path(named).absolute()
    if os.geteuid() == 0:
        return Path("/run/stressbench/labs")
    if runtime := given.get("XDG_RUNTIME_DIR"):
        return Path(runtime) / "stressbench" / "labs"
    return Path(f"/tmp/stressbench-{os.geteuid()}/labs")


class Slot:
    """The folder of one lab, whether it is up or not."""

    def __init__(self, name: str, *, under: Path | None = None) -> None:
        self.name = name
        self.path = (under or folder()) / name
        self._lock: int | None = None

    @property
    def log(self) -> Path:
        """What the keeper said beside its conversation with `up`."""
        return self.path / LOG

    @property
    def exists(self) -> bool:
        """Whether anything is written down."""
        return self.path.is_dir()

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
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError:  # a `down` removed the folder at this moment
            return False
        except OSError as fault:
            raise LabFault(f"{self.path}: {fault.strerror}") from fault
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            still = (self.path / _LOCK).stat()
            if (still.st_dev, still.st_ino) == (os.fstat(descriptor).st_dev, os.fstat(descriptor).st_ino):
                self._lock = descriptor
                return True
        except (BlockingIOError, FileNotFoundError):
            pass
        os.close(descriptor)
        return False

    def unlock(self) -> None:
        """Give this process's hold on the lock back; a keeper's own stays."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def is_held(self) -> bool:
        """Whether any process holds the lock."""
        try:
            descriptor = os.open(self.path / _LOCK, os.O_RDWR | os.O_CLOEXEC)
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
        new = self.path / f"{_STATE}.new"
        new.write_bytes(_ADAPTER.dump_json(state, indent=1))
        new.replace(self.path / _STATE)

    def read(self) -> State | None:
        """What is written down; None where there is nothing."""
        try:
            return _ADAPTER.validate_json((self.path / _STATE).read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, ValidationError) as fault:
            raise LabFault(
                f"{self.path / _STATE} cannot be read; `stressbench lab down {self.name}` clears it"
            ) from fault

    def processes(self) -> tuple[Process, ...]:
        """The keeper and the `up` that made it, as far as they are written down, whichever version wrote them."""
        try:
            found = json.loads((self.path / _STATE).read_bytes())
            written = [found.get("keeper"), found.get("builder")]
            return tuple(Process(pid=int(one["pid"]), started=int(one["started"])) for one in written if one)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return ()

    def clear(self) -> None:
        """Remove the folder, and those above it. The caller holds the lock."""
        shutil.rmtree(self.path, ignore_errors=True)
        self.clear_above()

    def clear_above(self) -> None:
        """Remove the folders above that we made and that are empty: a killed `up` may have made only them."""
        for above in (self.path.parent, self.path.parent.parent):
            if above.name in ("labs", "stressbench", f"stressbench-{os.geteuid()}"):
                with suppress(OSError):
                    above.rmdir()


def slots(*, under: Path | None = None) -> tuple[Slot, ...]:
    """All that is written down, by name."""
    base = under or folder()
    names = sorted(path.name for path in base.iterdir() if path.is_dir()) if base.is_dir() else []
    return tuple(Slot(name, under=base) for name in names)
