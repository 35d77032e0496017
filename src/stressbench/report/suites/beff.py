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
from stressbench.report.units import MISSING, digits, percent, rate, size, time
from stressbench.suites.beff import BEff, PatternResult
from stressbench.suites.hpcc import Rmax
from stressbench.suites.published import SOURCE, TABLE_1

NOT_COMPARABLE = "ot comparable with published numbers"
"""Without its first letter, which is lower case in text and upper case in HTML."""
_METHODS = ("sendrecv", "alltoallv", "nonblocking")
_PUBLISHED_HEADS = (
    "system", "processors", "b_eff", "per proc.", "Lmax MB", "ping-pong", "at Lmax", "per proc.", "rings, per proc.",
)  # fmt: skip
_FOOT = (
    "b_eff is the logarithmic mean of ring patterns and random patterns; of each pattern the mean over 21 sizes, of "
    "each size the best of three methods and three attempts."
)


def brief(result: BEff, *, rmax: Rmax | None, published: bool = False) -> Document:
    """The document without figures: all averages, all patterns except random ones, and limitations of the value."""
    rows = (
        ("b_eff", result.b_eff), ("  rings", result.rings), ("  random patterns", result.polygons),
        ("at Lmax", result.at_lmax), ("  rings", result.rings_at_lmax),
    )  # fmt: skip
    pingpong = () if result.pingpong is None else (("ping-pong at Lmax", "", rate(result.pingpong)),)
    averages = Table(
        columns=table_columns(("", "all ranks", "per rank"), text_columns=1),
        rows=(*((name, rate(value), _per_rank_text(result, value)) for name, value in rows), *pingpong),
    )
    untimed = _untimed_text(result)
    setting = (
        f"{result.ranks} ranks, Lmax {size(result.lmax_bytes)}, random patterns {result.random}, seed {result.seed}"
    )
    blocks: tuple[Block, ...] = (
        Paragraph(text=setting, role=Role.lead),
        averages,
        _best_methods(result),
        *(() if rmax is None else (Paragraph(text=_balance_text(result, rmax)),)),
        *(Paragraph(text=f"n{NOT_COMPARABLE}: {reason}") for reason in result.reduced),
        *(() if untimed is None else (Notes(notes=(Note(text=untimed, severity=Severity.caution),)),)),
        *((_published(f"Published, not measured here: {SOURCE} (MB/s)"),) if published else ()),
    )
    return Document(title="", sections=(Section(blocks=blocks),))


def page(result: BEff, *, rmax: Rmax | None = None) -> Document:
    """The HTML page: findings, the figure, and all tables."""
    from stressbench.report.drawing import style  # figures take a second to import
    from stressbench.report.suites import sizes

    with style():
        figure = sizes.draw(result)
    untimed = _untimed_text(result)
    title = f"b_eff of {result.ranks:,} ranks: {rate(result.b_eff)}"
    section = page_section(
        key="beff",
        title=title,
        findings=_findings(result, rmax),
        notes=(
            *(f"N{NOT_COMPARABLE}: {reason}." for reason in result.reduced),
            *(() if untimed is None else (f"Caution: {untimed}.",)),
        ),
        summary_tables=(_averages(result),),
        figures=(figure, _data_file(result)),
        heading="Patterns",
        tables=(_patterns(result),),
        further_blocks=(
            Heading(text="Published results"),
            _published("", caption=f"Published, not measured here: {SOURCE}. MB/s of 10^6 bytes."),
        ),
        facts=_facts(result),
    )
    lead = "The effective bandwidth of a network and its components."
    return Document(title=title, lead=lead, sections=(section,), foot=_FOOT)


def _balance_text(result: BEff, rmax: Rmax) -> str:
    factor = digits(result.b_eff / rmax.flops_per_s)
    rmax_text = f"{digits(rmax.flops_per_s / 1e9)} GFlop/s, {rmax.source}"
    return f"balance: {factor} bytes per floating-point operation (b_eff / Rmax; Rmax {rmax_text})"


