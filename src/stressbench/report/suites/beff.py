"""Documents of b_eff: the value, its components, and published values."""

from collections.abc import Iterator

from stressbench.formats.protocols.beff import Kind
from stressbench.report.document import (
    Block,
    DataFile,
    Document,
    Fact,
    Heading,
    Note,
    Notes,
    Paragraph,
    Role,
    Section,
    Severity,
    Table,
    table_columns,
)
from stressbench.report.names import printable
from stressbench.report.page_sections import page_section
from stressbench.report.units import MISSING, digits, rate, size, time
from stressbench.suites.beff import BEff, PatternResult
from stressbench.suites.hpcc import Rmax
from stressbench.suites.published import SOURCE, TABLE_1

NOT_COMPARABLE = "ot comparable with published numbers"
"""Without its first letter, which is lower case in text and upper case in HTML."""
_METHODS = ("sendrecv", "alltoallv", "nonblocking")
_PUBLISHED_HEADS = (
    "system", "processors", "b_eff", "a proc.", "Lmax MB", "ping-pong", "at Lmax", "a proc.", "rings, a proc.",
)  # fmt: skip
_FOOT = (
    "b_eff is the logarithmic mean of ring patterns and random patterns; of each pattern the mean over 21 sizes, of "
    "each size the best of three methods and three attempts."
)


def brief(found: BEff, *, rmax: Rmax | None, published: bool = False) -> Document:
    """The document without figures: all averages, all patterns except random ones, and limitations of the value."""
    rows = (
        ("b_eff", found.b_eff), ("  rings", found.rings), ("  random patterns", found.polygons),
        ("at Lmax", found.at_lmax), ("  rings", found.rings_at_lmax),
    )  # fmt: skip
    pingpong = () if found.pingpong is None else (("ping-pong at Lmax", "", rate(found.pingpong)),)
    averages = Table(
        columns=table_columns(("", "all ranks", "a rank"), text_columns=1),
        rows=(*((name, rate(value), _each(found, value)) for name, value in rows), *pingpong),
    )
    untimed = _untimed_text(found)
    setting = f"{found.ranks} ranks, Lmax {size(found.lmax_bytes)}, random patterns {found.random}, seed {found.seed}"
    blocks: tuple[Block, ...] = (
        Paragraph(text=setting, role=Role.lead),
        averages,
        _best_methods(found),
        *(() if rmax is None else (Paragraph(text=_balance_text(found, rmax)),)),
        *(Paragraph(text=f"n{NOT_COMPARABLE}: {reason}") for reason in found.reduced),
        *(() if untimed is None else (Notes(notes=(Note(text=untimed, severity=Severity.caution),)),)),
        *((_published(f"Published, not measured here: {SOURCE} (MB/s)"),) if published else ()),
    )
    return Document(title="", sections=(Section(blocks=blocks),))


def page(found: BEff, *, rmax: Rmax | None = None) -> Document:
    """The HTML page: findings, the figure, and all tables."""
    from stressbench.report.drawing import style  # figures take a second to import
    from stressbench.report.suites import sizes

    with style():
        figure = sizes.draw(found)
    untimed = _untimed_text(found)
    title = f"b_eff of {found.ranks:,} ranks: {rate(found.b_eff)}"
    section = page_section(
        key="beff",
        title=title,
        findings=_findings(found, rmax),
        notes=(
            *(f"N{NOT_COMPARABLE}: {reason}." for reason in found.reduced),
            *(() if untimed is None else (f"Caution: {untimed}.",)),
        ),
        first=(_averages(found),),
        figures=(figure,),
        heading="Patterns",
        tables=(_patterns(found),),
        more=(
            _loops(found),
            Heading(text="Published results"),
            _published("", caption=f"Published, not measured here: {SOURCE}. MB/s of 10^6 bytes."),
        ),
        facts=_facts(found),
    )
    lead = "The effective bandwidth of a network and its components."
    return Document(title=title, lead=lead, sections=(section,), foot=_FOOT)


def _balance_text(found: BEff, rmax: Rmax) -> str:
    factor = digits(found.b_eff / rmax.flops_per_s)
    shown = f"{digits(rmax.flops_per_s / 1e9)} GFlop/s, {rmax.source}"
    return f"balance: {factor} bytes a floating-point operation (b_eff / Rmax; Rmax {shown})"


def _untimed_text(found: BEff) -> str | None:
    """The paper's consistency check: the share of time outside timed loops if it is more than 5 %, else None."""
    if found.elapsed_s is None or found.timed_s >= 0.95 * found.elapsed_s:
        return None
    return f"{1 - found.timed_s / found.elapsed_s:.0%} of {digits(found.elapsed_s)} s lay outside of timed loops"


