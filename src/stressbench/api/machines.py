"""`stressbench.machine`, `read_machine`, `compare_machines`, `check_machine`: one page of figures, for publication."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from stressbench.api.failures import MachineFailed
from stressbench.api.presentation import Reported
from stressbench.api.progress import Report, reporting_to
from stressbench.exit_status import ExitStatus
from stressbench.experiments.machine.acceptance import read_criteria
from stressbench.experiments.machine.directory import MachineDirectory, open_machine_directory
from stressbench.experiments.machine.running import begin_machine, run_machine
from stressbench.experiments.machine.settings import suite_settings
from stressbench.experiments.machine.verifying import VerifiedMachine, verify_machine
from stressbench.formats.machines import MachineResult
from stressbench.formats.machines import read_machine as read_result
from stressbench.launch.option_values import optional_seconds
from stressbench.report.document import Document
from stressbench.report.machine import acceptance_document, brief, comparison_document, page
from stressbench.results.machine_acceptance import MachineCheck, check_result
from stressbench.results.machine_comparison import MachineComparison, compare_results, name_of

if TYPE_CHECKING:
    from stressbench.api.labs import Lab


class MachineResults(Reported[MachineResult]):
    """The figures of a machine: `data.figures` has values in SI units with intervals (schema/machine.schema.json)."""

    _without = ("latex",)

    def __repr__(self) -> str:
        return f"<MachineResults of {name_of(self.data)}: {len(self.data.figures)} figures>"

    def _title(self) -> str:
        return f"Machine {name_of(self.data)}"

    def _brief(self) -> Document:
        return brief(self.data)

    def _page(self) -> Document:
        return page(self.data)


class MachineComparisonResults(Reported[MachineComparison]):
    """A verdict on each figure of machine B compared with machine A (schema/machine-compare.schema.json)."""

    @property
    def worse(self) -> bool:
        """Whether any figure of B is worse."""
        return self.data.is_worse

    def _title(self) -> str:
        return f"{self.data.b} compared with {self.data.a}"

    def _brief(self) -> Document:
        return comparison_document(self.data)


class MachineCheckResults(Reported[MachineCheck]):
    """A verdict on each acceptance criterion for a machine (schema/machine-check.schema.json)."""

    @property
    def accepted(self) -> bool:
        """Whether all criteria are met, by a measurement as they require."""
        return self.data.accepted

    def _title(self) -> str:
        return f"Acceptance criteria for {self.data.machine}"

    def _brief(self) -> Document:
        return acceptance_document(self.data)


def machine(
    output: str | PathLike[str], *, ranks: int | None = None, ranks_per_node: int | None = None,
    on: "str | Lab" = "local", storage: str | PathLike[str] | None = None, only: Sequence[str] = (), seed: int = 1,
    quick: bool = False, label: str | None = None, host_names: bool = False, retries: int | None = None,
    time_limit: str | None = None, engine: str | PathLike[str] | None = None, progress: Report | None = None,
) -> MachineResults:  # fmt: skip
    """Measure a machine with a fixed suite in the new directory `output`; this takes about 5 to 10 minutes.

        results = stressbench.machine("tiny", on="lab:tiny", label="tiny")
        results.report("tiny.html", format="html")
        [(figure.name, figure.value, figure.low, figure.high) for figure in results.data.figures]

    Parameters are the options of `stressbench machine run`. `storage`: a directory as ranks see it. `only`: parts of
    the suite, such as `["latency", "noise"]`; default: all.

    Must be called in the main thread. Raises `stressbench.StressBenchError` if something is wrong, before anything
    starts, and `stressbench.MachineFailed` if runs failed or are left to do: `stressbench.machine_resume` continues.
    """
    limit_s = optional_seconds(time_limit, option="time_limit")
    settings = suite_settings(
        on=str(on), ranks=ranks, ranks_per_node=ranks_per_node, storage=None if storage is None else str(storage),
        only=",".join(only) or None, seed=seed, quick=quick, label=label, host_names=host_names,
        engine=None if engine is None else Path(engine),
    )  # fmt: skip
    directory = begin_machine(Path(output), settings)
    return _measured(directory, time_limit_s=limit_s, retries=retries, progress=progress)


def machine_resume(
    directory: str | PathLike[str], *, retries: int | None = None, time_limit: str | None = None,
    progress: Report | None = None,
) -> MachineResults:  # fmt: skip
    """Continue a measurement that was interrupted, or whose runs failed. Parameters and errors: `stressbench.machine`.

    Completed runs are kept, and an interrupted one is continued in its file.
    """
    limit_s = optional_seconds(time_limit, option="time_limit")
    return _measured(
        open_machine_directory(Path(directory)), time_limit_s=limit_s, retries=retries, progress=progress
    )  # fmt: skip


def read_machine(path: str | PathLike[str]) -> MachineResults:
    """Read the result of a machine: `machine.json`, or the directory that has it.

    Raises `stressbench.StressBenchError`, also if the content does not have its checksum.
    """
    return MachineResults(read_result(Path(path)))


def machine_verify(path: str | PathLike[str]) -> VerifiedMachine:
    """Check that neither a result nor the run files beside it have changed, and that its figures follow from them.

    The result has the number of `intact` files, the number of `figures` that were computed again from the run files, 0
    without them, and a sentence for each other file or figure (`complaints`). Raises
    `stressbench.StressBenchError` if there is no result, or its content does not have its checksum.
    """
    return verify_machine(Path(path))


def compare_machines(
    a: str | PathLike[str] | MachineResults, b: str | PathLike[str] | MachineResults, *, within: float = 0.05,
    simultaneous: bool = False, confirm: str | PathLike[str] | MachineResults | None = None,
) -> MachineComparisonResults:  # fmt: skip
    """Compare machine B with machine A, figure by figure: better, worse, same, undecided or not comparable.

        stressbench.compare_machines("old/machine.json", "new/machine.json", within=0.1).worse

    `within` is the smallest difference of interest, a share. With `simultaneous`, all intervals together have a
    confidence of 95 %, not each by itself. `confirm`, a second measurement of B: a figure is better or worse only if it
    is so in both. Raises `stressbench.StressBenchError`.
    """
    confirmation = None if confirm is None else _result(confirm)
    return MachineComparisonResults(
        compare_results(_result(a), _result(b), within=within, simultaneous=simultaneous, confirmation=confirmation)
    )


def check_machine(path: str | PathLike[str] | MachineResults, criteria: str | PathLike[str]) -> MachineCheckResults:
    """Check the figures of a machine against acceptance criteria: met, missed, undecided or missing.

        stressbench.check_machine("offer/machine.json", "criteria.toml").accepted

    `criteria` is a TOML file (docs/how-to/procurement.md). Raises `stressbench.StressBenchError`.
    """
    return MachineCheckResults(check_result(_result(path), read_criteria(Path(criteria))))


def _result(machine: str | PathLike[str] | MachineResults) -> MachineResult:
    return machine.data if isinstance(machine, MachineResults) else read_result(Path(machine))


def _measured(
    directory: MachineDirectory, *, time_limit_s: float | None, retries: int | None, progress: Report | None
) -> MachineResults:
    outcome = run_machine(
        directory, time_limit_s=time_limit_s, retries=retries, progress=reporting_to(progress)
    )  # fmt: skip
    results = None if outcome.result is None else MachineResults(outcome.result)
    if outcome.status != ExitStatus.ok or results is None:
        raise MachineFailed(outcome.study.summary, status=outcome.status, results=results)
    return results
