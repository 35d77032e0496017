"""The plan and the directory of a study of rates, with or without competing traffic."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stressbench.experiments.progress import Progress, silent
from stressbench.experiments.study.directory import Directory, removed_if_refused
from stressbench.experiments.study.execution import StudyOptions
from stressbench.experiments.sweep.rates.competing import FOLDER, CompetingSweep
from stressbench.experiments.sweep.rates.study import RateSweep
from stressbench.formats.study.file import Study


def begin_rate_study(
    sweep: RateSweep | CompetingSweep, output: Path, options: StudyOptions, *, progress: Progress = silent
) -> Directory:
    """Check the study and set up the directory `output` for it, without starting runs.

    Raises StudyMistake and ValidationMistakes; a new directory is left only without one.
    """
    specification = sweep.specification()
    if isinstance(sweep, RateSweep):
        return specification.begin(output, options, progress=progress)
    options.check(specification.study)
    with removed_if_refused(output, FOLDER):
        return specification.begin(output, options, folder=sweep.write_in(output), progress=progress)


@contextmanager
def planned_rate_study(sweep: RateSweep | CompetingSweep) -> Iterator[tuple[Study, Path]]:
    """Context with the study and the directory to which its paths are relative. Raises as `begin_rate_study`."""
    study = sweep.specification().study
    if isinstance(sweep, RateSweep):
        yield study, Path.cwd()
        return
    with sweep.in_temporary_directory() as folder:
        yield study, folder
