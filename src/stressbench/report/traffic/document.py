"""Documents of an MPI profile: time, calls, sizes, and balance of the ranks."""

from collections.abc import Iterator
from dataclasses import replace
from heapq import nlargest

from stressbench.report.document import (
    Block,
    Document,
    Fact,
    Note,
    Notes,
    Paragraph,
    Role,
    Section,
    Table,
    columns,
)
from stressbench.report.names import printable
from stressbench.report.page_sections import page_section
from stressbench.report.units import MISSING, count, digits, percent, size, time
from stressbench.tracing.operations import OperationClass
from stressbench.tracing.profile import Imbalance, Profile, Quantity, RankRow

_ROWS = 16
_ROWS_IN_PAGE = 100
_MAX_RANKS = 64
_NO_PROGRAM = "a program without a name"
_KEY = (
    "Times are sums over the ranks; % is of all ranks' time between MPI_Init and MPI_Finalize.",
    "`% p2p` counts sends, receives and waits, as mpiP does.",
)
_FOOT = (
    "Time in MPI is the time inside MPI calls, including waiting for other ranks; application is the rest of the time "
    "between MPI_Init and MPI_Finalize. Sizes are those that the program passed to MPI."
)


def brief(profile: Profile, *, rows: int = _ROWS) -> Document:
    """The document without figures: mpiP's columns, time by class, `rows` rows per table, balance, warnings."""
    first, second = _head(profile)
    columns_ = _columns(profile, heads=("% MPI", "% p2p", "% collective", "mean message", "mean collective"))
    tables = (
        replace(columns_, columns=columns(numbers=[column.head for column in columns_.columns])),
        _split(profile, mean="per rank"), _operations(profile, rows, longest="max"),
        _sites(profile, rows, longest="max"), _sizes(profile), _communicators(profile, rows), _pairs(profile, rows),
        _unreleased_objects(profile),
    )  # fmt: skip
    warnings = tuple(Note(text=warning) for warning in profile.warnings)
    blocks: tuple[Block, ...] = (
        Paragraph(text=second),
        *(replace(table, caption="") for table in tables if table.rows),
        *(Paragraph(text=imbalance_text(one)) for one in profile.imbalances),
        *(Paragraph(text=line, role=Role.key) for line in _KEY),
        *((Notes(notes=warnings),) if warnings else ()),
    )
    return Document(title=first, sections=(Section(blocks=blocks),), value=profile)


def page(profile: Profile) -> Document:
    """The HTML page: findings, figures and all tables."""
    from stressbench.report.traffic.figures import figures_of  # figures take a second to import

    title = f"Profile of {printable(profile.facts.program or _NO_PROGRAM)} on {count(profile.facts.ranks, 'rank')}"
    tables = (
        _operations(profile, _ROWS_IN_PAGE), _sites(profile, _ROWS_IN_PAGE), _communicators(profile, _ROWS_IN_PAGE),
        _pairs(profile, len(profile.pairs)), _unreleased_objects(profile), _ranks(profile),
    )  # fmt: skip
    section = page_section(
        key="profile",
        title=title,
        findings=_findings(profile),
        notes=profile.warnings,
        summary_tables=(_columns(profile), _split(profile)),
        figures=figures_of(profile),
        heading="Every call",
        tables=(table for table in tables if table.rows),
        facts=_facts(profile),
    )
    lead = "Time and messages of an MPI program."
    return Document(title=title, lead=lead, sections=(section,), foot=_FOOT)


def imbalance_text(imbalance: Imbalance) -> str:
    """The imbalance of the ranks as a sentence without a full stop."""
    where = "outside MPI" if imbalance.quantity is Quantity.application else "in MPI"
    if imbalance.ratio is None:
        return f"time {where}: none"
    return (
        f"time {where}: most on rank {imbalance.rank}, {time(imbalance.max_s)}, {digits(imbalance.ratio)} times the "
        f"mean of {time(imbalance.mean_s)}"
    )


