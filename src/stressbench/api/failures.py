"""Errors of measurements that started but did not end as planned; they hold the results so far."""

from typing import TYPE_CHECKING, Any

from stressbench.errors import StressBenchError

if TYPE_CHECKING:
    from stressbench.api.machines import MachineResults
    from stressbench.api.profile_results import ProfileResults
    from stressbench.api.run_results import RunResults
    from stressbench.api.study_results import StudyResults
    from stressbench.api.suites import BEffResults
    from stressbench.api.sweeps import DegradeResults, RailsResults
    from stressbench.api.tracing import TraceResults
    from stressbench.api.validation_results import ValidationResults


class _FailedMeasurement(StressBenchError):
    def __init__(self, message: str, *, status: int, results: Any) -> None:
        super().__init__(message)
        self.status = status
        self.results = results


class RunFailed(_FailedMeasurement):
    """A run that started and did not end as planned: a rank died, a disk was full, or the run was interrupted.

    `status` is the exit status of `stressbench run`; `results` holds the completed rounds, None if there are none.
    """

    results: "RunResults | None"


class StudyFailed(_FailedMeasurement):
    """A study with runs that failed for good, or that ended early: it was interrupted, or reached its time limit.

    `status` is the exit status of `stressbench study run`; `results` holds the completed runs. `stressbench.study`
    with the study's directory continues it.
    """

    results: "StudyResults"


class MachineFailed(_FailedMeasurement):
    """A measurement of a machine with runs that failed for good, or that ended early.

    `status` is the exit status of `stressbench machine run`; `results` holds the figures so far, None if there are
    none. `stressbench.machine_resume` continues it.
    """

    results: "MachineResults | None"


class SweepFailed(_FailedMeasurement):
    """A sweep of a program of which launches failed; `results` holds the others."""

    results: "DegradeResults | RailsResults"


class RmaxFailed(_FailedMeasurement):
    """A run of hpcc that yielded no Rmax after b_eff was measured; `results` holds b_eff."""

    results: "BEffResults"


class ProfileFailed(_FailedMeasurement):
    """A program that ended with an error, or for which there is no profile.

    `status` is the exit status of `stressbench profile`: that of the program, unless it is 0; `results` holds the
    profile, None if there is none.
    """

    results: "ProfileResults | None"


class ValidationFailed(_FailedMeasurement):
    """A validation after whose launches the workload could not be written to `emit`; `results` holds all of them.

    `status` is the exit status of `stressbench validate`.
    """

    results: "ValidationResults"


class TraceFailed(_FailedMeasurement):
    """A program that ended with an error, or for which there is no trace, or no workload that repeats it.

    `status` is the exit status of `stressbench capture` or `record`; `results` holds the trace, None if there is none.
    """

    results: "TraceResults | None"
