"""Probes of the network as a workload of its own, and their latencies as its run file tells them (papers/001, III-A).

A job a pair of nodes sleeps, and plays one ping-pong, over and over. Pure: who runs it is not told here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from stressbench.model import Kind, Run
from stressbench.model.samples import Integers
from stressbench.sensitivity.errors import CannotTell
from stressbench.sensitivity.probing import Floats

AVERAGED = 2
"""Messages that each latency is the mean of: half a round trip."""
_ROUND_S = 1.0
_SPREAD = 0.1
_PAUSE, _PING_PONG = 0, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Probing:
    """How probes are sent: by `pairs` pairs of nodes, `message_bytes` to and fro, every `interval_s`."""

    pairs: int
    message_bytes: int
    interval_s: float

    @property
    def repetitions(self) -> int:
        """Ping-pongs of a pair in a round, which lasts a second or one interval: so soon probes can be stopped."""
        return max(1, round(_ROUND_S / self.interval_s))

    def pause_ns(self, pair: int) -> int:
        """The sleep of this pair, counted from 0: the later ones up to a tenth longer, so that pairs never meet.

        Rounds begin with all pairs at once; with equal sleeps each ping-pong would wait for those of the others.
        """
        return round(self.interval_s * 1e9 * (1 + _SPREAD * pair / self.pairs))

    def rounds(self, seconds: float) -> int:
        """Rounds that last so long, and one more: the first of a launch makes connections and does not count."""
        return 1 + ceil(seconds / (self.repetitions * self.interval_s))

    @property
    def workload(self) -> str:
        """The text of a .sb file, for a launch of probes alone."""
        return "# probes of `stressbench impact`\n" + "".join(
            self.job(pair, where="[NODES] 2\n") for pair in range(self.pairs)
        )

    def job(self, pair: int, *, where: str) -> str:
        """One pair, counted from 0, as a job of a .sb file; `where`: its lines about nodes."""
        return (
            f"[JOB_NAME] pair{pair}\n{where}[REPEAT] {self.repetitions}\n"
            f"[MOTIF] compute --mode sleep --mean {self.pause_ns(pair)}ns\n"
            f"[MOTIF] pingpong --size {self.message_bytes}B\n"
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Probes:
    """Ping-pongs in the order of time, shape (n,) each: one-way latency, when it began (from any origin), its round,
    and by how much longer than asked the slower side of the pair had slept before it. `hosts`: of all pairs in it.
    """

    hosts: tuple[str, ...]
    latencies_s: Floats
    at_s: Floats
    round: Integers
    late_s: Floats

    def __len__(self) -> int:
        """How many."""
        return len(self.latencies_s)


def probes_of(run: Run, probing: Probing) -> tuple[Probes, ...]:
    """Of each pair, timed from the launch's start, but for the first round. CannotTell where it is not of `probing`.

    Jobs in the background, behind those of the pairs, are no probes.
    """
    if len(run.measured_jobs) != probing.pairs or any(len(job.steps) <= _PING_PONG for job in run.measured_jobs):
        raise CannotTell(f"{run.path} holds no probes of {probing.pairs} pairs")
    return tuple(_pair(run, job, probing.pause_ns(job) * 1e-9) for job in range(probing.pairs))


def _pair(run: Run, job: int, pause_s: float) -> Probes:
    whole, pause, played = (run.samples_of(job=job, step=step) for step in (None, _PAUSE, _PING_PONG))
    hosts = run.hosts_of(job=job)
    if whole is None or pause is None or played is None:
        nothing = np.empty(0)
        return Probes(hosts=hosts, latencies_s=nothing, at_s=nothing, round=np.empty(0, dtype=np.int64), late_s=nothing)
    starts = {one.round: one.started_s for one in run.rounds if one.kind is Kind.contended}
    first = min(starts, default=0)
    latencies = played.time_max_s * run.jobs[job].steps[_PING_PONG].quantity_scale
    at, began, now = np.empty(len(whole)), 0, 0.0
    for place, (number, took) in enumerate(zip(whole.round.tolist(), whole.time_max_s.tolist(), strict=True)):
        if number != began:
            began, now = number, starts.get(number, np.nan)
        now += took
        at[place] = now - float(played.time_max_s[place])
    kept = np.isfinite(latencies) & np.isfinite(at) & (latencies > 0) & (whole.round != first)
    return Probes(
        hosts=hosts, latencies_s=latencies[kept], at_s=at[kept], round=whole.round[kept],
        late_s=pause.time_max_s[kept] - pause_s,
    )  # fmt: skip


def between(probes: Probes, *, began_s: float, ended_s: float) -> Probes:
    """Those that were over before `ended_s`, and began at `began_s` or later; their time counts from there."""
    kept = (probes.at_s >= began_s) & (probes.at_s + AVERAGED * probes.latencies_s <= ended_s)
    return replace(
        probes, latencies_s=probes.latencies_s[kept], at_s=probes.at_s[kept] - began_s, round=probes.round[kept],
        late_s=probes.late_s[kept],
    )  # fmt: skip


def one_after_the_other(launches: Sequence[Probes]) -> Probes:
    """Several launches of one pair, at least one, as one series: each begins where the one before it ends."""
    at, rounds, origin, first = [], [], 0.0, 0
    for one in launches:
        at.append(one.at_s + origin)
        rounds.append(one.round + first)
        if len(one):
            origin, first = float(at[-1][-1]), int(rounds[-1].max())
    return Probes(
        hosts=launches[0].hosts,
        latencies_s=np.concatenate([one.latencies_s for one in launches]), at_s=np.concatenate(at),
        round=np.concatenate(rounds), late_s=np.concatenate([one.late_s for one in launches]),
    )  # fmt: skip


def pooled(pairs: Sequence[Probes]) -> Probes:
    """All pairs, at least one, as one series in the order of time."""
    at = np.concatenate([one.at_s for one in pairs])
    order = np.argsort(at, kind="stable")
    return Probes(
        hosts=tuple(dict.fromkeys(host for one in pairs for host in one.hosts)),
        latencies_s=np.concatenate([one.latencies_s for one in pairs])[order], at_s=at[order],
        round=np.concatenate([one.round for one in pairs])[order],
        late_s=np.concatenate([one.late_s for one in pairs])[order],
    )  # fmt: skip
