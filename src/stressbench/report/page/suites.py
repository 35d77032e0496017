"""The pages of b_eff and b_eff_io: findings, figures, tables, and what was published."""

from collections.abc import Iterable
from dataclasses import dataclass

from stressbench import __version__
from stressbench.report.document import Fact, Figure
from stressbench.report.drawing import style
from stressbench.report.names import printable
from stressbench.report.page.sheets import Sheet, sheet
from stressbench.report.page.tables import Column, Table
from stressbench.report.page.template import environment, style_sheet
from stressbench.report.suites import chunks, partitions, sizes
from stressbench.report.terminal import beff_io_table, beff_table
from stressbench.report.units import MISSING, count, rate, size, time
from stressbench.suites.beff import BEff
from stressbench.suites.beff_io import BEffIO, Partition, PatternValue
from stressbench.suites.hpcc import Rmax
from stressbench.suites.io_patterns import TABLE_2, TYPE_TITLES
from stressbench.suites.io_protocol import Access
from stressbench.suites.protocol import Kind
from stressbench.suites.published import IO_SOURCE, SOURCE

_NOT_COMPARABLE = "Not comparable with published numbers: "
_BEFF_FOOT = (
    "b_eff is the logarithmic mean of ring patterns and random patterns; of each pattern the mean over 21 sizes, of "
    "each size the best of three methods and three attempts."
)
_IO_FOOT = (
    "b_eff_io of a partition is a quarter of initial writing, a quarter of rewriting and half of reading; of an access "
    "method the mean over pattern types with type 0 counted twice; of a type all bytes over the time from opening to "
    "closing its file. The largest partition value is the system's."
)


@dataclass(frozen=True, kw_only=True)
class _View:
    key: str
    title: str
    lead: str
    banner: str | None
    findings: tuple[str, ...]
    warnings: tuple[str, ...]
    first: tuple[Table, ...]
    figures: tuple[Figure, ...]
    tables: tuple[Table, ...]
    sheet: Sheet
    published: Table
    facts: tuple[Fact, ...]
    foot: str


def render_beff(found: BEff, *, rmax: Rmax | None = None) -> str:
    """The page of a b_eff as HTML text."""
    with style():
        figures = (sizes.draw(found),)
    warnings = [f"{_NOT_COMPARABLE}{reason}." for reason in found.reduced]
    if (untimed := beff_table.said_untimed(found)) is not None:
        warnings.append(f"Caution: {untimed}.")
    view = _View(
        key="beff",
        title=f"b_eff of {found.ranks:,} ranks: {rate(found.b_eff)}",
        lead="The effective bandwidth of a network, and what it is made of.",
        banner=None,
        findings=tuple(_beff_findings(found, rmax)),
        warnings=tuple(warnings),
        first=(_columns(found),),
        figures=figures,
        tables=(_patterns(found),),
        sheet=_loops_sheet(found),
        published=_published("beff", SOURCE, beff_table.PUBLISHED_HEADS, beff_table.published_rows(), texts=1),
        facts=tuple(_beff_facts(found)),
        foot=_BEFF_FOOT,
    )
    return _render(view)


def render_beff_io(found: BEffIO) -> str:
    """The page of a b_eff_io as HTML text, however far it came."""
    with style():
        drawn = [
            *(chunks.draw(one, key=f"beff-io-chunks-{number}") for number, one in enumerate(found.partitions, 1)),
            partitions.draw(found),
        ]
    number = "no number" if found.b_eff_io is None else rate(found.b_eff_io)
    view = _View(
        key="beff-io",
        title=f"b_eff_io of {count(found.head.ranks, 'rank')}: {number}",
        lead="The effective bandwidth of parallel files, and what it is made of.",
        banner=None if found.b_eff_io is not None else f"{beff_io_table.said_number(found)}.",
        findings=tuple(_io_findings(found)),
        warnings=(
            *(f"{_NOT_COMPARABLE}{printable(reason)}." for reason in found.reduced),
            *(f"Caution: {printable(caution)}." for caution in found.cautions),
        ),
        first=(_values(found),),
        figures=tuple(figure for figure in drawn if figure is not None),
        tables=tuple(_io_patterns(one, number) for number, one in enumerate(found.partitions, 1) if one.patterns),
        sheet=_patterns_sheet(found),
        published=_published(
            "beff-io", IO_SOURCE, beff_io_table.PUBLISHED_HEADS, beff_io_table.published_rows(), texts=2
        ),
        facts=tuple(_io_facts(found)),
        foot=_IO_FOOT,
    )
    return _render(view)


