"""`stressbench.doctor`: find out what will go wrong on a launch target, before anything is measured."""

import os
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from stressbench.api.presentation import Reported
from stressbench.experiments.doctor import DoctorSpec, examine
from stressbench.launch.option_values import seconds
from stressbench.report.doctor import doctor_document, summary_text
from stressbench.report.document import Document
from stressbench.results.doctor import Diagnosis

if TYPE_CHECKING:
    from stressbench.api.labs import Lab


class DoctorResults(Reported[Diagnosis]):
    """What was found, what will go wrong, and what to type (schema/doctor.schema.json)."""

    def __repr__(self) -> str:
        return f"<DoctorResults: {summary_text(self.data)}>"

    @property
    def passed(self) -> bool:
        """Whether no error was found."""
        return self.data.passed

    def _title(self) -> str:
        return f"What was found on {self.data.target}"

    def _brief(self) -> Document:
        return doctor_document(self.data)


def doctor(
    workload: str | PathLike[str] | None = None, *, on: "str | Lab" = "local", ranks: int | None = None,
    storage: Sequence[str | PathLike[str]] = (), time_limit: str = "60s",
    launcher_arguments: Sequence[str] = (), mpirun: str | PathLike[str] | None = None,
    engine: str | PathLike[str] | None = None,
) -> DoctorResults:  # fmt: skip
    """Examine this machine and the launch target `on`, and start a short launch there.

        found = stressbench.doctor(ranks=4)
        found.passed        # no error
        found.data.findings # level, what was found, its consequence, the remedy

    `ranks` is the number of ranks to start, by default one for each core, but two at least. `workload` is checked, too.
    `storage` names directories where files will be written, by default the current one, $TMPDIR and $SCRATCH. The
    launch is ended after `time_limit`. Other parameters are those of `stressbench.run`. Must be called in the main
    thread. Raises `stressbench.StressBenchError` if a parameter is wrong.
    """
    spec = DoctorSpec(
        on=str(on), ranks=ranks, workload=None if workload is None else Path(workload),
        directories=tuple(map(Path, storage)), limit_s=seconds(time_limit, option="time_limit"),
        mpirun=None if mpirun is None else Path(mpirun), engine=None if engine is None else Path(engine),
        launcher_arguments=tuple(launcher_arguments),
    )  # fmt: skip
    return DoctorResults(examine(spec, environment=os.environ))
