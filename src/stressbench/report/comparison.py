"""The document of `stressbench compare`: whether B is slower than A, as a table and as checks."""

from collections.abc import Iterator

from stressbench.report.document import (
    Block,
    Check,
    Checks,
    Document,
    Fact,
    Facts,
    Note,
    Notes,
    Outcome,
    Paragraph,
    Role,
    Section,
    Severity,
    Table,
    columns,
)
from stressbench.report.names import unique
from stressbench.report.units import digits, probability, ratio_text, time, time_unit
from stressbench.stats import Change, Comparison, Quantity, Verdict

_IMPACT_WORDS = {Verdict.slower: "higher", Verdict.faster: "lower"}


def document_of(comparison: Comparison) -> Document:
    """The document of a comparison: both files, differences of their conditions, verdicts and notes."""
    return Document(
        title="",
        sections=(Section(blocks=tuple(_blocks(comparison))),),
        value=comparison,
        checks=_checks(comparison),
    )


def _files(comparison: Comparison) -> tuple[Fact, Fact]:
    return Fact(name="A", value=comparison.a), Fact(name="B", value=comparison.b)


def _differences(comparison: Comparison) -> Iterator[Fact]:
    return (Fact(name="differs", value=difference) for difference in comparison.differences)


def _blocks(comparison: Comparison) -> Iterator[Block]:
    yield Facts(facts=(*_files(comparison), *_differences(comparison)))
    rows: list[tuple[str, ...]] = []
    groups: list[int] = []
    for job in comparison.jobs:
        groups.append(len(rows))
        rows += [
            (
                "" if number else job.name, change.quantity.value, *_sides(change), probability(change.superiority),
                ratio_text(change.ratio, change.low, change.high), _verdict(change),
            )
            for number, change in enumerate(job.changes)
        ]  # fmt: skip
    heads = columns(
        texts=("job", "quantity"), numbers=("A", "B", "unit", "P(B > A)"), trailing_texts=("B / A [95 %]", "B is")
    )  # fmt: skip
    yield Table(columns=heads, rows=tuple(rows), groups=tuple(groups))
    yield from (Paragraph(text=line, role=Role.key) for line in _key(comparison))
    yield Notes(notes=tuple(Note(text=note, severity=Severity.note) for note in comparison.notes))


def _sides(change: Change) -> tuple[str, str, str]:
    if change.quantity is Quantity.impact:
        return digits(change.a), digits(change.b), ""
    unit = time_unit(value for value in (change.a, change.b) if value is not None)
    return time(change.a, unit=unit), time(change.b, unit=unit), unit.name


def _verdict(change: Change) -> str:
    word = change.verdict.value
    if change.quantity is Quantity.impact:
        word = _IMPACT_WORDS.get(change.verdict, word)
    return f"{word} ({change.reason})" if change.reason else word


def _key(comparison: Comparison) -> tuple[str, ...]:
    effect = comparison.effect
    band = f"{1 / (1 + effect):.4f} to {1 + effect:.4f}"
    return (
        "A and B are medians over rounds (of blocks' ratios for the impact); B / A is the median of all ratios of "
        "a round of B to a round of A.",
        "P(B > A): the share of pairs of a round of A and one of B in which B's is larger; 0.50 where nothing differs.",
        f"slower: the whole interval above {1 + effect:.4f}; faster: below {1 / (1 + effect):.4f}; "
        f"no difference: within {band}, the smallest effect of interest ({effect:.2%}); else: cannot tell.",
    )


def _checks(comparison: Comparison) -> Checks:
    """One check per job and quantity; a slower time fails, a higher impact does not. Equal job names are numbered."""
    names = unique(job.name for job in comparison.jobs)
    checks = [_check(name, one) for name, job in zip(names, comparison.jobs, strict=True) for one in job.changes]
    effect = Fact(name="effect", value=f"{comparison.effect:g}")
    return Checks(
        name="stressbench compare",
        facts=(*_files(comparison), effect, *_differences(comparison)),
        checks=tuple(checks),
    )


def _check(job: str, change: Change) -> Check:
    inconclusive = change.verdict is Verdict.inconclusive
    return Check(
        group=job, name=change.quantity.value, verdict=change.verdict.value, text=_numbers(change),
        outcome=Outcome.failed if change.regression else Outcome.skipped if inconclusive else Outcome.passed,
        reason=change.reason or "",
    )  # fmt: skip


def _numbers(change: Change) -> str:
    interval = "no interval" if change.low is None or change.high is None else f"{change.low:.4f} to {change.high:.4f}"
    ratio = "no ratio" if change.ratio is None else f"B / A {change.ratio:.4f} (95 %: {interval})"
    share = "" if change.superiority is None else f", P(B > A) {change.superiority:.2f}"
    unit = "" if change.quantity is Quantity.impact else " s"
    return f"{ratio}, A {digits(change.a)}{unit}, B {digits(change.b)}{unit}{share}"
