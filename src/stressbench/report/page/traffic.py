"""The page of a profile: findings, figures, tables."""

from collections.abc import Iterable
from dataclasses import dataclass

from stressbench import __version__
from stressbench.report.document import Fact, Figure
from stressbench.report.names import printable
from stressbench.report.page.tables import Column, Table
from stressbench.report.page.template import environment, style_sheet
from stressbench.report.terminal.profile_table import LEFT_COLUMNS, left_rows, said_imbalance, split_rows
from stressbench.report.traffic import figures_of
from stressbench.report.units import MISSING, count, percent, size, time
from stressbench.tracing.profile import Profile, RankRow

_MOST_ROWS = 100
_MOST_RANKS = 64


@dataclass(frozen=True, kw_only=True)
class _View:
    title: str
    findings: tuple[str, ...]
    warnings: tuple[str, ...]
    first: tuple[Table, ...]
    figures: tuple[Figure, ...]
    tables: tuple[Table, ...]
    facts: tuple[Fact, ...]


def render_profile(profile: Profile) -> str:
    """The page as HTML text."""
    program = printable(profile.facts.program or "a program without a name")
    tables = (_operations(profile), _sites(profile), _communicators(profile), _pairs(profile), _left_open(profile),
              _ranks(profile))  # fmt: skip
    view = _View(
        title=f"Profile of {program} on {count(profile.facts.ranks, 'rank')}",
        findings=tuple(_findings(profile)),
        warnings=tuple(printable(warning) for warning in profile.warnings),
        first=(_columns(profile), _split(profile)),
        figures=figures_of(profile),
        tables=tuple(table for table in tables if table.rows),
        facts=tuple(_facts(profile)),
    )
    return environment().get_template("profile.html.j2").render(view=view, style=style_sheet(), version=__version__)


def _findings(profile: Profile) -> Iterable[str]:
    columns = profile.columns
    if columns.mpi_percent is not None:
        yield (
            f"{columns.mpi_percent:.1f} % of the ranks' time passed in MPI: {columns.p2p_percent:.1f} % in sends, "
            f"receives and waits, {columns.coll_percent:.1f} % in collectives."
        )
    if profile.operations:
        top = profile.operations[0]
        share = percent(profile.total.share(top.time_s))
        yield f"{printable(top.op)} took most: {share} % of the time, {count(top.calls, 'call')}."
    for imbalance in profile.imbalances:
        sentence = said_imbalance(imbalance)
        yield f"{sentence[:1].upper()}{sentence[1:]}."


def _table(
    key: str, caption: str, texts: Iterable[str], numbers: Iterable[str], rows: Iterable[Iterable[str]]
) -> Table:
    columns = (*(Column(head=head, number=False) for head in texts), *(Column(head=head) for head in numbers))
    return Table(key=f"profile-{key}", caption=caption, columns=columns, rows=tuple(tuple(row) for row in rows))


def _columns(profile: Profile) -> Table:
    found = profile.columns
    shares = (found.mpi_percent, found.p2p_percent, found.coll_percent)
    cells = (
        *(percent(None if share is None else share / 100) for share in shares),
        _mean(found.mean_send_bytes), _mean(found.mean_coll_bytes),
    )  # fmt: skip
    heads = ("% point-to-point", "% collective", "mean message", "mean collective")
    caption = "As mpiP prints it: shares of the ranks' time (waits count as point-to-point), and mean sizes."
    return _table("columns", caption, ("% MPI",), heads, (cells,))


def _split(profile: Profile) -> Table:
    ranks = max(1, profile.facts.ranks_read)
    rows = (
        (name, time(seconds), time(seconds / ranks), percent(profile.total.share(seconds)))
        for name, seconds in split_rows(profile.total)
    )
    return _table("split", "Where the time went.", ("time in",), ("all ranks", "mean of a rank", "%"), rows)


