"""What is reported of a program that failed."""

from stressbench.launch.cancellation import cancellation_in
from stressbench.launch.diagnosis import diagnose
from stressbench.launch.execute import Outcome

_SHOWN_LINES = 10


def lines_on_failure(program: str, outcome: Outcome, *, with_errors: bool = False) -> tuple[str, ...]:
    """How the program ended, and the last lines on its standard output. `with_errors`: and those on standard error."""
    streams = (outcome.output, outcome.errors) if with_errors else (outcome.output,)
    printed = [line for text in streams for line in text.splitlines()[-_SHOWN_LINES:]]
    last = "; the last lines that it printed:" if printed else ""
    return (f"{_end_of(program, outcome)}{last}", *printed)


def _end_of(program: str, outcome: Outcome) -> str:
    """Why Slurm ended it, which rank on which host a signal ended, if the launcher says so, or its status."""
    cancellation, death = cancellation_in(outcome.errors), diagnose(outcome)
    if cancellation is not None and (cancellation.ends_allocation or death is None):
        return f"{program} was ended: {cancellation.sentence}"
    if death is None:
        return f"{program} ended with status {outcome.status}"
    rank = "a rank" if death.rank is None else f"rank {death.rank}"
    host = "" if death.host is None else f" on host {death.host}"
    return f"{rank} of {program}{host} was ended by {death.signal_name}"
