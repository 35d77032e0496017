"""StressBench: what congestion does to real applications.

    import stressbench

    results = stressbench.run("workloads/demo.sb", ranks=8, ranks_per_node=1)     # or: stressbench.read("demo.jsonl")
    results.impacts()       # a data frame: congestion impact of each job and motif, with intervals
    results.report("demo.html")

What this module offers is loaded when it is first used, so that importing it takes no time.
"""

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stressbench.api import RunFailed as RunFailed
    from stressbench.api import RunResults as RunResults
    from stressbench.api import read as read
    from stressbench.api import run as run
    from stressbench.errors import StressBenchError as StressBenchError
    from stressbench.formats.errors import RunFileError as RunFileError

try:
    __version__ = version("stressbench")
except PackageNotFoundError:  # imported from a source tree that was not installed
    __version__ = "0+uninstalled"

_OFFERED = {
    "RunFailed": "stressbench.api",
    "RunFileError": "stressbench.formats.errors",
    "RunResults": "stressbench.api",
    "StressBenchError": "stressbench.errors",
    "read": "stressbench.api",
    "run": "stressbench.api",
}
__all__ = ["RunFailed", "RunFileError", "RunResults", "StressBenchError", "__version__", "read", "run"]


def __getattr__(name: str) -> Any:
    if name not in _OFFERED:
        raise AttributeError(f"module 'stressbench' has no attribute '{name}'")
    return getattr(import_module(_OFFERED[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_OFFERED})