def _operations(profile: Profile) -> Table:
    rows = (
        (
            printable(row.op), row.kind.label, f"{row.calls:,}", time(row.time_s),
            percent(profile.total.share(row.time_s)), time(row.time_s / row.calls if row.calls else None),
            time(row.max_s), size(row.bytes) if row.bytes else MISSING, _mean(row.mean_bytes),
        )
        for row in profile.operations[:_MOST_ROWS]
    )  # fmt: skip
    numbers = ("calls", "time", "%", "mean", "longest", "bytes", "mean size")
    return _table("operations", "By operation, all ranks together.", ("call", "class"), numbers, rows)


def _sites(profile: Profile) -> Table:
    rows = (
        (
            printable(row.function or row.site), printable(row.op), f"{row.ranks:,}", f"{row.calls:,}",
            time(row.time_s), percent(profile.total.share(row.time_s)), time(row.max_s), _mean(row.mean_bytes),
        )
        for row in profile.sites[:_MOST_ROWS]
    )  # fmt: skip
    caption = "By call site, most time first" + (
        f"; the first {_MOST_ROWS} of {len(profile.sites):,}." if len(profile.sites) > _MOST_ROWS else "."
    )
    numbers = ("ranks", "calls", "time", "%", "longest", "mean size")
    return _table("sites", caption, ("call site", "call"), numbers, rows)


def _communicators(profile: Profile) -> Table:
    rows = (
        (
            count(row.size, "rank"), MISSING if row.communicators is None else f"{row.communicators:,}",
            f"{row.calls:,}", time(row.time_s),
        )
        for row in profile.communicators[:_MOST_ROWS]
    )  # fmt: skip
    caption = "By size of the communicator."
    return _table("communicators", caption, ("communicator of",), ("how many", "calls", "time"), rows)


def _left_open(profile: Profile) -> Table:
    caption = "MPI objects that were made and not released; least and most of a rank."
    return _table("left", caption, ("left open at the end",), LEFT_COLUMNS, left_rows(profile))


def _pairs(profile: Profile) -> Table:
    rows = ((f"{pair.source}", f"{pair.destination}", f"{pair.messages:,}", size(pair.bytes)) for pair in profile.pairs)
    caption = "The busiest pairs of ranks, point-to-point."
    return _table("pairs", caption, ("from rank",), ("to rank", "messages", "bytes"), rows)


def _ranks(profile: Profile) -> Table:
    ordered = sorted(profile.ranks, key=lambda row: -row.split.application_s)
    few = len(ordered) <= _MOST_RANKS
    caption = "Every rank." if few else f"The {_MOST_RANKS} ranks that spend most time outside MPI."
    shown = profile.ranks if few else ordered[:_MOST_RANKS]
    numbers = ("host", "time", "application", "MPI", "p2p", "wait", "collective", "I/O", "messages", "bytes")
    return _table("ranks", caption, ("rank",), numbers, (_rank(row) for row in shown))


def _rank(row: RankRow) -> tuple[str, ...]:
    split = row.split
    parts = (split.wall_s, split.application_s, split.mpi_s, split.p2p_s, split.wait_s, split.coll_s, split.io_s)
    node = MISSING if row.node is None else str(row.node)
    return (f"{row.rank}", node, *(time(part) for part in parts), f"{row.messages:,}", size(row.bytes))


def _facts(profile: Profile) -> Iterable[Fact]:
    facts = profile.facts
    pairs = (
        ("Program", facts.program),
        ("MPI", facts.library),
        ("Started (UTC)", facts.started),
        (
            "Machine",
            f"{count(facts.ranks, 'rank')}" + ("" if facts.hosts is None else f", {count(facts.hosts, 'host')}"),
        ),
        ("Ended", "every rank in MPI_Finalize" if facts.complete else "not every rank in MPI_Finalize"),
        ("Clock", None if facts.clock_s is None else f"a reading costs {time(facts.clock_s)}"),
    )
    for name, value in pairs:
        yield Fact(name=name, value=printable(value or "not known"))


def _mean(count_of_bytes: float | None) -> str:
    return MISSING if count_of_bytes is None else size(round(count_of_bytes))
