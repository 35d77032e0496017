"""Other phases of the program of a motif than its iterations: what precedes them, with the same options. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from stressbench.tracing.recognition.candidate import Candidate

_ITERATION = ""
_PHASES: Mapping[str, tuple[str, ...]] = {
    "minife": ("setup", "start", _ITERATION),
    "nekbone": ("setup", _ITERATION, "start", "exchange"),
}
"""Values of option `phase` by motif, in the order in which they are looked for: none is part of an earlier one."""


def phases(candidate: Candidate) -> Iterator[Candidate]:
    """The phases of a motif in the order in which they have to be looked for, its iteration (the motif itself) too."""
    for phase in _PHASES.get(candidate.motif, (_ITERATION,)):
        yield candidate if phase == _ITERATION else replace(candidate, options=(*candidate.options, ("phase", phase)))
