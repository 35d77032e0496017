"""The first screen of a report: who was slowed, by how much, where, how much longer tails are, and what to do next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import expm1, log

from stressbench.formats.run import Role
from stressbench.report.document import Fact
from stressbench.report.names import printable
from stressbench.report.network.blocks import block_network
from stressbench.report.network.crossings import crossings
from stressbench.report.run.section import RunSection
from stressbench.report.run.sentences import percent_name
from stressbench.report.units import bit_rate, count, factor, interval
from stressbench.report.verdicts import (
    LEAST_DISTANCE,
    MAX_NAMED,
    TOO_FEW_REPETITIONS,
    Verdict,
    excess,
    farthest_tail,
    joined,
    some_of,
    verdict_on,
)
from stressbench.stats import JobSummary, LinkUtilisation, TailImpact
from stressbench.stats.intervals import MIN_PAIRS
from stressbench.stats.planning import plan_of

MIN_USE = 0.02
"""Share of a link's rate from which a job counts as a user of the link."""
_PLACEMENT = "`--place`"


def verdict_of(job: JobSummary, *, slowed_above: float) -> Verdict:
    """The verdict from the interval of the job's congestion impact."""
    impact = job.timing.impact
    return verdict_on(impact.low, impact.high, slowed_above=slowed_above)


@dataclass(frozen=True, kw_only=True)
class _Verdicts:
    """Measured jobs by verdict, those with the largest impact first."""

    by_verdict: dict[Verdict, tuple[JobSummary, ...]]

    def of(self, verdict: Verdict) -> tuple[JobSummary, ...]:
        return self.by_verdict[verdict]


def answers(section: RunSection) -> tuple[Fact, ...]:
    """One sentence or two for each question."""
    measured = sorted(
        (job for job in section.jobs if job.role is Role.measured), key=lambda job: -(job.timing.impact.ratio or 0.0)
    )
    limit = section.options.limits.slowed_above
    verdicts = _Verdicts(
        by_verdict={
            verdict: tuple(job for job in measured if verdict_of(job, slowed_above=limit) is verdict)
            for verdict in Verdict
        }
    )
    return (
        Fact(name="Who is slowed", value=_who(section, verdicts)),
        Fact(name="By how much", value=_how_much(measured)),
        Fact(name="Where", value=where(section)),
        Fact(name="Tail", value=_tail(section, measured)),
        Fact(name="Next step", value=" ".join(_next_steps(section, verdicts))),
    )


def _names(jobs: Sequence[JobSummary]) -> str:
    return some_of([printable(job.name) for job in jobs])


def _who(section: RunSection, verdicts: _Verdicts) -> str:
    more = excess(section.options.limits.slowed_above)
    slowed, clear, open_ = (verdicts.of(one) for one in (Verdict.slowed, Verdict.not_slowed, Verdict.undecided))
    unknown = verdicts.of(Verdict.unknown)
    if len(section.jobs) == 1:
        return f"Nobody: {_names(section.jobs)} is the only job, so nothing contends with it."
    sentences = []
    if slowed:
        sentences.append(f"{_names(slowed)} {'is' if len(slowed) == 1 else 'are'} slowed {more}.")
    if clear:
        sentences.append(f"{_names(clear)} {'is' if len(clear) == 1 else 'are'} not slowed {more}.")
    if open_:
        sentences.append(f"Whether {_names(open_)} {'is' if len(open_) == 1 else 'are'} slowed {more} is undecided.")
    if unknown:
        sentences.append(f"Unknown for {_names(unknown)}: there is no interval.")
    return " ".join(sentences) or "Unknown: the run has no measured job."


def _how_much(measured: Sequence[JobSummary]) -> str:
    known = [job for job in measured if job.timing.impact.ratio is not None]
    if not known:
        return "Unknown: no job has both isolated and contended rounds."
    shown = known[:MAX_NAMED]
    texts = [_impact_text(job, verb=" takes" if number == 0 else "") for number, job in enumerate(shown)]
    more = f", {count(len(known) - len(shown), 'job')} more below" if len(known) > len(shown) else ""
    blocks = sorted({job.timing.impact.paired_blocks for job in shown})
    made_of = f"{blocks[0]}" if len(blocks) == 1 else f"{blocks[0]} to {blocks[-1]}"
    has_interval = any(job.timing.impact.low is not None for job in shown)
    note = f"in brackets the 95 % interval, from {made_of} blocks" if has_interval else "too few blocks for an interval"
    return f"Contended, {joined(texts)} of the isolated time{more}; {note}."


def _impact_text(job: JobSummary, *, verb: str) -> str:
    impact = job.timing.impact
    bounds = "" if impact.low is None or impact.high is None else f" {interval(impact.low, impact.high)}"
    return f"{printable(job.name)}{verb} {factor(impact.ratio)}×{bounds}"


