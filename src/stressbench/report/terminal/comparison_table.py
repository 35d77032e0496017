"""The table of `stressbench compare`."""

from stressbench.console import Console
from stressbench.report.names import printable
from stressbench.report.renderers.text import new_table, print_table, say
from stressbench.report.units import MISSING, digits, ratio_text, time, time_unit
from stressbench.stats import Change, Comparison, Quantity, Verdict

_IMPACT_WORDS = {Verdict.slower: "higher", Verdict.faster: "lower"}


def print_comparison(comparison: Comparison, *, console: Console) -> None:
    """Both files, what differs between them, the verdicts, and how far to trust them."""
    say(console, f"A: {comparison.a}")
    say(console, f"B: {comparison.b}")
    for difference in comparison.differences:
        say(console, f"differs: {difference}")
    console.print()
    table = new_table(left=("job", "quantity"), right=("A", "B", "unit", "P(B > A)"), last=("B / A [95 %]", "B is"))
    for job in comparison.jobs:
        for index, change in enumerate(job.changes):
            ratio = ratio_text(change.ratio, change.low, change.high)
            title = printable(job.name) if index == 0 else ""
            table.add_row(title, change.quantity, *_sides(change), _chance(change), ratio, _verdict(change))
        table.add_section()
    print_table(console, table)
    console.print()
    for line in _key(comparison):
        say(console, line, style="dim")
    for note in comparison.notes:
        say(console, f"note: {note}", style="yellow")


def _sides(change: Change) -> tuple[str, str, str]:
    if change.quantity is Quantity.impact:
        return digits(change.a), digits(change.b), ""
    unit = time_unit(value for value in (change.a, change.b) if value is not None)
    return time(change.a, unit=unit), time(change.b, unit=unit), unit.name


def _chance(change: Change) -> str:
    return MISSING if change.superiority is None else f"{change.superiority:.2f}"


def _verdict(change: Change) -> str:
    word = change.verdict.value
    if change.quantity is Quantity.impact:
        word = _IMPACT_WORDS.get(change.verdict, word)
    return f"{word} ({change.reason})" if change.reason else word


def _key(comparison: Comparison) -> tuple[str, ...]:
    effect = comparison.effect
    band = f"{1 / (1 + effect):.4f} to {1 + effect:.4f}"
    return (
        "A and B are medians over rounds (of blocks' ratios for the impact); B / A is the middle of all ratios of "
        "a round of B to a round of A.",
        "P(B > A): the share of pairs of a round of A and one of B in which B's is larger; 0.50 where nothing differs.",
        f"slower: the whole interval above {1 + effect:.4f}; faster: below {1 / (1 + effect):.4f}; "
        f"no difference: within {band}, the smallest effect of interest ({effect:.2%}); else: cannot tell.",
    )
