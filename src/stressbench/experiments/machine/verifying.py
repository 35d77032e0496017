"""Check that a result of a machine and the run files behind it have not changed, and that it follows from them."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isclose
from pathlib import Path

from stressbench.errors import UserError
from stressbench.experiments.machine.directory import (
    CALIBRATION,
    SURVEY,
    MachineDirectory,
    open_machine_directory,
    sized_suite,
)
from stressbench.experiments.machine.evaluation import result_of
from stressbench.experiments.study.directory import open_directory
from stressbench.experiments.study.packing import Verdict
from stressbench.formats.errors import reason_of
from stressbench.formats.files import sha256_of
from stressbench.formats.machines import (
    FILE,
    SETTINGS_FILE,
    SUITE_VERSION,
    MachineFigure,
    MachineResult,
    Source,
    read_machine,
)
from stressbench.formats.run import read_run

_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class VerifiedMachine(Verdict):
    """Also the number of figures that follow from the run files: 0 where there is only the result."""

    figures: int


def verify_machine(path: Path) -> VerifiedMachine:
    """Compare the result in a file or a directory with its checksum, each run file beside it with its own, and figures.

    A result that is published without its run files is intact by itself: then they are not missed. In a directory of
    `stressbench machine run` whose files are intact, all figures are computed again. Raises MachineFileError for a
    result that cannot be read or has changed.
    """
    result = read_machine(path)
    folder = path if path.is_dir() else path.parent
    name = str(folder / FILE if path.is_dir() else path)
    if not any((folder / source.file).exists() for source in result.sources):
        return VerifiedMachine(intact=1, complaints=(), figures=0)
    complaints = [text for source in result.sources if (text := _complaint(folder, source)) is not None]
    intact, figures = 1 + len(result.sources) - len(complaints), 0
    if not complaints and result.suite.version == SUITE_VERSION and (folder / SETTINGS_FILE).is_file():
        complaints = list(_contradictions(result, folder))
        figures = 0 if complaints else len(result.figures)
    return VerifiedMachine(intact=intact, complaints=tuple(f"{name}: {text}" for text in complaints), figures=figures)


def _complaint(folder: Path, source: Source) -> str | None:
    path = folder / source.file
    if not path.exists():
        return f"{source.file} is missing"
    try:
        found = sha256_of(path)
    except OSError as fault:
        return f"{source.file}: {reason_of(fault)}"
    return None if found == source.sha256 else f"{source.file} has changed"


def _contradictions(result: MachineResult, folder: Path) -> Iterator[str]:
    """What in the result does not follow from the run files, as sentences."""
    try:
        again = _computed_again(open_machine_directory(folder))
    except UserError as fault:
        yield f"the figures cannot be computed again: {fault}"
        return
    known = {} if again is None else {figure.name: figure for figure in again.figures}
    for figure in result.figures:
        computed = known.pop(figure.name, None)
        if computed is None or not _agree(figure, computed):
            yield f"{figure.name} does not follow from the run files"
    yield from (f"{name} is missing, but the run files have it" for name in known)
    if again is not None:
        facts = (("provenance", result.provenance, again.provenance), ("suite", result.suite, again.suite))
        yield from (f"{name} does not follow from the run files" for name, found, other in facts if found != other)


def _computed_again(directory: MachineDirectory) -> MachineResult | None:
    survey, calibration = (read_run(directory.run_file(name)) for name in (SURVEY, CALIBRATION))
    suite = sized_suite(directory, survey=survey, calibration=calibration)
    return result_of(directory, suite, open_directory(directory.study))


def _agree(one: MachineFigure, other: MachineFigure) -> bool:
    """Whether all numbers of two figures of the same name agree, apart from rounding."""
    numbers = [(one.value, other.value), (one.low, other.low), (one.high, other.high)]
    if len(one.values) != len(other.values):
        return False
    numbers += zip(one.values, other.values, strict=True)
    return all(
        a == b or (a is not None and b is not None and isclose(a, b, rel_tol=_ROUNDING)) for a, b in numbers
    )  # fmt: skip