def where(section: RunSection) -> str:
    """The busiest link, and whether slowed jobs share it; without link counters, the links that jobs must share.

    Simulations count the traffic of links to I/O nodes only, so that others may be used where none of these is.
    """
    links = section.summary.links
    if not links:
        return _where_by_placement(section)
    busiest, shared = busiest_link(links), shared_link(section)
    if use_of(busiest) < MIN_USE:
        if section.run.header.simulation is not None:
            return _where_by_placement(section)
        return "Not in the network: no link is used to more than 2 % of its rate."
    if shared is None or shared == busiest:
        which = "The busiest link" if shared is None else "The busiest link, which slowed jobs share,"
        return f"{which} is {_link_text(section, busiest)}; {_others_text(section, links)}."
    users = joined(_users(section, busiest)) or "no measured job alone"
    return (
        f"The busiest link that slowed jobs share is {_link_text(section, shared)}. The busiest of all is "
        f"{link_name(busiest)} ({_percent(use_of(busiest))}, used by {users}); {_others_text(section, links)}."
    )


def _others_text(section: RunSection, links: Sequence[LinkUtilisation]) -> str:
    limit = section.options.limits.busy_above
    busy = sum(use_of(link) > limit for link in links)
    if busy < 2:
        return f"no {'other ' if busy else ''}link is used to more than {100 * limit:.3g} %"
    return f"{busy} directions of links are used to more than {100 * limit:.3g} %"


def _link_text(section: RunSection, link: LinkUtilisation) -> str:
    """`a → b, used by x and y: 70 % of 100 Mbit/s in contended rounds and at most 40 % in isolated rounds (of x)`."""
    users = joined(_users(section, link))
    kind = "contended" if link.contended is not None else "isolated"
    text = f"{link_name(link)}{f', used by {users}' if users else ''}: {_percent(use_of(link))} of "
    text += f"{bit_rate(link.rate_bits_per_s)} in {kind} rounds"
    if link.contended is None or not link.isolated:
        return text
    most = max(link.isolated, key=lambda one: one.use)
    name = printable(next(job.name for job in section.jobs if job.job == most.job))
    return f"{text} and at most {_percent(most.use)} in isolated rounds (of {name})"


def busiest_link(links: Sequence[LinkUtilisation]) -> LinkUtilisation:
    """The direction of a link with the highest contended utilisation, or isolated without contended rounds."""
    return max(links, key=lambda link: (use_of(link), link.peak))


def shared_link(section: RunSection) -> LinkUtilisation | None:
    """The busiest direction of a link that a slowed job uses while isolated, and others use, too; None if none is."""
    slowed = slowed_jobs(section)
    shared = [
        link
        for link in section.summary.links or ()
        if link.contended is not None and slowed & set(users_of(link)) and _has_several_users(section, link)
    ]
    return busiest_link(shared) if shared else None


def slowed_jobs(section: RunSection) -> frozenset[int]:
    """Numbers of the jobs that are slowed: by the intervals of the run, unless more is known than this run tells."""
    if section.slowed is not None:
        return section.slowed
    limit = section.options.limits.slowed_above
    return frozenset(job.job for job in section.jobs if verdict_of(job, slowed_above=limit) is Verdict.slowed)


def named_links(section: RunSection) -> tuple[LinkUtilisation, ...]:
    """The links that the answers name: the busiest that slowed jobs share, if any, and the busiest of all."""
    links = section.summary.links
    if not links:
        return ()
    busiest, shared = busiest_link(links), shared_link(section)
    return (busiest,) if shared is None or shared == busiest else (shared, busiest)


def _has_several_users(section: RunSection, link: LinkUtilisation) -> bool:
    """Whether more than one job uses the link; the traffic of background jobs is what no isolated round explains."""
    if len(users_of(link)) > 1:
        return True
    unexplained = use_of(link) - sum(one.use for one in link.isolated)
    return unexplained >= MIN_USE and any(job.role is Role.background for job in section.jobs)


def use_of(link: LinkUtilisation) -> float:
    """The share of the rate in use in contended rounds, or else the highest isolated one."""
    return link.peak if link.contended is None else link.contended


def link_name(link: LinkUtilisation) -> str:
    """Both ends in the direction of the traffic."""
    return f"{printable(link.source)} → {printable(link.target)}"


def users_of(link: LinkUtilisation) -> tuple[int, ...]:
    """Jobs that use the link in their isolated rounds."""
    return tuple(one.job for one in link.isolated if one.use >= MIN_USE)


def _users(section: RunSection, link: LinkUtilisation) -> list[str]:
    names = {job.job: printable(job.name) for job in section.jobs}
    several = len(users_of(link)) < 2 and _has_several_users(section, link)
    return [*(names[job] for job in users_of(link)), *(["background jobs"] if several else [])]


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _where_by_placement(section: RunSection) -> str:
    if section.network is None:
        return "Unknown: the run has no link counters and no topology (`--topology FILE` tells it)."
    names = {job.job: printable(job.name) for job in section.jobs}
    shared = crossings(block_network(section.network), section.jobs_by_host)
    if not shared:
        return "Unknown: the run has no link counters, and the topology alone shows no link that jobs must share."
    first, more = shared[0], len(shared) - 1
    others = f"; {count(more, 'other link')} of the tree {'is' if more == 1 else 'are'} shared, too" if more else ""
    return (
        f"Not measured, as the run has no link counters. By the topology, {joined([names[job] for job in first.jobs])} "
        f"cross {printable(first.a)}-{printable(first.b)}{others}."
    )


