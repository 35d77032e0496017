"""Discrete-event simulation of a single-server queue, independent of any formula."""

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
    """Nine short packets per long one: squared coefficient of variation 2.25."""
    return MEAN_S * (5.5 if source.random() < 0.1 else 0.5)


def gamma(source: random.Random) -> float:
    """Squared coefficient of variation 0.25."""
    return source.gammavariate(4, MEAN_S / 4)


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """Arrivals of `burst` packets at once; offered load 0 to 1. `room`: maximum number of packets, None: unlimited."""

    load: float
    law: Law
    burst: int = 1
    room: int | None = None


def idle_latencies(law: Law, *, count: int, seed: int = 7) -> NDArray[np.float64]:
    """Latencies of probes on an idle server."""
    source = random.Random(seed)
    return np.array([law(source) for _ in range(count)])


def loaded_latencies(
    phases: Sequence[tuple[Traffic, float]], *, every: float = 5.0, seed: int = 1, probe: Law | None = None
) -> NDArray[np.float64]:
    """Latencies of probes at a fixed interval in mean service times; probes take no time of the server.

    `phases`: traffic and its duration in mean service times. `probe`: what a probe takes itself, None: as a packet.
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
                seen.append(free - probe_at + (probe or traffic.law)(source))
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
