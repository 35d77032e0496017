"""The document of `stressbench machine compare`: a verdict on each figure of machine B, as a table and as checks."""

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
from stressbench.report.machine.numbers import scale_of
from stressbench.report.names import printable
from stressbench.report.units import ratio_text
from stressbench.results.machine_comparison import FigureComparison, MachineComparison, MachineVerdict

_DIGEST = 12
_OUTCOMES = {
    MachineVerdict.worse: Outcome.failed, MachineVerdict.better: Outcome.passed, MachineVerdict.same: Outcome.passed,
}  # fmt: skip
"""Outcomes of checks; figures with other verdicts are skipped."""


def comparison_document(comparison: MachineComparison) -> Document:
    """The document of a comparison: both machines, differences of their conditions, verdicts and notes."""
    return Document(
        title="", sections=(Section(blocks=tuple(_blocks(comparison))),), value=comparison, checks=_checks(comparison)
    )


def _machines(comparison: MachineComparison) -> Iterator[Fact]:
    names = [("A", comparison.a, comparison.sha256_a), ("B", comparison.b, comparison.sha256_b)]
    if comparison.sha256_confirmation is not None:
        names.append(("C", "second measurement of B", comparison.sha256_confirmation))
    return (Fact(name=side, value=f"{printable(name)} ({sha[:_DIGEST]})") for side, name, sha in names)


def _differences(comparison: MachineComparison) -> Iterator[Fact]:
    return (Fact(name="differs", value=printable(text)) for text in comparison.differences)


def _blocks(comparison: MachineComparison) -> Iterator[Block]:
    yield Facts(facts=(*_machines(comparison), *_differences(comparison)))
    groups = [
        number for number, one in enumerate(comparison.figures)
        if number == 0 or comparison.figures[number - 1].part is not one.part
    ]  # fmt: skip
    yield Table(
        columns=columns(
            texts=("figure",), numbers=("A", "B", "unit"),
            trailing_texts=("better", f"B / A [{_percent(comparison.confidence)}]", "B is"),
        ),
        rows=tuple(_row(one) for one in comparison.figures), groups=tuple(groups),
    )  # fmt: skip
    yield Paragraph(text=_key(comparison), role=Role.lead)
    yield Notes(notes=tuple(Note(text=note, severity=Severity.note) for note in comparison.notes), title="")


def _row(one: FigureComparison) -> tuple[str, ...]:
    scale = scale_of(one.unit, one.a, one.b)
    verdict = f"{one.verdict} ({printable(one.reason)})" if one.reason else str(one.verdict)
    return (
        one.about, scale.text(one.a), scale.text(one.b), scale.name, str(one.better),
        ratio_text(one.ratio, one.low, one.high), verdict,
    )  # fmt: skip


def _key(comparison: MachineComparison) -> str:
    low, high = 1 / (1 + comparison.within), 1 + comparison.within
    confirmed = "" if comparison.sha256_confirmation is None else ", and that of C / A, too"
    text = (
        f"better, worse: the whole interval of B / A above {high:.4f} or below {low:.4f}{confirmed}; same: within "
        f"{low:.4f} to {high:.4f}, the smallest difference of interest ({comparison.within:.2%}); else: undecided."
    )
    if comparison.simultaneous:
        text += f" All intervals together have a confidence of 95 %, each by itself {_percent(comparison.confidence)}."
    return text


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"


def _checks(comparison: MachineComparison) -> Checks:
    """One check per figure: a worse one fails, an undecided one and one that cannot be compared are skipped."""
    limits = (
        Fact(name="within", value=f"{comparison.within:g}"),
        Fact(name="confidence", value=f"{comparison.confidence:g}"),
    )
    return Checks(
        name="stressbench machine compare",
        facts=(*_machines(comparison), *limits, *_differences(comparison)),
        checks=tuple(_check(one, comparison) for one in comparison.figures),
    )


def _check(one: FigureComparison, comparison: MachineComparison) -> Check:
    return Check(
        group=str(one.part), name=one.name, verdict=str(one.verdict), text=_numbers(one, comparison),
        outcome=_OUTCOMES.get(one.verdict, Outcome.skipped), reason=one.reason or "",
    )  # fmt: skip


def _numbers(one: FigureComparison, comparison: MachineComparison) -> str:
    scale = scale_of(one.unit, one.a, one.b)
    sides = ", ".join(f"{side} {scale.with_unit(value)}" for side, value in (("A", one.a), ("B", one.b)))
    if one.ratio is None:
        return f"{one.about}: no ratio, {sides}"
    known = one.low is not None and one.high is not None
    bounds = f"{one.low:.4f} to {one.high:.4f}" if known else "no interval"
    return f"{one.about}: B / A {one.ratio:.4f} ({_percent(comparison.confidence)}: {bounds}), {sides}"