def _tail(section: RunSection, measured: Sequence[JobSummary]) -> str:
    limit = section.options.limits.tail_above
    known = [(job, tail) for job in measured if (tail := farthest_tail(job.timing.tails)) is not None]
    if not known:
        return TOO_FEW_REPETITIONS
    longer = [(job, tail) for job, tail in known if (tail.low or 0.0) > limit]
    if longer:
        longer.sort(key=lambda one: -(one[1].ratio or 0.0))
        more = f"; {count(len(longer) - 1, 'other job')} above the limit, too" if len(longer) > 1 else ""
        return f"P{_tail_text(*longer[0])[1:]}{more}."
    most = max(known, key=lambda one: one[1].ratio or 0.0)
    return f"No tail is shown to be longer {excess(limit)}; at most, {_tail_text(*most)}."


def _tail_text(job: JobSummary, tail: TailImpact) -> str:
    ratio = f"{factor(tail.ratio)}× {interval(tail.low, tail.high)}"
    return f"percentile {percent_name(tail.share)} of {printable(job.name)} is {ratio} as long when contended"


def _next_steps(section: RunSection, verdicts: _Verdicts) -> Iterator[str]:
    """More rounds where they would decide; another placement where jobs share the busiest link; else what remains."""
    if not section.summary.facts.complete:
        yield "Complete the run first: `stressbench run … --continue`."
        return
    if len(section.jobs) == 1:
        yield "Add a job that contends."
        return
    more_rounds = _more_rounds(section, verdicts)
    if more_rounds is not None:
        yield more_rounds
    if verdicts.of(Verdict.slowed):
        yield cause(section)
    elif more_rounds is None:
        yield "None: no job is slowed beyond the limit. A larger load or another placement may still show congestion."


def _more_rounds(section: RunSection, verdicts: _Verdicts) -> str | None:
    """How many rounds would decide about all jobs that are undecided; None if there are none."""
    limit = section.options.limits.slowed_above
    few = [job for job in verdicts.of(Verdict.unknown) if job.timing.impact.ratio is not None]
    if few:
        return f"More rounds: an interval takes {MIN_PAIRS} blocks (`--isolated {MIN_PAIRS} --contended {MIN_PAIRS}`)."
    undecided = verdicts.of(Verdict.undecided)
    if not undecided:
        return None
    totals = [0]
    for job in undecided:
        distance = abs(log((job.timing.impact.ratio or 1.0) / limit))
        if distance < LEAST_DISTANCE:
            continue
        plan = plan_of(job.timing.rounds, target=expm1(distance))
        if plan.more_blocks is None:
            return f"More rounds cannot decide about {printable(job.name)} ({plan.reason})."
        totals.append(plan.blocks + max(1, plan.more_blocks))
    rounds = max(totals)
    if rounds == 0:
        return f"The ratio of {_names(undecided)} lies at the limit: choose another `--slowed-above` to decide."
    more = f"`--isolated {rounds} --contended {rounds}`"
    return f"More rounds: {more} should decide about {_names(undecided)}, if the ratio stays."


def cause(section: RunSection, *, placement: str = _PLACEMENT) -> str:
    """What to vary in order to find the cause of a slowdown; `placement`: what sets the placement of jobs."""
    links = section.summary.links
    if not links:
        crossed = () if section.network is None else crossings(block_network(section.network), section.jobs_by_host)
        if crossed:
            names = [printable(section.jobs[job].name) for job in crossed[0].jobs]
            return _another_placement(names, f"{printable(crossed[0].a)}-{printable(crossed[0].b)}", placement)
        return "Measure where: run the workload on a lab or in a simulation, whose links are counted."
    shared = shared_link(section)
    if shared is not None:
        return _another_placement(_users(section, shared), link_name(shared), placement)
    busiest = busiest_link(links)
    if use_of(busiest) > section.options.limits.busy_above:
        return (
            f"Look at the hosts first: slowed jobs share no link, and {link_name(busiest)}, which is busy, carries no "
            "traffic of theirs and others'."
        )
    return (
        "Look at the hosts: no link is busy, so that cores, memory or storage are more likely (`stressbench show` "
        "names the slowest hosts)."
    )


def _another_placement(jobs: Sequence[str], link: str, placement: str) -> str:
    return (
        f"Another placement: {joined(jobs)} share {link}. Give them nodes on different switches ([NID_LIST]) or vary "
        f"{placement}, and compare."
    )
