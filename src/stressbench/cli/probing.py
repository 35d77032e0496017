"""What `impact` does, launch by launch: probes alone, probes beside a program, the program alone."""

import random
from pathlib import Path

from stressbench.cli.companions import probes_of_errand
from stressbench.cli.errands import Errand
from stressbench.cli.following import say
from stressbench.cli.launches import Ended, Launches, RanBeside, read
from stressbench.exit_status import ExitStatus
from stressbench.interference.impact_analysis import ImpactData
from stressbench.interference.link_shares import LinkShares, link_shares, mean_link_shares
from stressbench.interference.probe_statistics import probing_time_s
from stressbench.interference.probes import ProbeSeries, concatenate_series
from stressbench.interference.queueing import Service
from stressbench.interference.utilisation import LEAST_SAMPLES
from stressbench.report.units import count


def measure(errand: Errand, *, folder: Path, effect: int, traffic: Service | None) -> ImpactData:
    """All launches, one after the other, files of theirs in `folder`.

    `effect`: how often the program also runs without probes, at least 0; as often with them, and once where it is 0.
    Raises LaunchMistake, and Ended where nothing can be told.
    """
    launches, probes = Launches(errand, folder), probes_of_errand(errand)
    launches.check(probes)
    before = launches.idle("idle, before")
    beside: list[tuple[ProbeSeries, ...]] = []
    with_probes_s: list[float] = []
    without_s: list[float] = []
    links: list[LinkShares | None] = []
    for with_probes in _order(effect, seed=errand.seed):
        if with_probes:
            say(f"{errand.name} on {count(errand.shape.ranks, 'rank')}, with probes")
            ran = launches.beside(probes)
            with_probes_s += _time_of(errand, ran)
            run = read(ran.companion_file)
            beside.append(launches.pairs(run, beside=ran))
            during = ran.during(run)
            links.append(None if during is None else link_shares(run, began_s=during[0], ended_s=during[1]))
        else:
            without_s.append(_alone(errand, launches))
    loaded = tuple(concatenate_series(pair) for pair in zip(*beside, strict=True))
    _require_enough(errand, loaded, took_s=sum(with_probes_s))
    return ImpactData(
        probing=errand.probing, before=before, beside=loaded,
        after=launches.idle("idle, after") if errand.after else (), with_probes_s=tuple(with_probes_s),
        without_s=tuple(without_s), traffic=traffic, links=mean_link_shares(links),
    )  # fmt: skip


def _order(effect: int, *, seed: int) -> list[bool]:
    """Runs with probes (True) and without, in pairs of random order; once with them where nobody asks for the rest."""
    source = random.Random(seed)
    pairs = [source.choice(([True, False], [False, True])) for _ in range(effect)]
    return [one for pair in pairs for one in pair] or [True]


def _time_of(errand: Errand, ran: RanBeside) -> list[float]:
    """Nobody knows it where the time limit came before the end."""
    if not ran.limited:
        return [ran.took_s]
    say(f"{errand.name} was ended at --time-limit, after {ran.took_s:.3g} s; what probes saw until then counts")
    return []


def _alone(errand: Errand, launches: Launches) -> float:
    say(f"{errand.name} on {count(errand.shape.ranks, 'rank')}, without probes")
    ran = launches.alone()
    if ran.limited:
        raise Ended(
            f"{errand.name} was ended at --time-limit, so that nobody knows how long it takes; leave --effect or "
            "the limit out",
            status=ExitStatus.fault, tail="",
        )  # fmt: skip
    return ran.took_s


def _require_enough(errand: Errand, beside: tuple[ProbeSeries, ...], *, took_s: float) -> None:
    found, every, pairs = sum(map(len, beside)), errand.probing.interval_s, errand.probing.pairs
    if found >= LEAST_SAMPLES:
        return
    took = "" if not took_s else f" took {took_s:.3g} s, too short:"
    raise Ended(
        f"{errand.name}{took} {found} probes came in that time, and {LEAST_SAMPLES} are the least, which is "
        f"{probing_time_s(LEAST_SAMPLES, errand.probing):.3g} s of {'one pair' if pairs == 1 else f'{pairs} pairs'} "
        f"every {every * 1e3:g} ms. Give it more to do, or probe more often (--every)",
        status=ExitStatus.fault, tail="",
    )  # fmt: skip
