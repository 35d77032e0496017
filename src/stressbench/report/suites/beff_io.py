"""Documents of b_eff_io: bandwidths by partition, access method and pattern type, the value, and its limitations."""

from collections.abc import Iterator

from stressbench.formats.protocols.beff_io import Access, Head
from stressbench.formats.protocols.io_patterns import TABLE_2, TYPE_NAMES, TYPE_TITLES, TYPES
from stressbench.formats.units import minutes_text
from stressbench.report.document import (
    Block,
    DataFile,
    Document,
    Fact,
    Heading,
    Note,
    Notes,
    Paragraph,
    Section,
    Severity,
    Table,
    table_columns,
)
from stressbench.report.names import printable
from stressbench.report.page_sections import page_section
from stressbench.report.suites.beff import NOT_COMPARABLE
from stressbench.report.units import MISSING, count, digits, rate, size, time
from stressbench.suites.beff_io import COFFEE_CUP_LIMIT_S, BEffIO, Partition, PatternValue, ranks_label
from stressbench.suites.published import FIGURE_3, IO_SOURCE

_TYPE_HEADS = tuple(f"{number} {name}" for number, name in zip(TYPES, TYPE_NAMES, strict=True))
_FOOT = (
    "b_eff_io of a partition is a quarter of initial writing, a quarter of rewriting and half of reading; of an access "
    "method the mean over pattern types with type 0 counted twice; of a type all bytes over the time from opening to "
    "closing its file. The largest partition value is the system's."
)


def brief(result: BEffIO, *, published: bool = False) -> Document:
    """The document without figures: all bandwidths, the value of b_eff_io, and its limitations."""
    sentences = (
        value_text(result),
        *map(_written_text, result.partitions),
        _balance_text(result),
        _exhausted_text(result),
        _elapsed_text(result),
    )
    cautions = tuple(Note(text=caution, severity=Severity.caution) for caution in result.cautions)
    values = Table(
        columns=table_columns(("ranks", "MB/s", *_TYPE_HEADS, "value"), text_columns=2),
        rows=tuple(_values_rows(result)),
    )
    blocks: tuple[Block, ...] = (
        values,
        *(Paragraph(text=sentence) for sentence in sentences if sentence is not None),
        *(Paragraph(text=f"n{NOT_COMPARABLE}: {reason}") for reason in result.reduced),
        *((Notes(notes=cautions),) if cautions else ()),
        *((_published(f"Published, not measured here: {IO_SOURCE} (MB/s)"),) if published else ()),
    )
    return Document(title=_settings_text(result), sections=(Section(blocks=blocks),))


def page(result: BEffIO) -> Document:
    """The HTML page: findings, figures and all tables, also of an incomplete measurement."""
    from stressbench.report.drawing import style  # figures take a second to import
    from stressbench.report.suites import chunks, partitions

    with style():
        of_chunks = [
            figure
            for number, one in enumerate(result.partitions, 1)
            if (figure := chunks.draw(one, key=f"beff-io-chunks-{number}")) is not None
        ]
        of_partitions = partitions.draw(result)
    value = "no number" if result.b_eff_io is None else rate(result.b_eff_io)
    title = f"b_eff_io of {count(result.head.ranks, 'rank')}: {value}"
    section = page_section(
        key="beff-io",
        title=title,
        banner="" if result.b_eff_io is not None else f"{value_text(result)}.",
        findings=_findings(result),
        notes=(
            *(f"N{NOT_COMPARABLE}: {reason}." for reason in result.reduced),
            *(f"Caution: {caution}." for caution in result.cautions),
        ),
        summary_tables=(_values(result),),
        figures=(
            *of_chunks,
            _data_file(result),
            *(() if of_partitions is None else (of_partitions, partitions.data_file(result))),
        ),
        heading="Patterns",
        tables=(_patterns(one, number) for number, one in enumerate(result.partitions, 1) if one.patterns),
        further_blocks=(
            Heading(text="Published results"),
            _published("", caption=f"Published, not measured here: {IO_SOURCE}. MB/s of 10^6 bytes."),
        ),
        facts=_facts(result),
    )
    lead = "The effective bandwidth of parallel files and its components."
    return Document(title=title, lead=lead, sections=(section,), foot=_FOOT)


