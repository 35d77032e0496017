"""The document of `stressbench validate`: calls, times and operations of a workload beside its application."""

import shlex
from collections.abc import Iterator
from dataclasses import fields, replace
from operator import attrgetter
from statistics import median

from stressbench.report.document import (
    Block,
    DataFile,
    Document,
    Fact,
    Facts,
    Findings,
    Note,
    Notes,
    Paragraph,
    Section,
    Severity,
    Table,
    columns,
)
from stressbench.report.page_sections import as_sentence
from stressbench.report.units import TimeUnit, count, digits, percent, ratio_text, size, time, time_unit
from stressbench.results.validation import Block as LaunchBlock
from stressbench.results.validation import LaunchPair, OperationRow, Validation, Verdict, launch_pairs
from stressbench.stats.intervals import MIN_PAIRS
from stressbench.tracing.iterations import IterationDifference

_MAX_DIFFERENCES = 8
_MAX_CALLS = 4
_COMPUTATIONS = {
    "sequence": "The workload computes before each call for as long as the program did in the launch before.",
    "measured": "Between its calls, the workload computes for times drawn from the program's in the launch before.",
    "mean": "Between its calls, the workload computes for the mean time of the program in the launch before.",
    "own": "The workload has its own computation, so that only the times in MPI are comparable.",
}
_CPU_TIME = " These are processor times, without waiting for a core."
_PAIR_HEAD = tuple(field.name for field in fields(LaunchPair))


def brief(result: Validation) -> Document:
    """What the terminal shows."""
    return Document(title="", sections=(Section(blocks=tuple(_blocks(result))),), value=result)


def page(result: Validation) -> Document:
    """The HTML page: the same, with every launch and a figure."""
    findings = Findings(sentences=tuple(f"{one[:1].upper()}{one[1:]}" for one in _sentences(result)))
    sections = [Section(key="result", title="Result", blocks=(findings, *map(_in_sentences, _rest(result))))]
    if result.blocks:
        from stressbench.report.drawing import style  # matplotlib takes half a second to import
        from stressbench.report.validation.figure import draw

        with style():
            figure = draw(result)
        blocks = (figure, _data(result), _launch_table(result))
        sections.append(Section(key="launches", title="Every launch", blocks=blocks))
    sections.append(Section(key="setting", title="How it was measured", blocks=(Facts(facts=tuple(_facts(result))),)))
    return Document(
        title=f"{result.workload[0]} beside {result.program[0]}", sections=tuple(sections), value=result,
        lead="Does the workload make the calls of the application, and does an iteration of both take the same time?",
        foot="Times are those of one iteration, mean over the ranks. Ratios are Hodges-Lehmann estimates over pairs of "
        "launches, with 95 % Wilcoxon intervals.",
    )  # fmt: skip


def _blocks(result: Validation) -> Iterator[Block]:
    yield from (Paragraph(text=sentence) for sentence in _sentences(result))
    yield from _rest(result)


def _sentences(result: Validation) -> Iterator[str]:
    if result.differences:
        ranks = len(result.differences)
        make = "makes" if ranks == 1 else "make"
        never, often = ("never ", "") if result.found == 0 else ("", f" only {count(result.found, 'time')} in a row")
        what = (
            f"{make} other calls in the replay than in the program"
            if result.is_replay
            else f"{never}{make} the calls of {result.workload[0]}{often}"
        )
        yield f"calls: {count(ranks, 'rank')} of {result.ranks} {what}"
        difference_text = _replay_difference_text if result.is_replay else _difference_text
        yield from map(difference_text, result.differences[:_MAX_DIFFERENCES])
        if ranks > _MAX_DIFFERENCES:
            yield f"and {ranks - _MAX_DIFFERENCES:,} more ranks"
        return
    same = "peers and sizes, without tags" if result.any_tag else "peers, tags and sizes"
    order = "the same order, but for waits," if result.any_wait_place else "the same order"
    part, found = (
        ("the whole run", "first launch") if result.whole else ("an iteration", count(result.found, "iteration"))
    )
    yield (
        f"calls: the same on {count(result.ranks, 'rank')}, {result.calls:,} in {part}, in {order} with "
        f"the same {same} ({found} of the program)"
    )
    ratio = result.ratio
    if ratio is None:
        return
    yield (
        f"time: {result.workload[0]} takes {ratio_text(ratio.value, ratio.low, ratio.high)} of the program's time"
        f"{_measured_text(result)}"
    )
    if result.tolerance is not None:
        yield f"verdict: {_verdict_text(result, result.tolerance)}"


def _measured_text(result: Validation) -> str:
    pairs = f"{count(len(result.blocks), 'pair')} of launches"
    if result.whole:
        return f" from MPI_Init to MPI_Finalize ({pairs})"
    return f" per iteration ({pairs}, {count(result.measured, 'iteration')} each)"


def _verdict_text(result: Validation, tolerance: float) -> str:
    text = f"{'within' if result.verdict is Verdict.within else 'not within'} {percent(tolerance)} %"
    if result.is_certain:
        return text
    if result.ratio is None or result.ratio.low is None:
        return f"{text}, without an interval; {MIN_PAIRS} or more --launches give one"
    return f"{text}, but the interval contains that limit; more --launches narrow it"


def _difference_text(difference: IterationDifference) -> str:
    if difference.place == 0 and not difference.before and difference.workload:
        return (
            f"rank {difference.rank}: no iteration of the program begins with {difference.workload[0]}, the first of "
            f"the workload's {count(difference.calls, 'call')}"
        )
    return _difference_at(difference, part="an iteration", workload="workload")