def _untimed_text(result: BEff) -> str | None:
    """The paper's consistency check: the share of time outside timed loops if it is more than 5 %, else None."""
    if result.elapsed_s is None or result.timed_s >= 0.95 * result.elapsed_s:
        return None
    share = percent(1 - result.timed_s / result.elapsed_s)
    return f"{share} % of {time(result.elapsed_s)} were outside of timed loops"


def _findings(result: BEff, rmax: Rmax | None) -> Iterator[str]:
    yield f"All {result.ranks:,} ranks together reach {rate(result.b_eff)}, {rate(result.per_rank)} per rank."
    if result.rings is not None and result.polygons is not None:
        share = result.polygons / result.rings
        yield f"Random patterns reach {100 * share:.0f} % of the bandwidth of ring patterns ({rate(result.rings)})."
    yield f"Messages of Lmax ({size(result.lmax_bytes)}) reach {rate(result.at_lmax)}."
    if rmax is not None:
        sentence = _balance_text(result, rmax)
        yield f"{sentence[:1].upper()}{sentence[1:]}."


def _per_rank_text(result: BEff, value: float | None) -> str:
    """`value` divided by the number of ranks, as text."""
    return rate(None if value is None else value / result.ranks)


def _best_methods(result: BEff) -> Table:
    longest = max(result.patterns[0].best)
    return Table(
        columns=(
            *table_columns(("pattern", "mean over sizes", "at Lmax"), text_columns=1),
            *table_columns(("best method at Lmax",), text_columns=1),
        ),
        rows=tuple(
            (one.name, rate(one.mean), rate(one.best[longest]), _best_method(one, longest))
            for one in result.patterns
            if one.kind is not Kind.random
        ),
    )  # fmt: skip


def _best_method(one: PatternResult, longest: int) -> str:
    return max(one.methods, key=lambda method: one.methods[method].get(longest, 0.0))


def _averages(result: BEff) -> Table:
    heads = (
        "ranks",
        "b_eff",
        "per rank",
        "Lmax",
        "ping-pong",
        "at Lmax",
        "per rank at Lmax",
        "rings, per rank at Lmax",
    )
    cells = (
        f"{result.ranks:,}", rate(result.b_eff), rate(result.per_rank), size(result.lmax_bytes), rate(result.pingpong),
        rate(result.at_lmax), _per_rank_text(result, result.at_lmax), _per_rank_text(result, result.rings_at_lmax),
    )  # fmt: skip
    caption = "The columns of the paper's Table 1."
    return Table(key="beff-columns", columns=table_columns(heads, text_columns=1), rows=(cells,), caption=caption)


def _patterns(result: BEff) -> Table:
    longest = max(result.patterns[0].best)
    heads = ("pattern", "counts", "mean over sizes", "at Lmax", "MPI_Sendrecv", "MPI_Alltoallv", "nonblocking")
    return Table(
        key="beff-patterns",
        columns=table_columns(heads, text_columns=2),
        rows=tuple(
            (
                one.name, "no" if one.kind is Kind.extra else "yes", rate(one.mean), rate(one.best[longest]),
                *(rate(one.methods.get(method, {}).get(longest)) for method in _METHODS),
            )
            for one in result.patterns
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


def _data_file(result: BEff) -> DataFile:
    rows = tuple(
        (one.name, one.kind.value, method, at, value)
        for one in result.patterns
        for method, by_size in one.methods.items()
        for at, value in sorted(by_size.items())
    )
    return DataFile(name="b_eff", head=("pattern", "kind", "method", "size_bytes", "bytes_per_s"), rows=rows)


def _facts(result: BEff) -> Iterator[Fact]:
    memory = "not named" if result.memory_bytes is None else f"{size(result.memory_bytes)} per rank"
    yield Fact(name="Ranks", value=f"{result.ranks:,}")
    yield Fact(name="Memory", value=memory)
    yield Fact(name="Random patterns", value=printable(f"{result.random}, seed {result.seed}"))
    yield Fact(name="Duration", value=f"{time(result.elapsed_s)}, {time(result.timed_s)} of it in timed loops")
