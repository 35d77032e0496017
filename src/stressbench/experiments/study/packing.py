"""Packs a study into one archive, and verifies that no file of a study is missing or changed.

`SHA256SUMS` in the archive has the format of `sha256sum`, so that `sha256sum --check SHA256SUMS` verifies it as well.
"""

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, BinaryIO

import orjson

from stressbench.experiments.study.catalog import shipped_folder
from stressbench.experiments.study.directory import Directory
from stressbench.experiments.study.unpacking import Complaints, read_archive
from stressbench.formats.errors import file_fault, reason_of
from stressbench.formats.files import (
    limits,
    new_output,
    open_regular,
    read_bytes,
    read_text,
    require_output,
    sha256_of,
)
from stressbench.formats.files.studies import LOCK, MANIFEST, SCHEMA, SUMS, WORKLOADS
from stressbench.formats.run import RunFileError, read_run
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.manifest import FinishedRecord, read_manifest

ENDINGS = (".tar.gz", ".tar.zst")


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The number of intact files, and a sentence for each file that is not."""

    intact: int
    complaints: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Packed:
    """The number of packed files, and a sentence for each workload left out because it has changed."""

    files: int
    left_out: tuple[str, ...]


def pack(directory: Directory, output: Path) -> Packed:
    """Write the study's files to `output`, which must be new. Raises StudyMistake."""
    require_ending(output)
    if os.path.lexists(output):
        raise StudyMistake(f"--output: {output} already exists; choose another name")
    try:
        require_output(output)
    except OSError as fault:
        raise StudyMistake(f"--output: {output}: {reason_of(fault)}") from fault
    left_out: list[str] = []
    files, schemas = _files(directory), dict(_schemas())
    top = output.name.removesuffix(_ending(output))
    try:
        with _writing(output) as archive:
            contents = _Pack(archive=archive, top=top)
            for name, path in files.items():
                if name not in schemas:
                    contents.add_file(name, path)
            if not (directory.path / WORKLOADS).is_dir():
                for name, content in _workloads(directory, left_out):
                    contents.add(name, content)
            for name, content in schemas.items():
                contents.add(name, content)
            sums = "".join(f"{digest}  {name}\n" for name, digest in contents.digests.items())
            count = len(contents.digests)
            contents.add(SUMS, sums.encode())
    except OSError as fault:
        raise StudyMistake(f"--output: {output}: {reason_of(fault)}") from fault
    return Packed(files=count, left_out=tuple(left_out))


@dataclass(frozen=True)
class _Pack:
    """An archive that is being written, and the SHA-256 of each of its files by name below `top`."""

    archive: tarfile.TarFile
    top: str
    digests: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, content: bytes) -> None:
        """Add a file with this content. Raises OSError where the archive cannot be written."""
        self._add(name, io.BytesIO(content), size=len(content))
        self.digests[name] = hashlib.sha256(content).hexdigest()

    def add_file(self, name: str, path: Path) -> None:
        """Add the file at `path`, piece by piece. Raises StudyMistake where it cannot be read or changes meanwhile."""
        try:
            file = open_regular(path, limit=limits.RUN)
        except OSError as fault:
            raise StudyMistake(f"{path}: {reason_of(fault)}") from fault
        with file:
            before = os.fstat(file.fileno())
            reader = _HashedReader(file, path)
            self._add(name, reader, size=before.st_size)
            after = os.fstat(file.fileno())
        if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
            raise _changed(path)
        self.digests[name] = reader.digest.hexdigest()

    def _add(self, name: str, content: "io.BytesIO | _HashedReader", *, size: int) -> None:
        entry = tarfile.TarInfo(f"{self.top}/{name}")
        entry.size, entry.mode = size, 0o644
        self.archive.addfile(entry, content)  # type: ignore[arg-type]  # only `read` is called


