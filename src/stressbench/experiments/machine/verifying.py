"""Check that neither a result of a machine nor the run files behind it have changed."""

from pathlib import Path

from stressbench.experiments.study.packing import Verdict
from stressbench.formats.errors import reason_of
from stressbench.formats.files import sha256_of
from stressbench.formats.machines import FILE, Source, read_machine


def verify_machine(path: Path) -> Verdict:
    """Compare the result in a file or a directory with its checksum, and each run file beside it with its own.

    A result that is published without its run files is intact by itself: then they are not missed. Raises
    MachineFileError for a result that cannot be read or has changed.
    """
    result = read_machine(path)
    folder = path if path.is_dir() else path.parent
    name = str(folder / FILE if path.is_dir() else path)
    if not any((folder / source.file).exists() for source in result.sources):
        return Verdict(intact=1, complaints=())
    complaints = [text for source in result.sources if (text := _complaint(folder, source)) is not None]
    return Verdict(
        intact=1 + len(result.sources) - len(complaints), complaints=tuple(f"{name}: {text}" for text in complaints)
    )


def _complaint(folder: Path, source: Source) -> str | None:
    path = folder / source.file
    if not path.exists():
        return f"{source.file} is missing"
    try:
        found = sha256_of(path)
    except OSError as fault:
        return f"{source.file}: {reason_of(fault)}"
    return None if found == source.sha256 else f"{source.file} has changed"
