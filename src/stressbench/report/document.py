"""Format-independent documents: sections of blocks such as tables, figures and notes, which the renderers print.

All texts are data, never markup: renderers escape them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from stressbench.report.units import plain_interval

Value: TypeAlias = str | float | int | None


@dataclass(frozen=True, kw_only=True)
class DataFile:
    """A data file with values in full precision; None is unknown. `name` is the file name without extension.

    Each column holds either text or numbers, and its head includes the unit. If `command` is given and there are too
    many rows to embed, a page names that command instead, which writes `file` (default: `name`).
    """

    name: str
    head: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    command: str = ""
    file: str = ""


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A confidence interval of a ratio; both bounds are None if there is no interval."""

    low: float | None
    high: float | None


@dataclass(frozen=True, kw_only=True)
class HeatCell:
    """A cell of a heat map: `text` with `detail` below. `slower` selects the colour, `shade` its opacity (0 to 1)."""

    text: str
    detail: str
    shade: float
    slower: bool


Cell: TypeAlias = str | Interval | HeatCell | None
"""A table cell; None is unknown."""


def cell_text(cell: Cell) -> str:
    """The cell as plain text; a hyphen for an unknown value."""
    match cell:
        case None:
            return "-"
        case Interval():
            return plain_interval(cell.low, cell.high)
        case HeatCell():
            return f"{cell.text} {cell.detail}"
    return cell


@dataclass(frozen=True, kw_only=True)
class Column:
    """A table column. `unit` is set if all cells share one; columns of numbers are right-aligned."""

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

    `groups` holds the indices of the rows that begin a group; plain text draws a rule between groups. A page folds a
    long table unless it is not `foldable`: the main result of the page.
    """

    key: str = ""
    title: str = ""
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    groups: tuple[int, ...] = ()
    foldable: bool = True

    @property
    def is_heat_map(self) -> bool:
        """Whether this is a heat map."""
        return any(isinstance(cell, HeatCell) for row in self.rows for cell in row)


@dataclass(frozen=True, kw_only=True)
class Figure:
    """An SVG figure. `title` states the finding, `caption` how to read it; `description` is for screen readers.

    `canvas` is what `drawing.image` makes files of: a figure of matplotlib, or None.
    """

    key: str
    title: str
    caption: str
    description: str
    svg: str
    canvas: object = field(default=None, repr=False, compare=False)


class Severity(StrEnum):
    """Severity of a note; plain text prints it before the note."""

    note = "note"
    warning = "warning"
    caution = "CAUTION"
    error = "error"


@dataclass(frozen=True, kw_only=True)
class Note:
    """A limitation of the results; `about` names its subject, for example a job."""

    text: str
    severity: Severity = Severity.warning
    about: str = ""


@dataclass(frozen=True, kw_only=True)
class Notes:
    """Notes under a heading, which plain text omits; `key` is the element id of the heading in HTML."""

    notes: tuple[Note, ...]
    title: str = "Before you rely on these numbers"
    key: str = ""


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The main results as sentences, the most important first."""

    sentences: tuple[str, ...]


class Role(StrEnum):
    """Purpose of a paragraph: text, a remark (`note`), a reading aid (`key`), a warning, or a banner across the page.

    `lead` is text that is wrapped between words in a terminal; other paragraphs are printed as one line, so that logs
    keep them whole.
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
    """A heading within a section; `key` is its element id in HTML."""

    text: str
    key: str = ""


@dataclass(frozen=True, kw_only=True)
class BulletList:
    """A list of sentences."""

    items: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A name and its value, for example `MPI` and the library's version; `is_code`: the value is a command."""

    name: str
    value: str
    is_code: bool = False


@dataclass(frozen=True, kw_only=True)
class Facts:
    """A list of names and values, such as the provenance of the results; `prominent`: the main results.

    `key` is its element id in HTML.
    """

    facts: tuple[Fact, ...]
    prominent: bool = False
    key: str = ""


@dataclass(frozen=True, kw_only=True)
class Link:
    """Where a page answers a question: the part with the element id `key`, or the file `path`, relative to the page.

    Without either, `text` is the answer itself.
    """

    text: str
    key: str = ""
    path: str = ""