def _head(profile: Profile) -> tuple[str, str]:
    """Two lines: program, ranks and wall time; MPI library and start time."""
    facts = profile.facts
    hosts = "" if facts.hosts is None else f" on {count(facts.hosts, 'host')}"
    ranks_read_note = "" if facts.ranks_read == facts.ranks else f", {facts.ranks_read:,} of them in the file"
    ranks = f"{count(facts.ranks, 'rank')}{hosts}{ranks_read_note}"
    library_and_start = [text for text in (facts.library and facts.library.split(",")[0], facts.started) if text]
    state = "" if facts.complete else "; not every rank reached MPI_Finalize"
    return (
        f"{facts.program or _NO_PROGRAM}: {ranks}, {time(facts.wall_s)}",
        f"{'; started '.join(library_and_start) or 'unknown MPI library'}{state}",
    )


def _findings(profile: Profile) -> Iterator[str]:
    values = profile.columns
    if values.mpi_percent is not None:
        yield (
            f"{values.mpi_percent:.1f} % of the ranks' time passed in MPI: {values.p2p_percent:.1f} % in sends, "
            f"receives and waits, {values.coll_percent:.1f} % in collectives."
        )
    if profile.operations:
        top = profile.operations[0]
        share = percent(profile.total.share(top.time_s))
        yield f"{printable(top.op)} took the longest: {share} % of the time, {count(top.calls, 'call')}."
    for imbalance in profile.imbalances:
        sentence = imbalance_text(imbalance)
        yield f"{sentence[:1].upper()}{sentence[1:]}."


_COLUMN_HEADS = ("% MPI", "% point-to-point", "% collective", "mean message", "mean collective")


def _columns(profile: Profile, *, heads: tuple[str, ...] = _COLUMN_HEADS) -> Table:
    values = profile.columns
    shares = (values.mpi_percent, values.p2p_percent, values.coll_percent)
    cells = (
        *(percent(None if share is None else share / 100) for share in shares),
        _mean(values.mean_send_bytes), _mean(values.mean_coll_bytes),
    )  # fmt: skip
    return Table(
        key="profile-columns",
        columns=columns(texts=heads[:1], numbers=heads[1:]),
        rows=(cells,),
        caption="As mpiP prints it: shares of the ranks' time (waits count as point-to-point), and mean sizes.",
    )


def _split(profile: Profile, *, mean: str = "mean of a rank") -> Table:
    ranks, total = max(1, profile.facts.ranks_read), profile.total
    parts = (
        ("application", total.application_s),
        *((kind.label, getattr(total, f"{kind.value}_s")) for kind in OperationClass),
    )
    return Table(
        key="profile-split",
        columns=columns(texts=("time in",), numbers=("all ranks", mean, "%")),
        rows=tuple(
            (name, time(seconds), time(seconds / ranks), percent(total.share(seconds))) for name, seconds in parts
        ),
        caption="Time by class of operation.",
    )


def _operations(profile: Profile, rows: int, *, longest: str = "longest") -> Table:
    return Table(
        key="profile-operations",
        columns=columns(
            texts=("call", "class"), numbers=("calls", "time", "%", "mean", longest, "bytes", "mean size")
        ),
        rows=tuple(
            (
                row.op, row.kind.label, f"{row.calls:,}", time(row.time_s), percent(profile.total.share(row.time_s)),
                time(row.time_s / row.calls if row.calls else None), time(row.max_s),
                size(row.bytes) if row.bytes else MISSING, _mean(row.mean_bytes),
            )
            for row in profile.operations[:rows]
        ),
        caption="By operation, all ranks together.",
    )  # fmt: skip


