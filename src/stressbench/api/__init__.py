"""The Python interface: measurements as functions, results as data frames. `import stressbench` offers all of it."""

from stressbench.api.reading import read
from stressbench.api.run_results import RunResults
from stressbench.api.running import RunFailed, run

__all__ = ["RunFailed", "RunResults", "read", "run"]
