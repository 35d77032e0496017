"""The document of `stressbench machine compare`: a verdict on each figure of machine B."""

from collections.abc import Iterator

from stressbench.report.document import (
    Block,
    Document,
    Fact,
    Facts,
    Note,
    Notes,
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
from stressbench.results.machine_comparison import FigureComparison, MachineComparison

_DIGEST = 12


def comparison_document(comparison: MachineComparison) -> Document:
    """The document of a comparison: both machines, differences of their conditions, verdicts and notes."""
    return Document(title="", sections=(Section(blocks=tuple(_blocks(comparison))),), value=comparison)


def _blocks(comparison: MachineComparison) -> Iterator[Block]:
    names = (("A", comparison.a, comparison.sha256_a), ("B", comparison.b, comparison.sha256_b))
    machines = (Fact(name=side, value=f"{printable(name)} ({sha[:_DIGEST]})") for side, name, sha in names)
    differences = (Fact(name="differs", value=printable(text)) for text in comparison.differences)
    yield Facts(facts=(*machines, *differences))
    groups = [
        number for number, one in enumerate(comparison.figures)
        if number == 0 or comparison.figures[number - 1].part is not one.part
    ]  # fmt: skip
    yield Table(
        columns=columns(
            texts=("figure",), numbers=("A", "B", "unit"), trailing_texts=("better", "B / A [95 %]", "B is")
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
    return (
        f"better, worse: the whole interval of B / A above {high:.4f} or below {low:.4f}; same: within {low:.4f} to "
        f"{high:.4f}, the smallest difference of interest ({comparison.within:.2%}); else: undecided."
    )
