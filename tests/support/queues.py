"""A discrete-event simulation of one queue with one server; knows nothing of any formula."""

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Law = Callable[[random.Random], float]

MEAN_S = 2e-6
"""Of every law below."""


def exponential(source: random.Random) -> float:
    return source.expovariate(1 / MEAN_S)


def constant(source: random.Random) -> float:
    return MEAN_S


def two_sizes(source: random.Random) -> float:
    """Nine short packets for each long one: squared variation 2.25."""
    return MEAN_S * (5.5 if source.random() < 0.1 else 0.5)


def gamma(source: random.Random) -> float:
    """Squared variation 0.25."""
    return source.gammavariate(4, MEAN_S / 4)


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """Arrivals of `burst` packets at once; offered load, 0 to 1, of the server. `room`: packets that fit, None: all."""

    load: float
    law: Law
    burst: int = 1
    room: int | None = None


def idle_latencies(law: Law, *, count: int, seed: int = 7) -> NDArray[np.float64]:
    """Of probes that wait for nobody."""
    source = random.Random(seed)
    return np.array([law(source) for _ in range(count)])


def loaded_latencies(
    phases: Sequence[tuple[Traffic, float]], *, every: float = 5.0, seed: int = 1
) -> NDArray[np.float64]:
    """Of probes that look at the queue every so many mean services, and take no time of the server.

    `phases`: traffic and how long it lasts, in mean services.
    """
    source = random.Random(seed)
    seen: list[float] = []
    now = begin = 0.0
    probe_at = every * MEAN_S
    leaving: deque[float] = deque()  # when each packet in the system will have been served
    for traffic, services in phases:
        end = begin + services * MEAN_S
        rate = traffic.load / MEAN_S / traffic.burst
        now = begin + source.expovariate(rate) if rate > 0 else end
        while True:
            until = min(now, end)
            while probe_at <= until:
                while leaving and leaving[0] <= probe_at:
                    leaving.popleft()
                free = leaving[-1] if leaving else probe_at
                seen.append(free - probe_at + traffic.law(source))
                probe_at += every * MEAN_S
            if now >= end:
                break
            while leaving and leaving[0] <= now:
                leaving.popleft()
            for _ in range(traffic.burst):
                if traffic.room is None or len(leaving) < traffic.room:
                    leaving.append((leaving[-1] if leaving else now) + traffic.law(source))
            now += source.expovariate(rate)
        begin = end
    return np.array(seen)
