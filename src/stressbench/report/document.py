"""A document as values: sections made of blocks such as tables, figures and notes, which each renderer prints its way.

All texts are data, never markup: renderers escape them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from stressbench.report.units import plain_interval

Value: TypeAlias = str | float | int | None


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """Values in full precision: `name` of the file without an ending, heads with units, rows; unknown is None.

    All values of a column are of one kind: text, or numbers. A page does not hold them where `command` is given and
    they are too many; it then names that command, which writes `file` (default: `name`).
    """

    name: str
    head: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    command: str = ""
    file: str = ""


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A confidence interval of a ratio; both ends are None where there is none."""

    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class Shaded:
    """A cell of a heat map: `text` with `detail` below it; `shade` is its opacity from 0 to 1."""

    text: str
    detail: str
    shade: float
    slower: bool


Cell: TypeAlias = str | Interval | Shaded | None
"""None is unknown."""


def cell_text(cell: Cell) -> str:
    """The cell as plain text; a hyphen where it is unknown."""
    match cell:
        case None:
            return "-"
        case Interval():
            return plain_interval(cell.low, cell.high)
        case Shaded():
            return f"{cell.text} {cell.detail}"
    return cell


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column with its head and, where all of its cells share one, its unit; numbers are set flush right."""

    head: str
    unit: str = ""
    number: bool = True

    @property
    def label(self) -> str:
        """The head with the unit: `mean / ms`."""
        return f"{self.head} / {self.unit}" if self.unit else self.head


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows under columns; `caption` says what the numbers are and how to read them.

    `groups` are the numbers of the rows that begin a group; a terminal draws a rule before each but the first.
    """

    key: str = ""
    title: str = ""
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    groups: tuple[int, ...] = ()

    @property
    def heat(self) -> bool:
        """Whether this is a heat map."""
        return any(isinstance(cell, Shaded) for row in self.rows for cell in row)


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A drawing: `title` states the comparison, `caption` how to read it, `description` is for screen readers."""

    key: str
    title: str
    caption: str
    description: str
    svg: str


class Severity(StrEnum):
    """How much a note matters; the word stands before it in plain text."""

    note = "note"
    warning = "warning"
    caution = "CAUTION"
    error = "error"


@dataclass(frozen=True, kw_only=True)
class Note:
    """Something that limits the results; `about` names what it concerns, for example a job."""

    text: str
    severity: Severity = Severity.warning
    about: str = ""


@dataclass(frozen=True, kw_only=True)
class Notes:
    """Notes below one heading, which plain text leaves out."""

    notes: tuple[Note, ...]
    title: str = "Before you rely on these numbers"


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What was found, in sentences, the most important first."""

    sentences: tuple[str, ...]


class Role(StrEnum):
    """What a paragraph is for: plain text, a remark, a reading aid, a warning, or a banner across the page.

    `lead` is plain text that a terminal breaks between words; everything else flows, so that a log keeps it whole.
    """

    text = "text"
    lead = "lead"
    note = "note"
    key = "key"
    warning = "warning"
    banner = "banner"


@dataclass(frozen=True, kw_only=True)
class Paragraph:
    """One paragraph."""

    text: str
    role: Role = Role.text


@dataclass(frozen=True, kw_only=True)
class Heading:
    """A heading within a section."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A name and its value, for example `MPI` and the library's version."""

    name: str
    value: str


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Where the numbers come from."""

    facts: tuple[Fact, ...]


@dataclass(frozen=True, kw_only=True)
class Listing:
    """Text that keeps its lines, such as a file or commands."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Details:
    """Blocks that a page can fold below `summary`."""

    summary: str
    blocks: "tuple[Block, ...]"
    opened: bool = False


Block: TypeAlias = (
    Findings | Notes | Paragraph | Heading | Listed | Table | Figure | Numbers | Facts | Listing | Details
)


@dataclass(frozen=True, kw_only=True)
class Section:
    """Blocks about one subject; `key` is its id in a page. A print-out begins a new sheet where `new_sheet` is set."""

    key: str = ""
    title: str = ""
    blocks: tuple[Block, ...]
    new_sheet: bool = False


class Outcome(StrEnum):
    """Whether a check passed; a check without a clear result is skipped."""

    passed = "passed"
    failed = "failed"
    skipped = "skipped"


@dataclass(frozen=True, kw_only=True)
class Check:
    """A result that continuous integration shows as a test; `text` holds its numbers, `reason` why it was skipped."""

    group: str
    name: str
    outcome: Outcome
    verdict: str
    text: str
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Checks:
    """A suite of checks; `facts` are its properties."""

    name: str
    facts: tuple[Fact, ...]
    checks: tuple[Check, ...]


@dataclass(frozen=True, kw_only=True)
class Document:
    """`lead` says what the document is about, `foot` how its numbers were obtained.

    For machines: `records` are the rows of a CSV file, `value` is what JSON holds, `summary` the one table of a paper,
    `checks` the tests of a JUnit file.
    """

    title: str
    sections: tuple[Section, ...]
    lead: str = ""
    foot: str = ""
    records: Numbers | None = None
    value: object = None
    summary: Table | None = None
    checks: Checks | None = None

    @property
    def numbers(self) -> tuple[Numbers, ...]:
        """All numbers that a page of this document lets its readers save."""
        return tuple(_numbers_in(block for section in self.sections for block in section.blocks))


def _numbers_in(blocks: Iterable[Block]) -> Iterator[Numbers]:
    for block in blocks:
        if isinstance(block, Numbers):
            yield block
        elif isinstance(block, Details):
            yield from _numbers_in(block.blocks)


def columns(*, texts: Iterable[str] = (), numbers: Iterable[str] = (), last: Iterable[str] = ()) -> tuple[Column, ...]:
    """Columns of words, then of numbers, then of words again, by their heads."""
    parts = ((texts, False), (numbers, True), (last, False))
    return tuple(Column(head=head, number=number) for heads, number in parts for head in heads)


def headed(head: Sequence[str], *, words: int) -> tuple[Column, ...]:
    """Columns with these heads, of which the first `words` hold words and the others numbers."""
    return columns(texts=head[:words], numbers=head[words:])
