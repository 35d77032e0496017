"""The document of `stressbench study watch` and `run --watch`: what runs where, intervals, estimated end, warnings."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import expm1, log

from stressbench.formats.run import Role
from stressbench.formats.units import duration_text
from stressbench.report.document import (
    Block,
    Cell,
    Document,
    Fact,
    Facts,
    Heading,
    Interval,
    Note,
    Notes,
    Paragraph,
    Section,
    Table,
    columns,
)
from stressbench.report.document import Role as ParagraphRole
from stressbench.report.names import printable
from stressbench.report.study.status import run_blocks
from stressbench.report.units import MISSING, count, plain_ratio
from stressbench.results.watching import Activity, NarrowedInterval, Watched, WatchedJob, WatchedRun

_TIME = "%Y-%m-%d %H:%M:%S UTC"
_MOST_HOSTS = 4
_MOST_CELLS = 200
_BAR_LENGTH = 24
_WHOLE_PERCENT_FROM = 99.5
_IMPACTS = (
    "Congestion impact: contended over isolated time, with its 95 % interval. Narrowing: half the width of the "
    "interval, in percent of the impact, and in brackets after how many "
)


def watched_document(watched: Watched) -> Document:
    """The present state of a study or a run. `value` is `watched` itself."""
    return Document(
        title=title_of(watched), lead=printable(watched.path), value=watched,
        sections=(Section(key="state", blocks=tuple(map(_printable, _blocks(watched)))),),
    )  # fmt: skip


def title_of(watched: Watched) -> str:
    """Text such as `3 of 8 runs, running`, for the title of a page."""
    return f"{_progress(watched)}, {watched.activity}" if watched.runs or watched.study else str(watched.activity)


def progress_line(watched: Watched) -> str:
    """One line for a log: progress, what runs, and the estimated end."""
    parts = [_progress(watched)] if watched.runs or watched.study else []
    if watched.study is not None:
        parts += (f"{run.run} {_rounds(run)}" for run in watched.runs)
    parts.append(watched.sentence)
    if watched.activity is Activity.running:
        parts.append(f"time left: {_left(watched)}")
    return printable("; ".join(parts))


def _printable(block: Block) -> Block:
    """The block without control characters, which names may contain. Renderers replace those of tables."""
    match block:
        case Paragraph() | Heading():
            return replace(block, text=printable(block.text))
        case Facts():
            return replace(block, facts=tuple(replace(fact, value=printable(fact.value)) for fact in block.facts))
        case Notes():
            notes = (replace(note, text=printable(note.text), about=printable(note.about)) for note in block.notes)
            return replace(block, notes=tuple(notes))
    return block


def _progress(watched: Watched) -> str:
    if watched.study is None:
        return _rounds(watched.runs[0])
    status = watched.study
    ended = status.done + status.spared + status.failed
    return f"{ended} of {count(status.total, 'run')}"


def _rounds(run: WatchedRun) -> str:
    if run.planned_rounds is None:
        return count(run.rounds, "round")
    return f"{run.rounds} of {count(run.planned_rounds, 'round')}"


def _left(watched: Watched) -> str:
    text = duration_text(watched.left_s)
    return text if watched.most_s is None else f"{text}, at most {duration_text(watched.most_s)}"


def _blocks(watched: Watched) -> Iterator[Block]:
    yield Facts(facts=tuple(_facts(watched)), prominent=True)
    if watched.study is not None:
        yield from run_blocks(watched.study)
    for run in watched.runs:
        yield from _run_blocks(run, watched)
    yield from _cell_blocks(watched)
    if warnings := tuple(_warnings(watched)):
        yield Notes(title="Warnings", notes=warnings)


def _facts(watched: Watched) -> Iterator[Fact]:
    yield Fact(name="state", value=watched.sentence)
    if watched.runs or watched.study:
        yield Fact(name="progress", value=_bar(watched))
    if watched.activity is Activity.running:
        yield Fact(name="time left", value=_left(watched))
        yield Fact(name="estimated end", value=_end(watched))
    yield Fact(name="as of", value=f"{watched.at:{_TIME}}")


def _bar(watched: Watched) -> str:
    share = _share(watched)
    text = _progress(watched)
    if share is None:
        return text
    filled = int(share * _BAR_LENGTH)
    return f"{'█' * filled}{'░' * (_BAR_LENGTH - filled)} {text}"


def _share(watched: Watched) -> float | None:
    """Share of the work that is done, with the rounds of runs in progress; None where rounds are not planned."""
    within = [min(1.0, run.rounds / run.planned_rounds) if run.planned_rounds else None for run in watched.runs]
    if watched.study is None:
        return within[0]
    status = watched.study
    ended = status.done + status.spared + status.failed + sum(one or 0.0 for one in within)
    return min(1.0, ended / status.total) if status.total else None


def _end(watched: Watched) -> str:
    return "unknown" if watched.ends_at is None else f"{watched.ends_at:{_TIME}}"


def _run_blocks(run: WatchedRun, watched: Watched) -> Iterator[Block]:
    where = [] if run.on is None else [f"on {run.on}"]
    if run.ranks is not None:
        where.append(count(run.ranks, "rank"))
    if run.launch:
        where.append(f"launch {run.launch + 1}")
    if run.description:
        where.append(run.description)
    parts = [_rounds(run)]
    if run.newest_round is not None:
        parts.append(f"the newest is {run.newest_round}")
    if run.since_change_s is not None and watched.activity is Activity.running:
        parts.append(f"{duration_text(run.since_change_s)} ago")
    if watched.study is not None and watched.activity is Activity.running:
        parts.append(f"about {duration_text(run.left_s)} left" if run.left_s is not None else "time left unknown")
    yield Heading(text=f"{run.run}: {', '.join(where)}" if where else run.run)
    yield Paragraph(text=f"{', '.join(parts)}; {run.file}" if run.rounds else f"no round is complete yet; {run.file}")
    if run.jobs:
        yield Table(
            columns=columns(
                texts=("job", "nodes", "hosts"), numbers=("isolated", "contended", "impact", "95 %"),
                trailing_texts=("narrowing",),
            ),
            rows=tuple(_job_row(job) for job in run.jobs),
            caption=_IMPACTS + "blocks. Isolated and contended: completed rounds.",
        )  # fmt: skip


def _job_row(job: WatchedJob) -> tuple[Cell, ...]:
    return (
        job.name, job.nodes, _hosts(job.hosts), str(job.isolated_rounds) if job.role is Role.measured else MISSING,
        str(job.contended_rounds), plain_ratio(job.ratio), Interval(low=job.low, high=job.high),
        _narrowing(job.narrowing) or job.reason or "",
    )  # fmt: skip


def _hosts(hosts: Sequence[str]) -> str:
    named = ", ".join(hosts[:_MOST_HOSTS])
    return named if len(hosts) <= _MOST_HOSTS else f"{named}, ... ({len(hosts)} hosts)"


def _narrowing(intervals: Sequence[NarrowedInterval]) -> str:
    """Half widths such as `12 % (6), 8.1 % (12)`."""
    return ", ".join(f"{_half_width_percent(one)} % ({one.count})" for one in intervals)


def _half_width_percent(one: NarrowedInterval) -> str:
    """Half of the width of the interval on a log scale, as `stats.planning` has it."""
    if one.low <= 0:
        return MISSING
    percent = 100 * expm1(log(one.high / one.low) / 2)
    return f"{percent:.2g}" if percent < _WHOLE_PERCENT_FROM else f"{percent:,.0f}"


def _cell_blocks(watched: Watched) -> Iterator[Block]:
    cells = [cell for cell in watched.cells if cell.impacts]
    if not cells:
        return
    rows = tuple(
        (cell.description, f"{cell.done}/{cell.planned}", one.job, str(one.runs), plain_ratio(one.ratio),
         Interval(low=one.low, high=one.high), _narrowing(one.narrowing) or one.reason or "")
        for cell in cells[:_MOST_CELLS] for one in cell.impacts
    )  # fmt: skip
    yield Heading(text="Cells")
    yield Table(
        columns=columns(
            texts=("cell", "done", "job"), numbers=("runs", "impact", "95 %"), trailing_texts=("narrowing",)
        ),
        rows=rows, caption=_IMPACTS + "runs. Runs: completed ones, and those in progress.",
    )  # fmt: skip
    if len(cells) > _MOST_CELLS:
        yield Paragraph(text=f"{_MOST_CELLS} of {count(len(cells), 'cell')} with results", role=ParagraphRole.note)
    if unread := sum(cell.unread for cell in watched.cells):
        yield Paragraph(text=f"{count(unread, 'completed run')} not read yet", role=ParagraphRole.note)


def _warnings(watched: Watched) -> Iterator[Note]:
    for text in watched.warnings:
        yield Note(text=text)
    for run in watched.runs:
        for text in run.warnings:
            yield Note(text=text, about=run.run if watched.study is not None else "")
