"""JUnit XML: the document's checks, which continuous integration shows as tests."""

from collections import Counter
from xml.etree import ElementTree

from stressbench.report.document import Check, Document, Outcome
from stressbench.report.names import printable


def render(document: Document) -> str:
    """One suite with a test for each check; `system-out` of a test holds its numbers."""
    assert document.checks is not None
    checks = document.checks.checks
    outcomes = Counter(one.outcome for one in checks)
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(
        root, "testsuite", name=document.checks.name, tests=str(len(checks)), errors="0",
        failures=str(outcomes[Outcome.failed]), skipped=str(outcomes[Outcome.skipped]),
    )  # fmt: skip
    properties = ElementTree.SubElement(suite, "properties")
    for fact in document.checks.facts:
        ElementTree.SubElement(properties, "property", name=fact.name, value=printable(fact.value))
    for check in checks:
        _add_case(suite, check)
    ElementTree.indent(root)
    xml: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return xml.decode() + "\n"


def _add_case(suite: ElementTree.Element, check: Check) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname=check.group, name=check.name)
    message = f"{check.verdict}: {check.text}"
    if check.outcome is Outcome.failed:
        ElementTree.SubElement(case, "failure", type=check.verdict, message=message).text = check.text
    elif check.outcome is Outcome.skipped:
        ElementTree.SubElement(case, "skipped", message=f"{check.verdict}: {printable(check.reason or check.text)}")
    ElementTree.SubElement(case, "system-out").text = message