def _render(view: _View) -> str:
    return environment().get_template("suite.html.j2").render(view=view, style=style_sheet(), version=__version__)


def _table(
    key: str, caption: str, texts: Iterable[str], numbers: Iterable[str], rows: Iterable[Iterable[str]]
) -> Table:
    columns = (*(Column(head=head, number=False) for head in texts), *(Column(head=head) for head in numbers))
    return Table(key=key, caption=caption, columns=columns, rows=tuple(tuple(row) for row in rows))


def _published(key: str, source: str, heads: tuple[str, ...], rows: Iterable[Iterable[str]], *, texts: int) -> Table:
    names = ("system", *heads)
    caption = f"Published, not measured here: {source}. MB/s of 10^6 bytes."
    return _table(f"{key}-published", caption, names[:texts], names[texts:], rows)


def _beff_findings(found: BEff, rmax: Rmax | None) -> Iterable[str]:
    yield f"All {found.ranks:,} ranks together reach {rate(found.b_eff)}, {rate(found.per_rank)} a rank."
    if found.rings is not None and found.polygons is not None:
        share = found.polygons / found.rings
        yield f"Random partners leave {share:.0%} of what neighbours in rings reach ({rate(found.rings)})."
    yield f"Messages of Lmax ({size(found.lmax_bytes)}) alone would reach {rate(found.at_lmax)}."
    if rmax is not None:
        sentence = beff_table.said_balance(found, rmax)
        yield f"{sentence[:1].upper()}{sentence[1:]}."


def _columns(found: BEff) -> Table:
    def each(value: float | None) -> str:
        return rate(None if value is None else value / found.ranks)

    cells = (
        f"{found.ranks:,}", rate(found.b_eff), rate(found.per_rank), size(found.lmax_bytes), rate(found.pingpong),
        rate(found.at_lmax), each(found.at_lmax), each(found.rings_at_lmax),
    )  # fmt: skip
    heads = ("b_eff", "a rank", "Lmax", "ping-pong", "at Lmax", "a rank at Lmax", "rings, a rank at Lmax")
    return _table("beff-columns", "The columns of the paper's Table 1.", ("ranks",), heads, (cells,))


def _patterns(found: BEff) -> Table:
    longest = max(found.patterns[0].best)
    rows = (
        (
            printable(one.name), "no" if one.kind is Kind.extra else "yes", rate(one.mean), rate(one.best[longest]),
            *(rate(one.methods.get(method, {}).get(longest)) for method in ("sendrecv", "alltoallv", "nonblocking")),
        )
        for one in found.patterns
    )  # fmt: skip
    heads = ("mean over sizes", "at Lmax", "MPI_Sendrecv", "MPI_Alltoallv", "nonblocking")
    caption = "Every pattern, of all ranks together; the last three at Lmax, the best of attempts."
    return _table("beff-patterns", caption, ("pattern", "counts"), heads, rows)


def _loops_sheet(found: BEff) -> Sheet:
    rows = (
        (one.name, one.kind.value, method, at, value)
        for one in found.patterns
        for method, by_size in one.methods.items()
        for at, value in sorted(by_size.items())
    )
    return sheet("b_eff.csv", ("pattern", "kind", "method", "size_bytes", "bytes_per_s"), rows)


