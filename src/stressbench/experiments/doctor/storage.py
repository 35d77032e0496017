"""Checks of the directories for run files and the files of motifs."""

import os
import re
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from stressbench.experiments.doctor.check import Setting, Verdict, check, error, note, ok, warning
from stressbench.formats.errors import reason_of
from stressbench.formats.units import BYTES, exact_size_text
from stressbench.report.units import size

_WRITTEN_BYTES = BYTES["MiB"]
_LITTLE_SPACE_BYTES = BYTES["GiB"]
_IN_MEMORY = frozenset({"tmpfs", "ramfs"})
_WITHOUT_SHARED_WRITES = frozenset({"nfs", "nfs4", "cifs", "smb3"})
_OCTAL = re.compile(r"\\([0-7]{3})")
_FIELDS_BEFORE_SEPARATOR = 6


def default_directories(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Where files are written without options: the current directory, $TMPDIR and $SCRATCH."""
    named = (environment.get("TMPDIR") or tempfile.gettempdir(), environment.get("SCRATCH"))
    return tuple(dict.fromkeys((Path.cwd(), *(Path(one) for one in named if one))))


@dataclass(frozen=True, kw_only=True)
class Mount:
    """A mount point and the type of its file system."""

    point: Path
    kind: str


def mount_of(directory: Path, mountinfo: str) -> Mount | None:
    """The mount that holds the directory, from the text of /proc/self/mountinfo (proc(5)). None: unknown."""
    found = None
    for line in mountinfo.splitlines():
        before, separator, after = line.partition(" - ")
        fields = before.split()
        if not separator or len(fields) < _FIELDS_BEFORE_SEPARATOR or not after:
            continue
        point = Path(_OCTAL.sub(lambda match: chr(int(match[1], 8)), fields[4]))
        if directory.is_relative_to(point) and (found is None or point.is_relative_to(found.point)):
            found = Mount(point=point, kind=after.split()[0])
    return found


def write_fault(directory: Path) -> str | None:
    """Why a file of 1 MiB cannot be written to the directory; None if it can. The file is removed."""
    # `stressbench clean` finds a file of this name if this process is killed.
    path = directory / f".stressbench-{os.uname().nodename}-{os.getpid()}-{secrets.token_hex(4)}.new"
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except OSError as fault:
        return reason_of(fault)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(b"\0" * _WRITTEN_BYTES)
            file.flush()
            os.fsync(file.fileno())
    except OSError as fault:
        return reason_of(fault)
    finally:
        path.unlink(missing_ok=True)
    return None


@check("storage", "directories for run files and the files of motifs: writable, file system, free space")
def storage(setting: Setting) -> Iterator[Verdict]:
    """Each directory must take a file of 1 MiB."""
    mounts = setting.text("proc/self/mountinfo") or ""
    for directory in setting.directories:
        if not directory.is_dir():
            state = "is not a directory" if directory.exists() else "does not exist"
            yield error(
                f"{directory} {state}",
                consequence="run files and the files of motifs cannot be written there",
                remedy=f"mkdir -p {directory}" if not directory.exists() else "--storage DIR names another directory",
            )
        elif fault := write_fault(directory):
            yield error(
                f"a file of {exact_size_text(_WRITTEN_BYTES)} cannot be written to {directory}: {fault}",
                consequence="run files and the files of motifs cannot be written there",
                remedy=f"df -h {directory}; ls -ld {directory}; or --storage DIR, and run -o DIR/RUN.jsonl",
            )
        else:
            yield _judge(directory, mount_of(directory.resolve(), mounts))


def _judge(directory: Path, mount: Mount | None) -> Verdict:
    state = os.statvfs(directory)
    free = state.f_bavail * state.f_frsize
    kind = "a file system of unknown type" if mount is None else mount.kind
    found = f"{directory} is writable: {kind}, {size(free)} free"
    if free < _LITTLE_SPACE_BYTES:
        return warning(
            found,
            consequence="long runs, and motifs that write files, may fill it; completed rounds stay readable",
            remedy=f"du -sh {directory}/*; or --storage DIR, and run -o DIR/RUN.jsonl",
        )
    if mount is not None and mount.kind in _IN_MEMORY:
        return note(found, consequence="motifs that write there measure memory, and no disk")
    if mount is not None and mount.kind in _WITHOUT_SHARED_WRITES:
        return note(
            found,
            consequence="clients cache: ranks of several hosts that write one file are slow, or see old contents",
            remedy="use a parallel file system such as Lustre or GPFS for the files of motifs",
        )
    return ok(found)


@check("shared directories", "whether all hosts of the launch see the same directories")
def shared_directories(setting: Setting) -> Iterator[Verdict]:
    """A file that rank 0 creates must be visible on all hosts."""
    launch = setting.launch
    if launch is None or not launch.jobs or len({one.host for one in launch.jobs[0].ranks}) == 1:
        return
    for one in launch.directories:
        if one.fault is not None:
            yield error(
                f"rank 0 cannot write to {one.path}: {one.fault}",
                consequence="run files and the files of motifs cannot be written there",
                remedy="--storage DIR names a directory that exists on all hosts",
            )
        elif one.hosts_without:
            yield warning(
                f"{one.path} is another directory on {', '.join(one.hosts_without)}",
                consequence="motifs that share a file among ranks fail there",
                remedy="put files of motifs on a file system that all hosts mount (--storage DIR checks it)",
            )
        else:
            yield ok(f"all hosts see {one.path}")