def _findings(found: BEff, rmax: Rmax | None) -> Iterator[str]:
    yield f"All {found.ranks:,} ranks together reach {rate(found.b_eff)}, {rate(found.per_rank)} per rank."
    if found.rings is not None and found.polygons is not None:
        share = found.polygons / found.rings
        yield f"Random patterns reach {share:.0%} of the bandwidth of ring patterns ({rate(found.rings)})."
    yield f"Messages of Lmax ({size(found.lmax_bytes)}) reach {rate(found.at_lmax)}."
    if rmax is not None:
        sentence = _balance_text(found, rmax)
        yield f"{sentence[:1].upper()}{sentence[1:]}."


def _each(found: BEff, value: float | None) -> str:
    """`value` divided by the number of ranks, as text."""
    return rate(None if value is None else value / found.ranks)


def _best_methods(found: BEff) -> Table:
    longest = max(found.patterns[0].best)
    return Table(
        columns=(
            *table_columns(("pattern", "mean over sizes", "at Lmax"), text_columns=1),
            *table_columns(("best method at Lmax",), text_columns=1),
        ),
        rows=tuple(
            (one.name, rate(one.mean), rate(one.best[longest]), _best_method(one, longest))
            for one in found.patterns
            if one.kind is not Kind.random
        ),
    )  # fmt: skip


def _best_method(one: PatternResult, longest: int) -> str:
    return max(one.methods, key=lambda method: one.methods[method].get(longest, 0.0))


def _averages(found: BEff) -> Table:
    heads = ("ranks", "b_eff", "a rank", "Lmax", "ping-pong", "at Lmax", "a rank at Lmax", "rings, a rank at Lmax")
    cells = (
        f"{found.ranks:,}", rate(found.b_eff), rate(found.per_rank), size(found.lmax_bytes), rate(found.pingpong),
        rate(found.at_lmax), _each(found, found.at_lmax), _each(found, found.rings_at_lmax),
    )  # fmt: skip
    caption = "The columns of the paper's Table 1."
    return Table(key="beff-columns", columns=table_columns(heads, text_columns=1), rows=(cells,), caption=caption)


def _patterns(found: BEff) -> Table:
    longest = max(found.patterns[0].best)
    heads = ("pattern", "counts", "mean over sizes", "at Lmax", "MPI_Sendrecv", "MPI_Alltoallv", "nonblocking")
    return Table(
        key="beff-patterns",
        columns=table_columns(heads, text_columns=2),
        rows=tuple(
            (
                one.name, "no" if one.kind is Kind.extra else "yes", rate(one.mean), rate(one.best[longest]),
                *(rate(one.methods.get(method, {}).get(longest)) for method in _METHODS),
            )
            for one in found.patterns
        ),
        caption="All patterns, all ranks together; the last three columns at Lmax, the maximum over attempts.",
    )  # fmt: skip


def _published(title: str, *, caption: str = "") -> Table:
    """The paper's Table 1, MB/s."""
    rows = tuple(
        (
            one.system, str(one.processors), f"{one.b_eff:g}", f"{one.per_processor:g}", str(one.lmax_mb),
            MISSING if one.pingpong is None else f"{one.pingpong:g}", f"{one.at_lmax:g}",
            f"{one.per_processor_at_lmax:g}", f"{one.rings_per_processor_at_lmax:g}",
        )
        for one in TABLE_1
    )  # fmt: skip
    return Table(
        key="beff-published",
        title=title,
        columns=table_columns(_PUBLISHED_HEADS, text_columns=1),
        rows=rows,
        caption=caption,
    )


def _loops(found: BEff) -> DataFile:
    rows = tuple(
        (one.name, one.kind.value, method, at, value)
        for one in found.patterns
        for method, by_size in one.methods.items()
        for at, value in sorted(by_size.items())
    )
    return DataFile(name="b_eff", head=("pattern", "kind", "method", "size_bytes", "bytes_per_s"), rows=rows)


def _facts(found: BEff) -> Iterator[Fact]:
    memory = "not named" if found.memory_bytes is None else f"{size(found.memory_bytes)} a rank"
    yield Fact(name="Ranks", value=f"{found.ranks:,}")
    yield Fact(name="Memory", value=memory)
    yield Fact(name="Random patterns", value=printable(f"{found.random}, seed {found.seed}"))
    yield Fact(name="Duration", value=f"{time(found.elapsed_s)}, {time(found.timed_s)} of it in timed loops")
