"""A study as one file to hand on, and the check that nothing of it is missing or changed.

`SHA256SUMS` inside is as `sha256sum` writes it: `sha256sum --check SHA256SUMS` in the unpacked directory does, too.
"""

import hashlib
import io
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import orjson

from stressbench.files import limits, read_bytes, read_text
from stressbench.model import RunFileError, read_run
from stressbench.model.errors import reason_of
from stressbench.study.catalog import shipped_folder
from stressbench.study.directory import Directory, sha256_of
from stressbench.study.errors import StudyMistake
from stressbench.study.manifest import FinishedRecord, read_manifest
from stressbench.study.schema import study_schema
from stressbench.study.unpacking import unpacked

SUMS = "SHA256SUMS"
ENDINGS = (".tar.gz", ".tar.zst")


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """How many files are right, and a sentence for each that is not."""

    right: int
    complaints: tuple[str, ...]


def pack(directory: Directory, output: Path) -> int:
    """Write the study's files to `output`, which must be new; how many. Raises StudyMistake."""
    require_ending(output)
    if output.exists():
        raise StudyMistake(f"--output: {output} is there already; choose another name")
    try:
        members = dict(_members(directory))
    except OSError as fault:
        raise StudyMistake(f"{fault.filename}: {reason_of(fault)}") from fault
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in members.items())
    top = output.name.removesuffix(_ending(output))
    try:
        with _writing(output) as archive:
            for name, content in {**members, SUMS: sums.encode()}.items():
                entry = tarfile.TarInfo(f"{top}/{name}")
                entry.size, entry.mode = len(content), 0o644
                archive.addfile(entry, io.BytesIO(content))
    except OSError as fault:
        output.unlink(missing_ok=True)
        raise StudyMistake(f"--output: {output}: {reason_of(fault)}") from fault
    return len(members)


def require_ending(path: Path) -> None:
    """Raise StudyMistake unless it is a name that we can write."""
    ending = _ending(path)
    if ending == ".tar.zst" and shutil.which("zstd") is None:
        raise StudyMistake(f"{path}: zstd is not installed; .tar.gz does without it")


def verify(path: Path) -> Verdict:
    """Check a pack, or a directory, packed or not. Raises StudyMistake where it is neither."""
    if path.is_dir():
        return _verify_directory(path)
    if not path.is_file():
        raise StudyMistake(f"{path} is not a file" if path.exists() else f"{path} does not exist")
    require_ending(path)
    found = unpacked(path, wanted=SUMS)
    if found.text is None:
        raise StudyMistake(f"{path}: no {SUMS} inside: not a pack of `stressbench study pack`, or one that is cut off")
    return _compared(found.text.decode(errors="replace"), found.digests, source=path)


def _verify_directory(path: Path) -> Verdict:
    sums = path / SUMS
    if sums.is_file():
        there = (entry for entry in path.rglob("*") if entry.is_file() and entry.name != ".lock")
        try:
            text = read_text(sums, limit=limits.JOURNAL, errors="replace")
            found = {entry.relative_to(path).as_posix(): sha256_of(entry) for entry in there}
        except OSError as fault:
            raise StudyMistake(f"{fault.filename}: {reason_of(fault)}") from fault
        return _compared(text, found, source=path)
    manifest = read_manifest(path / "manifest.jsonl")
    if not manifest.records:
        raise StudyMistake(f"{path} holds no study (no manifest.jsonl that can be read)")
    complaints = list(manifest.complaints)
    finished = {record.run: record for record in manifest.records if isinstance(record, FinishedRecord)}
    complaints += [told for record in finished.values() if (told := _complaint(path / record.file, record.sha256))]
    return Verdict(right=len(finished) + len(manifest.complaints) - len(complaints), complaints=tuple(complaints))


def _complaint(file: Path, sha256: str) -> str | None:
    """Why a run is not what it was when it finished; None where it is."""
    try:
        if not file.is_file():
            return f"{file}: is missing"
        if sha256_of(file) != sha256:
            return f"{file}: is not what was written when its run finished"
        read_run(file)
    except RunFileError as fault:
        return str(fault)
    except OSError as fault:
        return f"{file}: {reason_of(fault)}"
    return None


def _compared(sums: str, found: Mapping[str, str], *, source: Path) -> Verdict:
    complaints, right, named = [], 0, set()
    for number, line in enumerate(sums.splitlines(), start=1):
        digest, _, name = line.partition("  ")
        named.add(name)
        if len(digest) != 64 or not name:
            complaints.append(f"{source}: {SUMS}:{number}: '{line[:80]}': expected a SHA-256, two blanks and a name")
        elif name not in found:
            complaints.append(f"{source}: {name} is missing")
        elif found[name] != digest:
            complaints.append(f"{source}: {name} has changed: its SHA-256 is {found[name]}, not {digest}")
        else:
            right += 1
    complaints += [f"{source}: {name} was not packed" for name in sorted(set(found) - named - {SUMS})]
    return Verdict(right=right, complaints=tuple(complaints))


def _members(directory: Directory) -> Iterator[tuple[str, bytes]]:
    """Study files, manifest, environment, runs, workloads with what they include, and schemas, by name."""
    for path in sorted(directory.path.rglob("*")):
        name = path.relative_to(directory.path).as_posix()
        if path.is_file() and not path.name.startswith(".") and name != SUMS:
            yield name, read_bytes(path, limit=limits.RUN)
    if not (directory.path / "workloads").is_dir():
        sources = [path for path in directory.sources() if path.is_file()]
        above = Path(os.path.commonpath([path.parent for path in sources])) if sources else None
        for path in sources:  # as they lie to each other, so that an [INCLUDE] finds its file
            yield f"workloads/{path.relative_to(above or path.parent).as_posix()}", read_bytes(path, limit=limits.RUN)
    yield "schema/study.schema.json", orjson.dumps(study_schema(), option=orjson.OPT_INDENT_2)
    schema = shipped_folder("schema") / "run.schema.json"
    if schema.is_file():
        yield f"schema/{schema.name}", schema.read_bytes()


def _ending(path: Path) -> str:
    for ending in ENDINGS:
        if path.name.endswith(ending):
            return ending
    raise StudyMistake(f"{path}: expected a name that ends in {' or '.join(ENDINGS)}")


@contextmanager
def _writing(path: Path) -> Iterator[tarfile.TarFile]:
    if _ending(path) == ".tar.gz":
        with tarfile.open(path, "x:gz") as archive:
            yield archive
        return
    with path.open("xb") as target:
        packer = subprocess.Popen(["zstd", "-q", "-c"], stdin=subprocess.PIPE, stdout=target)
        with _through(packer, packer.stdin) as archive:
            yield archive


@contextmanager
def _through(process: subprocess.Popen[bytes], stream: IO[bytes] | None) -> Iterator[tarfile.TarFile]:
    """A tar file on the other side of a program. Raises OSError where the program fails."""
    assert stream is not None
    try:
        with tarfile.open(fileobj=stream, mode="w|") as archive:
            yield archive
    finally:
        stream.close()
        status = process.wait()
    if status != 0:
        raise OSError(status, f"zstd ended with status {status}")
