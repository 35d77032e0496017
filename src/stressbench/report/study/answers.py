"""The first screen of a study: who was slowed in which cells, by how much, where, the tails, and what to do next."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, log

from stressbench.formats.run import Run
from stressbench.report.document import Fact
from stressbench.report.names import printable
from stressbench.report.run.answers import cause, where
from stressbench.report.run.options import ReportOptions
from stressbench.report.run.section import RunSection, section_of
from stressbench.report.run.sentences import percent_name
from stressbench.report.study.sentences import bidi_isolated
from stressbench.report.study.verdicts import FactorEffect, JobVerdict, StudyVerdicts, verdicts_of
from stressbench.report.units import count, factor, interval, multiplier_text
from stressbench.report.verdicts import MAX_NAMED, TOO_FEW_REPETITIONS, Verdict, excess, joined, some_of
from stressbench.results.selections import selections_of
from stressbench.results.study import StudyReport
from stressbench.results.study_data import StudyData
from stressbench.stats import congestion_impact

PLACEMENT = "placement"
_FACTOR = "the factor `placement` of the study"
_NO_RUN = "Unknown: no run is done."


@dataclass(frozen=True, kw_only=True, eq=False)
class FirstScreen:
    """Verdicts, sentences, and the run that stands for the worst cell: its id, and its section. None without runs."""

    verdicts: StudyVerdicts
    answers: tuple[Fact, ...]
    run: str | None
    section: RunSection | None


def first_screen(report: StudyReport, data: StudyData, options: ReportOptions) -> FirstScreen:
    """The first screen of the study. Raises TopologyMistake if the network of the options has no host of the run."""
    verdicts = verdicts_of(report, options.limits)
    run = _typical_run(verdicts.worst, data)
    section = None if run is None else _section(report, data.runs[run], verdicts, options)
    return FirstScreen(
        verdicts=verdicts, run=run, section=section,
        answers=(
            Fact(name="Who is slowed", value=_who(report, verdicts)),
            Fact(name="By how much", value=_how_much(report, verdicts)),
            Fact(name="Where", value=" ".join(_where(verdicts, section))),
            Fact(name="Tail", value=_tail(verdicts)),
            Fact(name="Next step", value=" ".join(_next_steps(report, data, verdicts, section))),
        ),
    )  # fmt: skip


def cell_text(values: Mapping[str, str]) -> str:
    """The values that distinguish a cell: `placement = interleaved, set.size = 4KiB`; empty if there is one cell."""
    return ", ".join(f"{printable(name)} = {bidi_isolated(value)}" for name, value in values.items())


def _typical_run(worst: JobVerdict | None, data: StudyData) -> str | None:
    """The run of the worst cell whose impact is closest to that of the cell; those with link counters come first."""
    runs = data.by_cell.get("" if worst is None else worst.cell, {})
    if worst is None or not runs:
        return None

    selections = selections_of(runs) if data.selections is None else data.selections

    def distance(id_: str) -> tuple[bool, float]:
        selection = selections.get((id_, worst.job))
        ratio = None if selection is None else congestion_impact(selection.rounds).ratio
        counted = any(one.links for one in runs[id_].rounds)
        return not counted, abs(log(ratio / worst.impact)) if ratio and worst.impact else inf

    return min(runs, key=distance) if len(runs) > 1 else next(iter(runs))


def _section(report: StudyReport, run: Run, verdicts: StudyVerdicts, options: ReportOptions) -> RunSection:
    worst = verdicts.worst
    assert worst is not None
    slowed = {one.job for one in verdicts.jobs if one.cell == worst.cell and one.verdict is Verdict.slowed}
    names = list(dict.fromkeys(job.name for cell in report.cells for job in cell.jobs))
    return replace(
        section_of(run, number=1, options=options), key="worst",
        subject=f"Worst cell ({cell_text(worst.values)})" if worst.values else "Worst cell",
        slowed=frozenset(job.job for job in run.jobs if job.name in slowed),
        style_numbers={job.job: names.index(job.name) for job in run.jobs if job.name in names},
    )  # fmt: skip


def _by_job(verdicts: StudyVerdicts) -> list[tuple[JobVerdict, ...]]:
    """Verdicts of each job over all cells: first the job that is slowed in most of them, then by impact."""
    jobs: dict[str, list[JobVerdict]] = {}
    for one in verdicts.jobs:
        jobs.setdefault(one.job, []).append(one)
    return sorted(
        map(tuple, jobs.values()),
        key=lambda ones: (-len(_with(Verdict.slowed, ones)), -max(one.impact or 0.0 for one in ones)),
    )


def _with(verdict: Verdict, ones: Sequence[JobVerdict]) -> list[JobVerdict]:
    return [one for one in ones if one.verdict is verdict]


def _who(report: StudyReport, verdicts: StudyVerdicts) -> str:
    jobs = _by_job(verdicts)
    if not jobs:
        return "Unknown: no run has a measured job." if report.done else _NO_RUN
    if all(one.verdict is Verdict.unknown for one in verdicts.jobs):
        return "Unknown: there is no interval."
    groups: dict[str, list[str]] = {}
    for ones in jobs:
        groups.setdefault(_cells_text(ones, present=len(ones) < verdicts.cells), []).append(bidi_isolated(ones[0].job))
    shown = list(groups.items())[:MAX_NAMED]
    more = len(jobs) - sum(len(names) for _, names in shown)
    limit = excess(verdicts.limits.slowed_above)
    sentences = [
        f"{some_of(names)} {'is' if len(names) == 1 else 'are'} shown to be slowed {limit} {cells}."
        for cells, names in shown
    ]
    return " ".join(sentences) + (f" {count(more, 'more job')}: see the table." if more else "")


def _cells_text(ones: Sequence[JobVerdict], *, present: bool) -> str:
    """In which cells a job is slowed: `in 2 of 6 cells (those with placement = linear), 1 undecided`.

    `present`: the job runs in some cells only.
    """
    slowed = _with(Verdict.slowed, ones)
    total = ("the only cell" if len(ones) == 1 else f"all {len(ones):,} cells") + (" where present" if present else "")
    if len(slowed) == len(ones):
        cells = f"in {total}"
    elif slowed:
        cells = f"in {len(slowed):,} of {count(len(ones), 'cell')}{_in_common(slowed, ones)}"
    else:
        cells = "in no cell" if len(ones) == 1 else f"in none of {len(ones):,} cells"
    rest = [
        f"{len(others):,} {text}"
        for verdict, text in ((Verdict.undecided, "undecided"), (Verdict.unknown, "without an interval"))
        if (others := _with(verdict, ones))
    ]
    return ", ".join([cells, *rest])


def _in_common(slowed: Sequence[JobVerdict], ones: Sequence[JobVerdict]) -> str:
    """The values of one factor that all slowed cells have and no other has; empty if there is no such factor."""
    for name in slowed[0].values:
        values = dict.fromkeys(one.values.get(name) for one in slowed)
        those = [one for one in ones if one.values.get(name) in values]
        if len(values) <= MAX_NAMED and len(those) == len(slowed):
            listed = joined([bidi_isolated(value or "") for value in values])
            return f" (those with {printable(name)} = {listed})"
    return ""


def _how_much(report: StudyReport, verdicts: StudyVerdicts) -> str:
    known = [[one for one in ones if one.impact is not None] for ones in _by_job(verdicts)]
    largest = [max(ones, key=lambda one: (one.low is not None, one.impact or 0.0)) for ones in known if ones]
    if not largest:
        return "Unknown: no job has both isolated and contended rounds." if verdicts.cells else _NO_RUN
    largest.sort(key=lambda one: -(one.impact or 0.0))
    several = len(report.cells) > 1
    texts = [
        f"{bidi_isolated(one.job)}{(' takes' if number == 0 else '')}{' up to' if several else ''} {_impact(one)}"
        + (f" ({cell_text(one.values)})" if one.values else "")
        for number, one in enumerate(largest[:MAX_NAMED])
    ]
    more = f", {count(len(largest) - MAX_NAMED, 'job')} more below" if len(largest) > MAX_NAMED else ""
    has_interval = any(one.low is not None for one in largest[:MAX_NAMED])
    note = "in square brackets the 95 % interval" if has_interval else "too few blocks for an interval"
    return f"Contended, {joined(texts)} of the isolated time{more}; {note}. {_decided(report, verdicts)}"


def _decided(report: StudyReport, verdicts: StudyVerdicts) -> str:
    total, without = len(report.cells), len(report.cells) - verdicts.cells
    if total == 1:
        return f"The cell is {'decided' if verdicts.decided else 'not decided'}."
    missing = f"; {count(without, 'cell')} {'has' if without == 1 else 'have'} no result" if without else ""
    which = "every job there is shown to be slowed, or not to be"
    return f"Decided: {verdicts.decided:,} of {total:,} cells ({which}){missing}."


def _impact(one: JobVerdict) -> str:
    assert one.impact is not None
    return multiplier_text(one.impact, one.low, one.high)


def _where(verdicts: StudyVerdicts, section: RunSection | None) -> Iterator[str]:
    """The factors on which impacts depend, then the place in the network in the worst cell."""
    if verdicts.worst is None:
        yield _NO_RUN
        return
    limit = verdicts.limits.slowed_above
    large = [one for one in verdicts.effects if one.spread > limit]
    if large:
        yield f"Impacts depend most on {_effect_text(large[0])}{_less_text(large[1:])}."
    elif verdicts.effects:
        names = joined([printable(one.factor) for one in verdicts.effects])
        yield f"No factor ({names}) changes the mean impact {excess(limit)}."
    if section is not None:
        text = where(section)
        cell = cell_text(verdicts.worst.values)
        yield f"In the worst cell ({cell}), {text[:1].lower()}{text[1:]}" if cell else text


def _effect_text(effect: FactorEffect) -> str:
    """`placement: 1.24× with linear to 2.07× with interleaved (geometric means of 4 results each)`."""
    low, high = effect.levels[0], effect.levels[-1]
    means = f"geometric means of {count(effect.results, 'result')} each"
    return (
        f"{printable(effect.factor)}: {factor(low.impact)}× with {bidi_isolated(low.value)} to {factor(high.impact)}× "
        f"with {bidi_isolated(high.value)} ({means})"
    )


def _less_text(effects: Sequence[FactorEffect]) -> str:
    listed = [
        f"{printable(one.factor)} ({factor(one.levels[0].impact)}× to {factor(one.levels[-1].impact)}×)"
        for one in effects[:MAX_NAMED]
    ]
    return f", less on {joined(listed)}" if listed else ""


def _tail(verdicts: StudyVerdicts) -> str:
    known = [one for one in verdicts.jobs if one.tail_impact is not None]
    if not known:
        return TOO_FEW_REPETITIONS if verdicts.jobs else _NO_RUN
    limit = verdicts.limits.tail_above
    longer = [one for one in known if one.tail_grew]
    most = max(longer or known, key=lambda one: one.tail_impact or 0.0)
    cell = f" with {cell_text(most.values)}" if most.values else ""
    text = (
        f"percentile {percent_name((most.tail_percentile or 0.0) / 100)} of {bidi_isolated(most.job)} is "
        f"{factor(most.tail_impact)}× {interval(most.tail_low, most.tail_high)} as long when contended{cell}"
    )
    if not longer:
        return f"No tail is shown to be longer {excess(limit)} ({count(len(known), 'result')}); at most, {text}."
    which = f"{len(longer):,} of {count(len(known), 'result')} {'has' if len(longer) == 1 else 'have'} a tail"
    return f"P{text[1:]}, the largest ratio. {which} that is longer {excess(limit)}."


def _next_steps(
    report: StudyReport, data: StudyData, verdicts: StudyVerdicts, section: RunSection | None
) -> Iterator[str]:
    """Runs that are missing; else more runs where they would decide, and another placement; else what remains."""
    where_ = shlex.quote(data.directory)
    skipped = sum(cell.spared for cell in report.cells)
    left = report.planned - report.done - skipped - len(report.failures)
    if left > 0:
        verb = "is" if left == 1 else "are"
        yield (
            f"Complete the study: {left:,} of {count(report.planned, 'run')} {verb} still to be done "
            f"(`stressbench study resume {where_}`)."
        )
        return
    if report.failures:
        retries = max(one.attempts for one in report.failures)
        failed = count(len(report.failures), "run")
        yield f"Repeat what failed: `stressbench study resume {where_} --retries {retries}` tries {failed} again."
    more = _more_runs(report, data, verdicts, where_)
    if more is not None:
        yield more
    if _with(Verdict.slowed, verdicts.jobs):
        yield _placement(verdicts, section)
    elif more is None and not report.failures:
        yield "None: no job is slowed beyond the limit. A larger load or another placement may still show congestion."


def _more_runs(report: StudyReport, data: StudyData, verdicts: StudyVerdicts, where_: str) -> str | None:
    """How many runs of each cell would decide what is open; None if nothing is."""
    if not verdicts.open:
        return None
    open_cells = len({one.cell for one in verdicts.open})
    cells = count(open_cells, "cell")
    needed = [one.runs_needed for one in verdicts.open if one.runs_needed is not None]
    if not needed:
        return (
            f"More runs cannot decide about {cells}: the ratios lie at the limit, or the noise is too large. Choose "
            "another `--slowed-above`."
        )
    planned = max(cell.planned for cell in report.cells)
    runs = max(planned + 1, *needed)
    key = f"`at_most = {runs}` in [until]" if data.until_narrow else f"`repetitions = {runs}`"
    return (
        f"More runs: {cells} {'is' if open_cells == 1 else 'are'} undecided. Set {key} (now {planned}) in the "
        f"study file; `stressbench study run FILE.toml -o {where_}` adds the runs, which should decide if the ratios "
        "stay."
    )


def _placement(verdicts: StudyVerdicts, section: RunSection | None) -> str:
    """The placement with the least impact, if the study compares several; else what to vary to find the cause."""
    effect = verdicts.effect_of(PLACEMENT)
    if effect is None:
        if section is None:
            return f"Another placement: vary {_FACTOR}, and compare."
        return cause(section, placement=_FACTOR)
    best, others = effect.levels[0], effect.levels[1:]
    beside = joined([f"{factor(one.impact)}× with {bidi_isolated(one.value)}" for one in others[-MAX_NAMED:]])
    if effect.spread <= verdicts.limits.slowed_above:
        return (
            f"Placements hardly differ ({factor(best.impact)}× with {bidi_isolated(best.value)}, {beside}): look at "
            "the other factors and at the hosts."
        )
    return (
        f"The placement with the least impact is {bidi_isolated(best.value)}: {factor(best.impact)}× in the geometric "
        f"mean, next to {beside}."
    )