@dataclass(frozen=True, kw_only=True)
class Links:
    """Links to the parts of a page and to other pages, which only pages show."""

    title: str
    links: tuple[Link, ...]


@dataclass(frozen=True, kw_only=True)
class Preformatted:
    """Preformatted text, such as a file or commands."""

    text: str


@dataclass(frozen=True, kw_only=True)
class Collapsible:
    """Blocks that a page can fold under `summary`; `expanded`: initially unfolded."""

    summary: str
    blocks: "tuple[Block, ...]"
    expanded: bool = False


Block: TypeAlias = (
    Findings
    | Notes
    | Paragraph
    | Heading
    | BulletList
    | Table
    | Figure
    | DataFile
    | Facts
    | Links
    | Preformatted
    | Collapsible
)


@dataclass(frozen=True, kw_only=True)
class Section:
    """Blocks about one subject. `key` is the element id in HTML; `page_break` starts a new page in print."""

    key: str = ""
    title: str = ""
    blocks: tuple[Block, ...]
    page_break: bool = False


class Outcome(StrEnum):
    """Whether a check passed; a check without a clear result is skipped."""

    passed = "passed"
    failed = "failed"
    skipped = "skipped"


@dataclass(frozen=True, kw_only=True)
class Check:
    """A result that continuous integration shows as a test. `text`: its numbers; `reason`: why it was skipped."""

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

    @property
    def any_failed(self) -> bool:
        """Whether a check failed."""
        return any(one.outcome is Outcome.failed for one in self.checks)


@dataclass(frozen=True, kw_only=True)
class Document:
    """A titled document. `lead` is its introduction, `foot` says how the numbers were obtained.

    Content of other formats: `records` for CSV, `value` for JSON, `summary` for LaTeX (None: all tables), `checks` for
    JUnit, `abstract` for the summary: facts, the first of which is its heading.
    """

    title: str
    sections: tuple[Section, ...]
    lead: str = ""
    foot: str = ""
    records: DataFile | None = None
    value: object = None
    summary: Table | None = None
    checks: Checks | None = None
    abstract: tuple[Fact, ...] = ()

    @property
    def data_files(self) -> tuple[DataFile, ...]:
        """All data files that an HTML page of this document offers for download."""
        return tuple(_data_files_in(block for section in self.sections for block in section.blocks))

    @property
    def texts(self) -> tuple[str, ...]:
        """Sentences, captions and heads of columns of the document, in which it uses its terms."""
        return tuple(_texts_in(block for section in self.sections for block in section.blocks))


def _data_files_in(blocks: Iterable[Block]) -> Iterator[DataFile]:
    for block in blocks:
        if isinstance(block, DataFile):
            yield block
        elif isinstance(block, Collapsible):
            yield from _data_files_in(block.blocks)


def _texts_in(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        match block:
            case Collapsible():
                yield from _texts_in(block.blocks)
            case Findings():
                yield from block.sentences
            case Notes():
                yield from (note.text for note in block.notes)
            case Paragraph():
                yield block.text
            case Table():
                yield from (block.title, block.caption, *(column.head for column in block.columns))
            case Figure():
                yield from (block.title, block.caption)
            case Facts():
                yield from (fact.value for fact in block.facts if block.prominent)


def keys_in(blocks: Iterable[Block]) -> Iterator[str]:
    """Element ids of the blocks in HTML."""
    for block in blocks:
        if isinstance(block, Collapsible):
            yield from keys_in(block.blocks)
        elif isinstance(block, Table | Figure | Heading | Notes | Facts) and block.key:
            yield block.key


def columns(
    *, texts: Iterable[str] = (), numbers: Iterable[str] = (), trailing_texts: Iterable[str] = ()
) -> tuple[Column, ...]:
    """Columns with these heads: text (`texts`), then numbers (`numbers`), then text again (`trailing_texts`)."""
    parts = ((texts, False), (numbers, True), (trailing_texts, False))
    return tuple(Column(head=head, number=number) for heads, number in parts for head in heads)


def table_columns(heads: Sequence[str], *, text_columns: int) -> tuple[Column, ...]:
    """Columns with these heads: the first `text_columns` columns hold text, the others numbers."""
    return columns(texts=heads[:text_columns], numbers=heads[text_columns:])
