"""The document of `stressbench machine check`: acceptance criteria and verdicts, as a table and as checks."""

from collections.abc import Iterator
from dataclasses import dataclass

from stressbench.formats.machines import Better
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
from stressbench.report.machine.numbers import Scale, scale_of
from stressbench.report.names import printable
from stressbench.results.machine_acceptance import AcceptanceVerdict, CheckedCriterion, MachineCheck

_DIGEST = 12
_KEY = (
    "met: the whole 95 % interval lies within the bound; missed: entirely beyond it; undecided: it contains the bound, "
    "or there is none; missing: no such figure. A machine is accepted if all criteria are met."
)


def acceptance_document(check: MachineCheck) -> Document:
    """The document of a check: the machine, verdicts, and what excludes the measurement."""
    return Document(title="", sections=(Section(blocks=tuple(_blocks(check))),), value=check, checks=_checks(check))


@dataclass(frozen=True, kw_only=True)
class _Numbers:
    """Numbers of a criterion as texts, in one unit."""

    scale: Scale
    bound: str
    value: str
    interval: str


def _numbers(one: CheckedCriterion) -> _Numbers:
    scale = scale_of(one.unit, one.value, one.bound)
    sign = "≤" if one.better is Better.less else "≥"
    return _Numbers(
        scale=scale, bound=f"{sign} {scale.text(one.bound)}", value=scale.text(one.value),
        interval=scale.interval(one.low, one.high),
    )  # fmt: skip


def _facts(check: MachineCheck) -> Iterator[Fact]:
    yield Fact(name="Machine", value=f"{printable(check.machine)} ({check.sha256[:_DIGEST]})")
    if check.criteria_about is not None:
        yield Fact(name="Criteria", value=printable(check.criteria_about))
    yield Fact(name="Accepted", value="yes" if check.accepted else "no")


def _blocks(check: MachineCheck) -> Iterator[Block]:
    yield Facts(facts=tuple(_facts(check)))
    heads = columns(texts=("figure",), numbers=("bound", "value", "95 % interval"), trailing_texts=("unit", "verdict"))
    rows = []
    for one in check.criteria:
        numbers = _numbers(one)
        rows.append((
            one.about or one.name, numbers.bound, numbers.value, numbers.interval, numbers.scale.name, str(one.verdict),
        ))  # fmt: skip
    yield Table(columns=heads, rows=tuple(rows))
    yield Paragraph(text=_KEY, role=Role.lead)
    if check.faults:
        notes = tuple(Note(text=f"not accepted: {printable(text)}", severity=Severity.error) for text in check.faults)
        yield Notes(notes=notes, title="")


def _checks(check: MachineCheck) -> Checks:
    """One check per criterion, and one for the conditions. What is not met fails, also if it is undecided."""
    conditions = Check(
        group="conditions", name="measurement", outcome=Outcome.failed if check.faults else Outcome.passed,
        verdict="excluded" if check.faults else "as required", text=printable("; ".join(check.faults)),
    )  # fmt: skip
    return Checks(
        name="stressbench machine check", facts=tuple(_facts(check)),
        checks=(conditions, *(_check(one) for one in check.criteria)),
    )  # fmt: skip


def _check(one: CheckedCriterion) -> Check:
    numbers = _numbers(one)
    met = one.verdict is AcceptanceVerdict.met
    return Check(
        group="criteria", name=one.name, outcome=Outcome.passed if met else Outcome.failed, verdict=str(one.verdict),
        text=f"{numbers.value} {numbers.interval} {numbers.scale.name}".rstrip() + f", required {numbers.bound}",
    )  # fmt: skip
