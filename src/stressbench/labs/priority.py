"""Real-time priority above MPI ranks, which run at real-time priority and leave 5 % of the cores to other processes."""

import os
from contextlib import suppress

_PRIORITY_ABOVE_RANKS = 2


def raise_priority() -> None:
    """Raise this process above the priority of ranks, if permitted. For processes that sleep most of the time."""
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(_PRIORITY_ABOVE_RANKS))
