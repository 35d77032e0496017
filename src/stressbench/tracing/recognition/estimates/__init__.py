"""Estimates: for each motif of an application, the options with which it would send messages of these sizes. Pure.

An estimate may be wrong: whether the motif then makes the program's calls is for others to compare.
"""

from collections.abc import Callable, Iterator
from itertools import chain

from stressbench.tracing.recognition.candidate import Candidate
from stressbench.tracing.recognition.communication import Communication
from stressbench.tracing.recognition.estimates.bricks import nekbone
from stressbench.tracing.recognition.estimates.classes import npb
from stressbench.tracing.recognition.estimates.cubes import LargestMessage, cubes
from stressbench.tracing.recognition.estimates.fourier import fft2d, fft3d, swfft, vpfft
from stressbench.tracing.recognition.estimates.halos import cloverleaf, lulesh, tealeaf
from stressbench.tracing.recognition.estimates.matrices import ptrans
from stressbench.tracing.recognition.estimates.multigrid import amg
from stressbench.tracing.recognition.estimates.sweeps import sweep3d
from stressbench.tracing.recognition.estimates.transport import umt

Estimate = Callable[[Communication], Iterator[Candidate]]
ESTIMATES: tuple[Estimate, ...] = (
    tealeaf, cloverleaf, lulesh, sweep3d, swfft, fft2d, fft3d, vpfft, ptrans, umt, amg, nekbone, npb,
)  # fmt: skip
"""All estimates that need nothing but the communication."""


def candidates(communication: Communication, largest_message: LargestMessage) -> Iterator[Candidate]:
    """The candidates of all estimates, each once."""
    found = chain.from_iterable(estimate(communication) for estimate in ESTIMATES)
    yield from dict.fromkeys(chain(found, cubes(communication, largest_message)))
