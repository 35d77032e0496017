"""How long a workload takes, round by round, from its run file: the start of MPI is no part of that."""

import numpy as np

from stressbench.formats.run import Kind, Phase, Run
from stressbench.interference.errors import Inconclusive


def round_times(run: Run) -> tuple[float, ...]:
    """Of each contended round but the first, s: the chain of the measured job that took longest, all its repetitions.

    The first round makes connections. What jobs did until others were through does not count. Inconclusive where no
    round is left.
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