def _sites(profile: Profile, rows: int, *, longest: str = "longest") -> Table:
    more = f"; the first {rows} of {len(profile.sites):,}" if len(profile.sites) > rows else ""
    return Table(
        key="profile-sites",
        columns=columns(
            texts=("call site", "call"), numbers=("ranks", "calls", "time", "%", longest, "mean size")
        ),
        rows=tuple(
            (
                row.function or row.site, row.op, f"{row.ranks:,}", f"{row.calls:,}", time(row.time_s),
                percent(profile.total.share(row.time_s)), time(row.max_s), _mean(row.mean_bytes),
            )
            for row in profile.sites[:rows]
        ),
        caption=f"By call site, most time first{more}.",
    )  # fmt: skip


def _sizes(profile: Profile) -> Table:
    rows = tuple((row.kind.label, size(row.at_least), size(row.below), f"{row.calls:,}") for row in profile.sizes)
    return Table(columns=columns(texts=("size of",), numbers=("from", "below", "calls")), rows=rows)


def _communicators(profile: Profile, rows: int) -> Table:
    return Table(
        key="profile-communicators",
        columns=columns(texts=("communicator of",), numbers=("how many", "calls", "time")),
        rows=tuple(
            (
                count(row.size, "rank"), MISSING if row.communicators is None else f"{row.communicators:,}",
                f"{row.calls:,}", time(row.time_s),
            )
            for row in profile.communicators[:rows]
        ),
        caption="By size of the communicator.",
    )  # fmt: skip


def _unreleased_objects(profile: Profile) -> Table:
    return Table(
        key="profile-left",
        columns=columns(texts=("left open at the end",), numbers=("all ranks", "least", "most", "on rank", "made")),
        rows=tuple(
            (row.kind, f"{row.left:,}", f"{row.least:,}", f"{row.most:,}", f"{row.most_rank}", f"{row.made:,}")
            for row in profile.objects or ()
            if row.left
        ),
        caption="MPI objects that were created and not released; minimum and maximum over the ranks.",
    )


def _pairs(profile: Profile, rows: int) -> Table:
    return Table(
        key="profile-pairs",
        columns=columns(texts=("from rank",), numbers=("to rank", "messages", "bytes")),
        rows=tuple(
            (f"{pair.source}", f"{pair.destination}", f"{pair.messages:,}", size(pair.bytes))
            for pair in profile.pairs[:rows]
        ),
        caption="The busiest pairs of ranks, point-to-point.",
    )


def _ranks(profile: Profile) -> Table:
    few = len(profile.ranks) <= _MAX_RANKS
    numbers = ("host", "time", "application", "MPI", "p2p", "wait", "collective", "I/O", "messages", "bytes")
    return Table(
        key="profile-ranks",
        columns=columns(texts=("rank",), numbers=numbers),
        rows=tuple(map(_rank, profile.ranks if few else nlargest(_MAX_RANKS, profile.ranks, key=_application_s))),
        caption="All ranks." if few else f"The {_MAX_RANKS} ranks with the most time outside MPI.",
    )


def _application_s(row: RankRow) -> float:
    return row.split.application_s


def _rank(row: RankRow) -> tuple[str, ...]:
    split = row.split
    parts = (split.wall_s, split.application_s, split.mpi_s, split.p2p_s, split.wait_s, split.coll_s, split.io_s)
    node = MISSING if row.node is None else str(row.node)
    return (f"{row.rank}", node, *(time(part) for part in parts), f"{row.messages:,}", size(row.bytes))


def _facts(profile: Profile) -> Iterator[Fact]:
    facts = profile.facts
    machine = count(facts.ranks, "rank") + ("" if facts.hosts is None else f", {count(facts.hosts, 'host')}")
    pairs = (
        ("Program", facts.program),
        ("MPI", facts.library),
        ("Started (UTC)", facts.started),
        ("Machine", machine),
        ("Ended", "all ranks reached MPI_Finalize" if facts.complete else "not all ranks reached MPI_Finalize"),
        ("Clock", None if facts.clock_s is None else f"{time(facts.clock_s)} per reading"),
    )
    for name, value in pairs:
        yield Fact(name=name, value=printable(value or "unknown"))


def _mean(count_of_bytes: float | None) -> str:
    return MISSING if count_of_bytes is None else size(round(count_of_bytes))
