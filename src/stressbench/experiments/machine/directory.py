"""The directory of `stressbench machine run`.

DIR/settings.json                        what was asked for
DIR/survey.sb, survey.jsonl              the first launch, which finds nodes and ranks
DIR/calibration.sb, calibration.jsonl    the second one, from which the sizes of the suite follow
DIR/study                                the study of all workloads: `stressbench study status DIR/study`
DIR/machine.json                         the result
"""

from dataclasses import dataclass
from pathlib import Path

from stressbench.experiments.machine.sizes import Sizes, Survey, sizes_from, survey_of
from stressbench.experiments.machine.suite import Suite, suite_for
from stressbench.formats.errors import MachineFileError
from stressbench.formats.machines import FILE, SETTINGS_FILE, SUITE_VERSION, SuiteSettings, read_settings
from stressbench.formats.run import Run

SURVEY, CALIBRATION, STUDY = "survey", "calibration", "study"


@dataclass(frozen=True, kw_only=True)
class MachineDirectory:
    """The directory at `path`, and its settings."""

    path: Path
    settings: SuiteSettings

    def run_file(self, name: str) -> Path:
        """The run file of the survey or the calibration."""
        return self.path / f"{name}.jsonl"

    @property
    def study(self) -> Path:
        """The directory of the study."""
        return self.path / STUDY

    @property
    def result(self) -> Path:
        """The result."""
        return self.path / FILE


@dataclass(frozen=True, kw_only=True)
class SizedSuite:
    """The suite of a directory, from its survey and its calibration."""

    survey: Survey
    sizes: Sizes
    suite: Suite


def open_machine_directory(path: Path) -> MachineDirectory:
    """The directory at `path`. Raises MachineFileError."""
    file = path / SETTINGS_FILE
    if not file.is_file():
        reason = "is not a directory" if not path.is_dir() else f"has no {SETTINGS_FILE}"
        raise MachineFileError(f"{reason}; `stressbench machine run -o DIR` makes one", path=path)
    settings = read_settings(file)
    if settings.suite != SUITE_VERSION:
        raise MachineFileError(
            f"suite {settings.suite}: this StressBench has suite {SUITE_VERSION}; begin in a new directory", path=file
        )
    return MachineDirectory(path=path, settings=settings)


def sized_suite(directory: MachineDirectory, *, survey: Run, calibration: Run) -> SizedSuite:
    """The suite that the directory measures."""
    settings = directory.settings
    machine = survey_of(survey)
    sizes = sizes_from(calibration, machine, storage=settings.storage)
    suite = suite_for(machine, sizes, parts=settings.parts, storage=settings.storage)
    return SizedSuite(survey=machine, sizes=sizes, suite=suite)