def _megabytes_per_s(value: float | None) -> str:
    """Bytes/s as MB/s."""
    return MISSING if value is None else digits(value / 1e6)


def _values_rows(result: BEffIO) -> Iterator[tuple[str, ...]]:
    """Rows of ranks, access method, MB/s by pattern type and MB/s of the method, then a row per partition."""
    for partition in result.partitions:
        for access in partition.accesses:
            first = partition.name if access.access is Access.write else ""
            types = (access.of_type(number) for number in TYPES)
            cells = (MISSING if one is None else _megabytes_per_s(one.value) for one in types)
            yield (first, access.access.value, *cells, _megabytes_per_s(access.value))
        yield ("", "b_eff_io", *("" for _ in TYPES), _megabytes_per_s(partition.value))


def _settings_text(result: BEffIO) -> str:
    """The settings of the measurement as one line of text."""
    head = result.head
    parts = [
        count(head.ranks, "rank"), f"release {head.release}.x",
        f"T {minutes_text(head.scheduled_s)} {'per partition' if head.release == 1 else 'in all'}",
        f"M_PART {size(head.mpart_bytes)}",
        _memory_text(head),
    ]  # fmt: skip
    parts += ["random order"] if head.random else []
    parts += [f"at most {size(head.limit_bytes)} of files"] if head.limit_bytes is not None else []
    hints = (*head.hints, *head.pattern_hints)
    parts += [f"hints {', '.join(hints)}"] if hints else []
    return ", ".join(parts)


def _memory_text(head: Head) -> str:
    if head.memory_bytes is not None:
        return f"memory {size(head.memory_bytes)} per rank"
    if head.node_memory_bytes is None or head.nodes is None:
        return "memory not named"
    return f"memory {size(head.node_memory_bytes)} on each of {count(head.nodes, 'node')}"


def value_text(result: BEffIO) -> str:
    """The value of b_eff_io with its ranks, or the reason why there is none."""
    if result.b_eff_io is None:
        return f"{'no number' if result.complete else 'INCOMPLETE, no number'}: {result.missing}"
    return f"b_eff_io: {rate(result.b_eff_io)}, on {_best_label(result)}"


def _best_label(result: BEffIO) -> str:
    """The ranks of the best partition."""
    return ranks_label(result.best or 0, result.best_name or "")


def _elapsed_text(result: BEffIO) -> str | None:
    """The elapsed time as a share of the scheduled time T; None if the measurement did not finish."""
    if result.elapsed_s is None:
        return None
    return (
        f"took {time(result.elapsed_s)}, {result.elapsed_s / result.scheduled_s:.0%} of the "
        f"{minutes_text(result.scheduled_s)} scheduled"
    )


def _exhausted_text(result: BEffIO) -> str | None:
    """How many patterns had no more data to read or rewrite; None if none."""
    patterns = [one for partition in result.partitions for one in partition.patterns]
    exhausted = sum(one.exhausted for one in patterns)
    if not exhausted:
        return None
    timed = sum(one.access is not Access.write and one.units > 0 and one.pattern_type < 3 for one in patterns)
    return (
        f"{exhausted} of {count(timed, 'timed pattern')} had read or rewritten all that was written before their time "
        "was over"
    )


def _written_text(partition: Partition) -> str | None:
    """The bytes written and the minimum that the definition requires; None if that is unknown."""
    if partition.least_bytes is None:
        return None
    written_bytes = partition.of(Access.write).bytes
    shortfall_note = "" if written_bytes >= partition.least_bytes else ": not reached"
    return (
        f"{partition.label} wrote {size(written_bytes)}; the definition's least is "
        f"{size(partition.least_bytes)} (300 s of initial writing){shortfall_note}"
    )


def _balance_text(result: BEffIO) -> str | None:
    """Whether the coffee-cup rule of the paper holds; None if that is unknown."""
    if result.balance is None:
        return None
    verdict = "within" if result.balance.holds else "more than"
    return (
        f"writing all memory ({size(result.balance.memory_bytes)}) takes {time(result.balance.write_s)}, {verdict} the "
        f"{minutes_text(COFFEE_CUP_LIMIT_S)} of the coffee-cup rule"
    )


