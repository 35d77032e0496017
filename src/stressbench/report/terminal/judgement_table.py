"""What `stressbench predict evaluate` says: how far each model was right."""

from collections.abc import Iterator

from rich.table import Table

from stressbench.console import Console
from stressbench.interference.coruns import LeftOut
from stressbench.interference.validation import Validation
from stressbench.report.section import printable
from stressbench.report.terminal.page import new_table, print_table, ratio_text, say
from stressbench.report.terminal.prediction_table import slowdown_text
from stressbench.report.units import MISSING, count

_MOST_LEFT_OUT = 10
SCORE_HEADS = (
    "model", "mean |error|", "least", "25 %", "50 %", "75 %", "largest", "within 5 / %", "within 10 / %", "held / %",
    "cannot tell",
)  # fmt: skip
PAIR_HEADS = ("victim", "beside", "measured [95 %]")
_QUARTILES = ("least", "first", "median", "third", "most")
KEY = (
    "error: predicted less measured slow-down, in points: hundredths of the time alone. Quartiles are those of "
    "absolute errors (Casas and Bronevetsky, Figure 9).",
    "within: share of all co-runs; those that a model cannot tell of count as missed. held: share of its intervals "
    "that hold what was measured.",
    "Models that can tell of most come first, of these the one with the least mean error.",
)


def print_judgement(found: Validation, *, pairs: bool, console: Console) -> None:
    """A line a model; with `pairs` one a co-run, too."""
    say(console, f"{found.machine}: {count(len(found.scores), 'model')} against {count(found.co_runs, 'co-run')}")
    console.print()
    print_table(console, _scores(found))
    if pairs:
        console.print()
        print_table(console, _pairs(found))
    console.print()
    for line in said_reasons(found):
        say(console, line)
    for one in found.left_out[:_MOST_LEFT_OUT]:
        say(console, said_left_out(one), style="yellow")
    if (more := len(found.left_out) - _MOST_LEFT_OUT) > 0:
        say(console, f"and {more} more left out; --json has all", style="yellow")
    for line in key_of(found):
        say(console, line, style="dim")


def said_left_out(one: LeftOut) -> str:
    """Which co-run, and why."""
    return f"left out: {one.victim} beside {', '.join(one.aggressors)} ({one.source}): {one.reason}"


def _scores(found: Validation) -> Table:
    table = new_table(left=SCORE_HEADS[:1], right=SCORE_HEADS[1:])
    for row in score_rows(found):
        table.add_row(*row)
    return table


def score_rows(found: Validation) -> Iterator[tuple[str, ...]]:
    """A row of `SCORE_HEADS` for each model, the best first."""
    for one in found.scores:
        quartiles = [None if one.quartiles is None else getattr(one.quartiles, part) for part in _QUARTILES]
        yield (
            f"{one.model} (learns)" if one.learnt else one.model,
            *(_points(value) for value in (one.mean_absolute_error, *quartiles)),
            *(_percent(value) for value in (one.within_5_points, one.within_10_points, one.coverage)),
            str(one.could_not_tell),
        )


def _pairs(found: Validation) -> Table:
    table = new_table(left=PAIR_HEADS, right=[score.model for score in found.scores])
    for row in pair_rows(found):
        table.add_row(*map(printable, row))
    return table


def pair_rows(found: Validation) -> Iterator[tuple[str, ...]]:
    """A row for each co-run: `PAIR_HEADS`, then what each model says."""
    for number, one in enumerate(found.scores[0].pairs):
        low, high = one.measured_interval or (None, None)
        yield (
            one.victim, ", ".join(one.aggressors), ratio_text(one.measured, low, high),
            *(slowdown_text(score.pairs[number].slowdown) for score in found.scores),
        )  # fmt: skip


def said_reasons(found: Validation) -> list[str]:
    """Of each model that could not tell of all."""
    return [
        f"{score.model} cannot tell of {score.could_not_tell}, for example: "
        + next(str(one.reason) for one in score.pairs if one.slowdown is None)
        for score in found.scores
        if score.could_not_tell
    ]


def key_of(found: Validation) -> tuple[str, ...]:
    """How to read the table, in sentences."""
    learners = [score.model for score in found.scores if score.learnt]
    return (*KEY, f"{', '.join(learners)}: each victim by a model that saw no co-run with it, in either part.")


def _points(share: float | None) -> str:
    return MISSING if share is None else f"{100 * share:.1f}"


def _percent(share: float | None) -> str:
    return MISSING if share is None else f"{100 * share:.0f}"
