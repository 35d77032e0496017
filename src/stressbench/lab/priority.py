"""Being heard beside ranks that take turns at real-time priority: they leave others a twentieth of the cores."""

import os
from contextlib import suppress

_PRIORITY_ABOVE_RANKS = 2


def raise_priority() -> None:
    """Go before ranks from now on, where that is permitted; for who sleeps most of the time."""
    with suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(_PRIORITY_ABOVE_RANKS))