def _findings(result: BEffIO) -> Iterator[str]:
    if result.b_eff_io is not None:
        yield f"b_eff_io is {rate(result.b_eff_io)}, on {_best_label(result)}."
    for one in result.partitions:
        parts = [f"{access.value} {rate(one.of(access).value)}" for access in Access]
        yield f"{one.label}: {', '.join(parts)}."
    for sentence in (_balance_text(result), *map(_written_text, result.partitions)):
        if sentence is not None:
            yield f"{sentence[:1].upper()}{sentence[1:]}."


def _values(result: BEffIO) -> Table:
    caption = "Bandwidth from opening to closing the file, MB/s, by partition, access method and pattern type."
    heads = ("partition", *_TYPE_HEADS, "value")
    rows = []
    partitions = (label for one in result.partitions for label in (one.label,) * (len(Access) + 1))
    for label, row in zip(partitions, _values_rows(result), strict=True):
        rows.append((f"{label}, {row[1]}", *row[2:]))
    return Table(key="beff-io-values", columns=table_columns(heads, text_columns=1), rows=tuple(rows), caption=caption)


def _patterns(partition: Partition, number: int) -> Table:
    rows = {(one.number, one.access): one for one in partition.patterns}
    shown = tuple(
        (
            str(row.number), TYPE_TITLES[row.pattern_type], _chunk(one.chunk_bytes), _chunk(one.memory_chunk_bytes),
            f"{row.units}", *(_cell(rows.get((row.number, access))) for access in Access),
        )
        for row in TABLE_2.values()
        if (one := next((rows[row.number, access] for access in Access if (row.number, access) in rows), None))
    )  # fmt: skip
    return Table(
        key=f"beff-io-patterns-{number}",
        columns=table_columns(("no.", "type", "on disk", "in memory", "U", "write", "rewrite", "read"), text_columns=2),
        rows=shown,
        caption=f"All patterns on {partition.label}, MB/s. U: its share of T in 64ths; 0: a single call that starts or "
        f"fills a file.{_marks_text(partition)}",
    )


def _cell(one: PatternValue | None) -> str:
    if one is None:
        return MISSING
    return _megabytes_per_s(one.value) + (" *" if one.again or one.exhausted else "")


def _marks_text(partition: Partition) -> str:
    """What the star at a bandwidth means, if there is one."""
    if any(one.again for one in partition.patterns):
        return " *: the same data more than once."
    if any(one.exhausted for one in partition.patterns):
        return " *: all that was written, before its share of T was over."
    return ""


def _chunk(chunk_bytes: int) -> str:
    """A chunk size such as `1 MiB + 8 B`: bytes added to a round size are shown separately."""
    unit = next((power for power in (2**20, 2**10) if chunk_bytes >= power), 1)
    rest = chunk_bytes % unit
    return size(chunk_bytes) if not rest or rest * 16 > chunk_bytes else f"{size(chunk_bytes - rest)} + {size(rest)}"


def _data_file(result: BEffIO) -> DataFile:
    head = (
        "ranks", "access", "pattern_type", "number", "chunk_bytes", "memory_chunk_bytes", "units", "calls", "bytes",
        "time_s", "bytes_per_s", "again", "exhausted",
        "partition",
    )  # fmt: skip
    rows = tuple(
        (
            partition.ranks, one.access.value, one.pattern_type, one.number, one.chunk_bytes, one.memory_chunk_bytes,
            one.units, one.calls, one.bytes, one.time_s, one.value, int(one.again),
            int(one.exhausted), partition.name,
        )
        for partition in result.partitions
        for one in partition.patterns
    )  # fmt: skip
    return DataFile(name="b_eff_io", head=head, rows=rows)


def _facts(result: BEffIO) -> Iterator[Fact]:
    yield Fact(name="Setup", value=printable(_settings_text(result)))
    yield Fact(name="Shared file pointers", value="yes" if result.head.shared_pointers else "no")
    yield Fact(name="Time", value=_elapsed_text(result) or "it did not finish")


def _published(title: str, *, caption: str = "") -> Table:
    """The paper's Figure 3, MB/s."""
    rows = tuple((one.system, one.size, str(one.minutes), f"{one.b_eff_io:g}") for one in FIGURE_3)
    heads = ("system", "partition", "T / min", "b_eff_io")
    return Table(
        key="beff-io-published", title=title, columns=table_columns(heads, text_columns=2), rows=rows, caption=caption
    )
