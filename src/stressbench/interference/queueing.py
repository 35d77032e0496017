"""The switch as an M/G/1 queue (Casas and Bronevetsky, IV-B): how long a packet waits, and the utilisation from it.

Packets come at the mean rate lambda (1/s) as a Poisson stream; one server needs the mean time 1/mu (s) with variance
Var(S) (s^2) for each; utilisation rho = lambda / mu, from 0 to 1. Formulas only; what samples say is in `utilisation`.
"""

from dataclasses import dataclass

from stressbench.interference.errors import Inconclusive


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """How long the server is busy with one packet. ValueError where the mean is not positive or the variance is < 0."""

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
        """What is left, on average, of the service in progress when somebody arrives: E[S^2] / (2 E[S])."""
        return self.mean_s * (1 + self.squared_variation) / 2


def mean_wait(utilisation: float, service: Service) -> float:
    """Seconds before service begins (Pollaczek and Khinchine): rho / (1 - rho) residual services.

    ValueError unless 0 <= utilisation < 1: from 1 on the wait grows for ever.
    """
    if not 0 <= utilisation < 1:
        raise ValueError(f"utilisation {utilisation}: expected a number from 0 to below 1")
    return utilisation / (1 - utilisation) * service.residual_s


def mean_time(utilisation: float, service: Service) -> float:
    """Seconds from arrival to departure, W of Equations (1) and (2). ValueError as `mean_wait`."""
    return mean_wait(utilisation, service) + service.mean_s


def utilisation_of_wait(wait_s: float, service: Service) -> float:
    """The rho at which packets wait so long, from 0 to below 1: Equation (3) over mu, with W - 1/mu = `wait_s`.

    With the residual service R: rho = wait / (wait + R). A negative wait is Inconclusive.
    """
    if wait_s < 0:
        raise Inconclusive(f"a wait of {wait_s:g} s is less than nothing")
    return wait_s / (wait_s + service.residual_s)


def arrival_rate(time_s: float, service: Service) -> float:
    """Packets a second, lambda of Equation (3), when the mean time in the queue is `time_s`.

    Inconclusive where that is less than a service.
    """
    return utilisation_of_wait(time_s - service.mean_s, service) / service.mean_s


def own_load(*, pairs: int, interval_s: float, service: Service) -> float:
    """Utilisation that ping-pongs cause themselves: two messages a pair every `interval_s`."""
    return 2 * pairs / interval_s * service.mean_s
