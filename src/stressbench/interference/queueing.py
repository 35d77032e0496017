"""The switch as an M/G/1 queue (Casas and Bronevetsky, IV-B): waiting time of a packet, and utilisation from it.

Packets arrive as a Poisson stream with mean rate lambda (1/s); one server needs the mean time 1/mu (s) with variance
Var(S) (s^2) for each. The utilisation is rho = lambda / mu, from 0 to 1. Estimates from samples: `utilisation`.
"""

from dataclasses import dataclass

from stressbench.interference.errors import Inconclusive


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Mean and variance of a packet's service time. Raises ValueError unless the mean is above 0, the variance >= 0."""

    mean_s: float
    variance_s2: float

    def __post_init__(self) -> None:
        if not self.mean_s > 0:
            raise ValueError(f"mean_s {self.mean_s}: expected a time above 0 s")
        if not self.variance_s2 >= 0:
            raise ValueError(f"variance_s2 {self.variance_s2}: expected 0 s^2 or more")

    @property
    def squared_variation(self) -> float:
        """Variance over squared mean, without unit: 0 for M/D/1, 1 for M/M/1."""
        return self.variance_s2 / self.mean_s**2

    @property
    def residual_s(self) -> float:
        """Mean residual of the service in progress when a packet arrives: E[S^2] / (2 E[S])."""
        return self.mean_s * (1 + self.squared_variation) / 2


def mean_wait(utilisation: float, service: Service) -> float:
    """Mean waiting time, s (Pollaczek and Khinchine): rho / (1 - rho) residual service times.

    Raises ValueError unless 0 <= utilisation < 1: at 1 and above the queue has no steady state.
    """
    if not 0 <= utilisation < 1:
        raise ValueError(f"utilisation {utilisation}: expected a number from 0 to below 1")
    return utilisation / (1 - utilisation) * service.residual_s


def mean_time(utilisation: float, service: Service) -> float:
    """Mean time from arrival to departure, s: W of Equations (1) and (2). Raises ValueError as `mean_wait` does."""
    return mean_wait(utilisation, service) + service.mean_s


def utilisation_of_wait(wait_s: float, service: Service) -> float:
    """The utilisation, from 0 to below 1, at which the mean waiting time is `wait_s`: Equation (3) divided by mu.

    With the residual service time R: rho = wait / (wait + R). Raises Inconclusive for a negative wait.
    """
    if wait_s < 0:
        raise Inconclusive(f"a waiting time of {wait_s:g} s is negative")
    return wait_s / (wait_s + service.residual_s)


def arrival_rate(time_s: float, service: Service) -> float:
    """Packets per second, lambda of Equation (3), when the mean time from arrival to departure is `time_s`.

    Raises Inconclusive if that is less than the mean service time.
    """
    return utilisation_of_wait(time_s - service.mean_s, service) / service.mean_s


def own_load(*, pairs: int, interval_s: float, service: Service) -> float:
    """Utilisation that the probes cause themselves: two messages per pair every `interval_s`."""
    return 2 * pairs / interval_s * service.mean_s
