"""Times of a workload, round by round, from its run file; they do not include the start of MPI."""

import numpy as np

from stressbench.formats.run import Kind, Phase, Run
from stressbench.interference.errors import Inconclusive


def round_times(run: Run) -> tuple[float, ...]:
    """The time of each contended round, s: all measured repetitions of the job that took longest.

    The first round is left out, since it establishes connections, and so are the extra repetitions of jobs that finish
    early. Raises Inconclusive if no round is left.
    """
    numbers = [one.round for one in run.rounds if one.kind is Kind.contended][1:]
    longest = dict.fromkeys(numbers, 0.0)
    for job in run.measured_jobs:
        samples = run.samples_of(job=job.job)
        if samples is None:
            continue
        counted = samples.in_phases(Phase.measured) & np.isfinite(samples.time_max_s)
        for number in numbers:
            took = float(samples.time_max_s[counted & (samples.round == number)].sum())
            longest[number] = max(longest[number], took)
    times = tuple(took for took in longest.values() if took > 0)
    if not times:
        raise Inconclusive(f"{run.path.name} holds no round behind its first one")
    return times
