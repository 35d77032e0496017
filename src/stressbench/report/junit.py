"""A comparison as JUnit XML, which continuous integration shows as tests: one for each job and quantity."""

from xml.etree import ElementTree

from stressbench.report.names import printable
from stressbench.report.units import digits
from stressbench.stats import Change, Comparison, Quantity, Verdict


def junit_of(comparison: Comparison) -> bytes:
    """A slower time fails, `cannot tell` is skipped, all else passes, a higher congestion impact too.

    Every test's `system-out` holds its numbers.
    """
    changes = [(name, change) for name, job in _named(comparison) for change in job]
    suite = ElementTree.Element(
        "testsuite", name="stressbench compare", tests=str(len(changes)), errors="0",
        failures=str(sum(change.regression for _, change in changes)),
        skipped=str(sum(change.verdict is Verdict.cannot_tell for _, change in changes)),
    )  # fmt: skip
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (("A", comparison.a), ("B", comparison.b), ("effect", f"{comparison.effect:g}")):
        ElementTree.SubElement(properties, "property", name=name, value=printable(value))
    for difference in comparison.differences:
        ElementTree.SubElement(properties, "property", name="differs", value=printable(difference))
    for name, change in changes:
        _add_case(suite, name, change)
    whole = ElementTree.Element("testsuites")
    whole.append(suite)
    ElementTree.indent(whole)
    written: bytes = ElementTree.tostring(whole, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _named(comparison: Comparison) -> list[tuple[str, tuple[Change, ...]]]:
    """Jobs of the same name are told apart by a number, because a test's name is its identity."""
    seen: dict[str, int] = {}
    named = []
    for job in comparison.jobs:
        seen[job.name] = seen.get(job.name, 0) + 1
        number = "" if seen[job.name] == 1 else f" ({seen[job.name]})"
        named.append((printable(job.name) + number, job.changes))
    return named


def _add_case(suite: ElementTree.Element, job: str, change: Change) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=job, name=change.quantity.value)
    numbers = _numbers(change)
    if change.regression:
        ElementTree.SubElement(case, "failure", type="slower", message=f"slower: {numbers}").text = numbers
    elif change.verdict is Verdict.cannot_tell:
        ElementTree.SubElement(case, "skipped", message=f"cannot tell: {printable(change.reason or numbers)}")
    ElementTree.SubElement(case, "system-out").text = f"{change.verdict}: {numbers}"


def _numbers(change: Change) -> str:
    interval = "no interval" if change.low is None or change.high is None else f"{change.low:.4f} to {change.high:.4f}"
    ratio = "no ratio" if change.ratio is None else f"B / A {change.ratio:.4f} (95 %: {interval})"
    chance = "" if change.superiority is None else f", P(B > A) {change.superiority:.2f}"
    unit = "" if change.quantity is Quantity.impact else " s"
    return f"{ratio}, A {digits(change.a)}{unit}, B {digits(change.b)}{unit}{chance}"
