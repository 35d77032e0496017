"""StressBench: what congestion does to real applications.

    import stressbench

    results = stressbench.run("workloads/demo.sb", ranks=8, ranks_per_node=1)     # or: stressbench.read("demo.jsonl")
    results.impacts()       # a data frame: congestion impact of each job and motif, with intervals
    results.report("demo.html")

    with stressbench.lab("tiny") as lab:                                          # a virtual cluster on this machine
        results = stressbench.run("workloads/demo.sb", on=lab)

    stressbench.study("placement.toml", output="placement").cells()               # many runs over a grid of factors
    stressbench.profile(["mpirun", "-n", "4", "./solver"]).operations()           # where a program's time goes
    stressbench.validate(["tealeaf", "-x", "1000"], ["./tea_leaf"], ranks=2)      # a motif beside its application

Functions and classes are loaded on first use, so that `import stressbench` is fast.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stressbench.api.failures import ProfileFailed as ProfileFailed
    from stressbench.api.failures import RunFailed as RunFailed
    from stressbench.api.failures import StudyFailed as StudyFailed
    from stressbench.api.labs import Lab as Lab
    from stressbench.api.labs import lab as lab
    from stressbench.api.profile_results import ProfileResults as ProfileResults
    from stressbench.api.profiling import profile as profile
    from stressbench.api.reading import read as read
    from stressbench.api.run_results import RunResults as RunResults
    from stressbench.api.running import run as run
    from stressbench.api.study_results import StudyResults as StudyResults
    from stressbench.api.studying import read_study as read_study
    from stressbench.api.studying import study as study
    from stressbench.api.validating import validate as validate
    from stressbench.api.validation_results import ValidationResults as ValidationResults
    from stressbench.errors import StressBenchError as StressBenchError
    from stressbench.formats.errors import RunFileError as RunFileError

try:
    __version__ = version("stressbench")
except PackageNotFoundError:  # imported from a source tree that was not installed
    __version__ = "0+uninstalled"

_OFFERED = {
    "Lab": "stressbench.api.labs",
    "ProfileFailed": "stressbench.api.failures",
    "ProfileResults": "stressbench.api.profile_results",
    "RunFailed": "stressbench.api.failures",
    "RunFileError": "stressbench.formats.errors",
    "RunResults": "stressbench.api.run_results",
    "StressBenchError": "stressbench.errors",
    "StudyFailed": "stressbench.api.failures",
    "StudyResults": "stressbench.api.study_results",
    "ValidationResults": "stressbench.api.validation_results",
    "lab": "stressbench.api.labs",
    "profile": "stressbench.api.profiling",
    "read": "stressbench.api.reading",
    "read_study": "stressbench.api.studying",
    "run": "stressbench.api.running",
    "study": "stressbench.api.studying",
    "validate": "stressbench.api.validating",
}
__all__ = [
    "Lab",
    "ProfileFailed",
    "ProfileResults",
    "RunFailed",
    "RunFileError",
    "RunResults",
    "StressBenchError",
    "StudyFailed",
    "StudyResults",
    "ValidationResults",
    "__version__",
    "lab",
    "profile",
    "read",
    "read_study",
    "run",
    "study",
    "validate",
]


def __getattr__(name: str) -> Any:
    if name not in _OFFERED:
        raise AttributeError(f"module 'stressbench' has no attribute '{name}'")
    return getattr(import_module(_OFFERED[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_OFFERED})