def _replay_difference_text(difference: IterationDifference) -> str:
    return _difference_at(difference, part="the measured part", workload="replay")


def _difference_at(difference: IterationDifference, *, part: str, workload: str) -> str:
    before = f" after {' '.join(difference.before)}" if difference.before else ""
    sides = (difference.program, difference.workload)
    theirs, ours = (" ".join(calls[:_MAX_CALLS]) or "nothing more" for calls in sides)
    return (
        f"rank {difference.rank}, call {difference.place + 1:,} of {difference.calls:,} of {part}{before}: "
        f"the program makes {theirs}; the {workload} {ours}"
    )


def _rest(result: Validation) -> Iterator[Block]:
    if result.blocks:
        yield _time_table(result)
        yield _operation_table(result.operations, whole=result.whole)
    notes = tuple(_notes(result))
    if notes:
        yield Notes(notes=notes)


def _in_sentences(block: Block) -> Block:
    """The block with its notes as sentences."""
    if not isinstance(block, Notes):
        return block
    return replace(block, notes=tuple(replace(note, text=as_sentence(note.text)) for note in block.notes))


def _time_table(result: Validation) -> Table:
    sides = [("program", [b.program for b in result.blocks]), ("workload", [b.workload for b in result.blocks])]
    unit = time_unit(side.time_s for _, values in sides for side in values)
    rows = []
    for name, values in sides:
        times = [one.time_s for one in values]
        rows.append(
            (
                name, time(median(times), unit=unit), f"{time(min(times), unit=unit)} – {time(max(times), unit=unit)}",
                time(median([one.mpi_s for one in values]), unit=unit),
                percent(median([one.mpi_share for one in values])),
            )
        )  # fmt: skip
    return Table(
        key="times", title="Time of the run" if result.whole else "Time per iteration",
        columns=columns(
            texts=("",),
            numbers=(
                f"median / {unit.name}", f"range / {unit.name}", f"in MPI / {unit.name}", "share of MPI / %"
            ),
        ),
        rows=tuple(rows),
        caption=f"Medians over launches. {_COMPUTATIONS[result.computation]}{_CPU_TIME if result.cpu_time else ''}",
    )  # fmt: skip


def _operation_table(rows: tuple[OperationRow, ...], *, whole: bool) -> Table:
    return Table(
        key="operations", title=f"Operations {'of the first run' if whole else 'per iteration'}, all ranks",
        columns=columns(
            texts=("operation",),
            numbers=("calls: program", "calls: workload", "bytes: program", "bytes: workload"),
        ),
        rows=tuple(
            (
                row.op, *(digits(calls) for calls in (row.program.calls, row.workload.calls)),
                *(digits(size) for size in (row.program.bytes, row.workload.bytes)),
            )
            for row in rows
        ),
    )  # fmt: skip


def _notes(result: Validation) -> Iterator[Note]:
    if not result.complete:
        yield Note(text=f"stopped after {count(len(result.blocks), 'pair')} of launches")
    if result.blocks and result.ratio is not None and result.ratio.low is None:
        pairs = count(len(result.blocks), "pair")
        yield Note(text=f"{pairs} of launches: an interval takes at least {MIN_PAIRS}")
    yield from (Note(text=text) for text in result.notes)
    mpi_ratio = result.mpi_ratio
    if mpi_ratio is not None:
        text = f"time in MPI alone: ratio {ratio_text(mpi_ratio.value, mpi_ratio.low, mpi_ratio.high)}"
        yield Note(text=text, severity=Severity.note)


def _launch_table(result: Validation) -> Table:
    unit = time_unit(side.time_s for block in result.blocks for side in (block.program, block.workload))
    return Table(
        key="every-launch", title="",
        columns=columns(
            texts=("launch",),
            numbers=(
                f"program / {unit.name}", f"workload / {unit.name}", "ratio", f"program in MPI / {unit.name}",
                f"workload in MPI / {unit.name}",
            ),
        ),
        rows=tuple(_launch_row(number, block, unit) for number, block in enumerate(result.blocks, start=1)),
        caption="Mean over the ranks and the iterations of a launch.",
    )  # fmt: skip


def _launch_row(number: int, block: LaunchBlock, unit: TimeUnit) -> tuple[str, ...]:
    sides = (block.program, block.workload)
    return (
        str(number), *(time(side.time_s, unit=unit) for side in sides), f"{block.ratio:.3f}",
        *(time(side.mpi_s, unit=unit) for side in sides),
    )  # fmt: skip


def _data(result: Validation) -> DataFile:
    pairs = launch_pairs(result)
    return DataFile(name="launches", head=_PAIR_HEAD, rows=tuple(map(attrgetter(*_PAIR_HEAD), pairs)))


def _facts(result: Validation) -> Iterator[Fact]:
    yield Fact(name="program", value=shlex.join(result.program))
    yield Fact(name="workload", value=shlex.join(result.workload))
    hosts = "unknown" if result.hosts is None else count(result.hosts, "host")
    yield Fact(name="ranks", value=f"{result.ranks} on {hosts}, --on {result.on}")
    clock = ", processor time" if result.cpu_time else ""
    yield Fact(name="computation of the workload", value=f"{result.computation}{clock}")
    if result.working_set_bytes is not None:
        yield Fact(name="working set", value=f"{size(result.working_set_bytes)} of a rank, read by this computation")
    iterations = f"{result.found:,} in a row, {result.measured:,} measured in each launch"
    yield Fact(name="iterations", value="the whole run, from MPI_Init to MPI_Finalize" if result.whole else iterations)