def _beff_facts(found: BEff) -> Iterable[Fact]:
    memory = "not named" if found.memory_bytes is None else f"{size(found.memory_bytes)} a rank"
    yield Fact(name="Ranks", value=f"{found.ranks:,}")
    yield Fact(name="Memory", value=memory)
    yield Fact(name="Random patterns", value=printable(f"{found.random}, seed {found.seed}"))
    yield Fact(name="Took", value=f"{time(found.elapsed_s)}, {time(found.timed_s)} of it within loops")


def _io_findings(found: BEffIO) -> Iterable[str]:
    if found.b_eff_io is not None:
        yield f"Files take and give {rate(found.b_eff_io)}, on {count(found.best or 0, 'rank')}: this is b_eff_io."
    for one in found.partitions:
        parts = [f"{access.value} {rate(one.of(access).value)}" for access in Access]
        yield f"{count(one.ranks, 'rank')}: {', '.join(parts)}."
    for sentence in (beff_io_table.said_balance(found), *map(beff_io_table.said_files, found.partitions)):
        if sentence is not None:
            yield f"{sentence[:1].upper()}{sentence[1:]}."


def _values(found: BEffIO) -> Table:
    caption = "Bandwidth from opening to closing the file, MB/s, by partition, access method and pattern type."
    heads = (*beff_io_table.TYPE_HEADS, "value")
    rows = []
    ranks = ""
    for row in beff_io_table.values_rows(found):
        ranks = row[0] or ranks
        rows.append((f"{count(int(ranks), 'rank')}, {row[1]}", *row[2:]))
    return _table("beff-io-values", caption, ("partition",), heads, rows)


def _io_patterns(partition: Partition, number: int) -> Table:
    rows = {(one.number, one.access): one for one in partition.patterns}
    shown = (
        (
            str(row.number), TYPE_TITLES[row.pattern_type], _chunk(one.chunk_bytes), _chunk(one.memory_chunk_bytes),
            f"{row.units}", *(_cell(rows.get((row.number, access))) for access in Access),
        )
        for row in TABLE_2.values()
        if (one := next((rows[row.number, access] for access in Access if (row.number, access) in rows), None))
    )  # fmt: skip
    return _table(
        f"beff-io-patterns-{number}",
        f"Every pattern on {count(partition.ranks, 'rank')}, MB/s. U: its share of T, of 64; 0: what starts or "
        "fills up. *: the same data more than once.",
        ("no.", "type"),
        ("on disk", "in memory", "U", "write", "rewrite", "read"),
        shown,
    )


def _cell(one: PatternValue | None) -> str:
    if one is None:
        return MISSING
    return beff_io_table.mega(one.value) + (" *" if one.again else "")


def _chunk(chunk_bytes: int) -> str:
    """`1 MiB + 8 B`: what is added to a round size stands by itself."""
    unit = next((power for power in (2**20, 2**10) if chunk_bytes >= power), 1)
    rest = chunk_bytes % unit
    return size(chunk_bytes) if not rest or rest * 16 > chunk_bytes else f"{size(chunk_bytes - rest)} + {size(rest)}"


def _patterns_sheet(found: BEffIO) -> Sheet:
    head = (
        "ranks", "access", "pattern_type", "number", "chunk_bytes", "memory_chunk_bytes", "units", "calls", "bytes",
        "time_s", "bytes_per_s", "again",
    )  # fmt: skip
    rows = (
        (
            partition.ranks, one.access.value, one.pattern_type, one.number, one.chunk_bytes, one.memory_chunk_bytes,
            one.units, one.calls, one.bytes, one.time_s, one.value, int(one.again),
        )
        for partition in found.partitions
        for one in partition.patterns
    )  # fmt: skip
    return sheet("b_eff_io.csv", head, rows)


def _io_facts(found: BEffIO) -> Iterable[Fact]:
    yield Fact(name="Set up", value=printable(beff_io_table.said_setting(found)))
    yield Fact(name="Shared file pointers", value="yes" if found.head.shared_pointers else "no")
    yield Fact(name="Time", value=beff_io_table.said_used(found) or "it did not come to its end")