class _HashedReader:
    """Reads a file and computes its SHA-256. Raises StudyMistake, as OSError would be one of the archive."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._file, self._path = file, path
        self.digest = hashlib.sha256()

    def read(self, size: int) -> bytes:
        """The next `size` bytes."""
        try:
            chunk = self._file.read(size)
        except OSError as fault:
            raise StudyMistake(f"{self._path}: {reason_of(fault)}") from fault
        if len(chunk) < size:
            raise _changed(self._path)
        self.digest.update(chunk)
        return chunk


def _changed(path: Path) -> StudyMistake:
    return StudyMistake(f"{path} changed while it was packed; pack the study again when nothing writes to it")


def require_ending(path: Path) -> None:
    """Raise StudyMistake unless the name ends in a supported format whose compressor is installed."""
    ending = _ending(path)
    if ending == ".tar.zst" and shutil.which("zstd") is None:
        raise StudyMistake(f"{path}: zstd is not installed; use .tar.gz, which does not need it")


def verify(path: Path) -> Verdict:
    """Verify an archive, its unpacked directory, or the directory of a study. Raises StudyMistake for anything else."""
    if path.is_dir():
        return _verify_directory(path)
    if wrong := file_fault(path):
        raise StudyMistake(wrong)
    require_ending(path)
    contents = read_archive(path, text_of=SUMS)
    if contents.text is None:
        raise StudyMistake(f"{path}: no {SUMS} inside: not a pack of `stressbench study pack`, or one that is cut off")
    return _compare(contents.text.decode(errors="replace"), contents.digests, contents.complaints)


def _verify_directory(path: Path) -> Verdict:
    sums = path / SUMS
    if sums.is_file():
        entries = [entry for entry in _entries(path) if entry.name != LOCK]
        differences = Complaints(source=path)
        for link in filter(Path.is_symlink, entries):
            differences.add(f"{link}: is a symbolic link")
        try:
            text = read_text(sums, limit=limits.JOURNAL, errors="replace")
            files = (entry for entry in entries if entry.is_file() and not entry.is_symlink())
            digest_by_name = {entry.relative_to(path).as_posix(): sha256_of(entry) for entry in files}
        except OSError as fault:
            raise StudyMistake(f"{fault.filename}: {reason_of(fault)}") from fault
        return _compare(text, digest_by_name, differences)
    manifest = read_manifest(path / MANIFEST)
    if not manifest.records:
        raise StudyMistake(f"{path} holds no study (no manifest.jsonl that can be read)")
    complaints = list(manifest.complaints)
    finished = {record.run: record for record in manifest.records if isinstance(record, FinishedRecord)}
    complaints += [
        complaint for record in finished.values() if (complaint := _complaint(path / record.file, record.sha256))
    ]
    return Verdict(intact=len(finished) + len(manifest.complaints) - len(complaints), complaints=tuple(complaints))


def _complaint(file: Path, sha256: str) -> str | None:
    """How a run file differs from what it was when its run finished, None where it does not."""
    try:
        if not file.is_file():
            return f"{file}: is missing"
        if sha256_of(file) != sha256:
            return f"{file}: has changed since its run finished"
        read_run(file)
    except RunFileError as fault:
        return str(fault)
    except OSError as fault:
        return f"{file}: {reason_of(fault)}"
    return None


def _compare(sums: str, digest_by_name: Mapping[str, str], complaints: Complaints) -> Verdict:
    """Compare the lines of SHA256SUMS with `digest_by_name`. `complaints`: those about other entries."""
    lines, source = sums.splitlines(), complaints.source
    if len(lines) > limits.ARCHIVE_FILES:
        raise StudyMistake(f"{source}: {SUMS} has more than {limits.ARCHIVE_FILES:,} lines, the most that is read")
    intact, listed = 0, set()
    for number, line in enumerate(lines, start=1):
        digest, _, name = line.partition("  ")
        if len(digest) != 64 or not 0 < len(name) <= limits.NAME:
            complaints.add(f"{source}: {SUMS}:{number}: '{line[:80]}': expected a SHA-256, two blanks and a name")
        elif name in listed:
            complaints.add(f"{source}: {SUMS}:{number}: {name} occurs twice")
        elif name not in digest_by_name:
            complaints.add(f"{source}: {name} is missing")
        elif digest_by_name[name] != digest:
            complaints.add(f"{source}: {name} has changed: its SHA-256 is {digest_by_name[name]}, not {digest}")
        else:
            intact += 1
        listed.add(name)
    for name in sorted(set(digest_by_name) - listed - {SUMS}):
        complaints.add(f"{source}: {name} was not packed")
    return Verdict(intact=intact, complaints=complaints.sentences())


def _files(directory: Directory) -> Mapping[str, Path]:
    """Path of study files, manifest, environment and runs, by name. Raises StudyMistake for a symbolic link."""
    paths: dict[str, Path] = {}
    for path in _entries(directory.path):
        if path.is_symlink():
            raise StudyMistake(f"{path} is a symbolic link, which may lead to any file: put the file itself there")
        name = path.relative_to(directory.path).as_posix()
        if path.is_file() and not path.name.startswith(".") and name != SUMS:
            paths[name] = path
    return paths


def _workloads(directory: Directory, left_out: list[str]) -> Iterator[tuple[str, bytes]]:
    """Name and content of workloads and included files, whose relative places are kept for [INCLUDE].

    Only those with the recorded digest are packed, since a study directory from somebody else may name any file of
    this user. Sentences about the others are appended to `left_out`. Raises StudyMistake.
    """
    sources = {path: digest for path, digest in directory.digests().items() if path.is_file()}
    common_folder = Path(os.path.commonpath([path.parent for path in sources])) if sources else None
    for path, digest in sources.items():
        try:
            content = read_bytes(path, limit=limits.WORKLOAD)
        except OSError as fault:
            raise StudyMistake(f"{path}: {reason_of(fault)}") from fault
        if hashlib.sha256(content).hexdigest() != digest:
            left_out.append(f"{path} has changed since the study began; it is left out")
            continue
        yield f"{WORKLOADS}/{path.relative_to(common_folder or path.parent).as_posix()}", content


def _schemas() -> Iterator[tuple[str, bytes]]:
    from stressbench.formats.schemas import study_schema  # loads the models of all files

    yield f"{SCHEMA}/study.schema.json", orjson.dumps(study_schema(), option=orjson.OPT_INDENT_2)
    schema = shipped_folder("schema") / "run.schema.json"
    if schema.is_file():
        yield f"{SCHEMA}/{schema.name}", schema.read_bytes()


def _entries(folder: Path) -> list[Path]:
    """All files and symbolic links below a directory, sorted. Links are not followed."""
    paths = []
    for folder_path, folders, files in os.walk(folder, followlinks=False):
        linked = [name for name in folders if Path(folder_path, name).is_symlink()]
        paths += [Path(folder_path, name) for name in (*linked, *files)]
    return sorted(paths)


def _ending(path: Path) -> str:
    for ending in ENDINGS:
        if path.name.endswith(ending):
            return ending
    raise StudyMistake(f"{path}: expected a name that ends in {' or '.join(ENDINGS)}")


@contextmanager
def _writing(path: Path) -> Iterator[tarfile.TarFile]:
    with new_output(path) as target:
        if _ending(path) == ".tar.gz":
            with tarfile.open(fileobj=target, mode="w:gz") as archive:
                yield archive
            return
        packer = subprocess.Popen(["zstd", "-q", "-c"], stdin=subprocess.PIPE, stdout=target)
        with _through(packer, packer.stdin) as archive:
            yield archive


@contextmanager
def _through(process: subprocess.Popen[bytes], stream: IO[bytes] | None) -> Iterator[tarfile.TarFile]:
    """Context for a tar file that is written into a process. Raises OSError where the process fails."""
    assert stream is not None
    try:
        with tarfile.open(fileobj=stream, mode="w|") as archive:
            yield archive
    finally:
        stream.close()
        status = process.wait()
    if status != 0:
        raise OSError(status, f"zstd ended with status {status}")
