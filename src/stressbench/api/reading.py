"""`stressbench.read`: the results in a file or a directory of any kind."""

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from stressbench.api.coruns import CorunResults, corun_report
from stressbench.api.machines import MachineResults, read_machine
from stressbench.api.predictions import SensitivityResults, sensitivity
from stressbench.api.profile_results import ProfileResults
from stressbench.api.run_results import RunResults
from stressbench.api.study_results import StudyResults
from stressbench.api.studying import read_study
from stressbench.api.suites import BEffIOResults, BEffResults, read_beff, read_beff_io
from stressbench.api.sweeps import DegradeResults, RailsResults, degrade_report, rails_report
from stressbench.api.tracing import TraceResults
from stressbench.experiments.traces import read_profile
from stressbench.formats.kinds import Kind, kind_of
from stressbench.formats.run import read_run
from stressbench.formats.trace import read_trace

AnyResults: TypeAlias = (
    RunResults
    | TraceResults
    | ProfileResults
    | SensitivityResults
    | BEffResults
    | BEffIOResults
    | MachineResults
    | StudyResults
    | DegradeResults
    | RailsResults
    | CorunResults
)
_READERS: Mapping[Kind, Callable[[Path], AnyResults]] = {
    Kind.run: lambda path: RunResults(read_run(path)),
    Kind.trace: lambda path: TraceResults(read_trace(path)),
    Kind.profile: lambda path: ProfileResults(read_profile(path), sources=(path,)),
    Kind.sensitivity: sensitivity,
    Kind.b_eff: read_beff,
    Kind.b_eff_io: read_beff_io,
    Kind.machine: read_machine,
    Kind.study: read_study,
    Kind.rate_launches: degrade_report,
    Kind.rail_launches: rails_report,
    Kind.coruns: corun_report,
}


def read(path: str | PathLike[str]) -> AnyResults:
    """Read the results in a file that a command wrote, or in the directory of a study or a sweep.

        stressbench.read("demo.jsonl").impacts()       # a run file: RunResults
        stressbench.read("placement").cells()          # the directory of a study: StudyResults

    The file itself says what it is: a run file (`RunResults`), a trace (`TraceResults`), a profile of `stressbench
    profile` (`ProfileResults`), one of `impact` or `compress` (`SensitivityResults`), a protocol of `beff` or `beff-io`
    (`BEffResults`, `BEffIOResults`), the result of a machine (`MachineResults`), or the directory of a study
    (`StudyResults`) or of a program's launches (`DegradeResults`, `RailsResults`, `CorunResults`). `read_run` and
    `read_study` read only one kind, for type checkers.

    Of a run, rounds that were not committed are left out, so that the file of an interrupted run, or of one that is
    still running, can be read. Raises `stressbench.StressBenchError`, which names file and line, if the file cannot be
    read, or is of another kind.
    """
    return _READERS[kind_of(Path(path))](Path(path))
