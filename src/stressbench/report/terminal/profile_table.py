"""The tables of `stressbench profile`: where the time went, which calls, which sizes, who is out of balance."""

from collections.abc import Iterable

from rich.table import Table

from stressbench.console import Console
from stressbench.report.names import printable
from stressbench.report.terminal.page import new_table, print_table, say
from stressbench.report.units import MISSING, count, digits, percent, size, time
from stressbench.tracing.operations import OperationClass
from stressbench.tracing.profile import Imbalance, Profile, Quantity, Split

ROWS = 16
LEFT_COLUMNS = ("all ranks", "least", "most", "on rank", "made")
_KEY = (
    "Times are sums over the ranks; % is of all ranks' time between MPI_Init and MPI_Finalize.",
    "`% p2p` counts sends, receives and waits, as mpiP does.",
)


def print_profile(profile: Profile, *, console: Console, rows: int = ROWS) -> None:
    """Head, mpiP's columns, time by class, the tables, balance, warnings."""
    for line in head(profile):
        say(console, line)
    tables = (_columns(profile), _split(profile), _operations(profile, rows), _sites(profile, rows), _sizes(profile),
              _communicators(profile, rows), _pairs(profile, rows), _left_open(profile))  # fmt: skip
    for table in tables:
        if table.row_count:
            console.print()
            print_table(console, table)
    console.print()
    for imbalance in profile.imbalances:
        say(console, said_imbalance(imbalance))
    for line in _KEY:
        say(console, line, style="dim")
    for warning in profile.warnings:
        say(console, f"warning: {warning}", style="yellow")


def head(profile: Profile) -> Iterable[str]:
    """What ran, on how many ranks, and for how long."""
    facts = profile.facts
    hosts = "" if facts.hosts is None else f" on {count(facts.hosts, 'host')}"
    read = "" if facts.ranks_read == facts.ranks else f", {facts.ranks_read:,} of them in the file"
    ranks = f"{count(facts.ranks, 'rank')}{hosts}{read}"
    yield f"{facts.program or 'a program without a name'}: {ranks}, {time(facts.wall_s)}"
    told = [text for text in (facts.library and facts.library.split(",")[0], facts.started) if text]
    state = "" if facts.complete else "; not every rank came to MPI_Finalize"
    yield f"{'; started '.join(told) or 'an MPI library that is not known'}{state}"


def said_imbalance(imbalance: Imbalance) -> str:
    """One sentence."""
    where = "outside MPI" if imbalance.quantity is Quantity.application else "in MPI"
    if imbalance.ratio is None:
        return f"time {where}: none"
    return (
        f"time {where}: most on rank {imbalance.rank}, {time(imbalance.max_s)}, {digits(imbalance.ratio)} times the "
        f"mean of {time(imbalance.mean_s)}"
    )


def split_rows(total: Split) -> Iterable[tuple[str, float]]:
    """The parts of the wall time, by name."""
    yield "application", total.application_s
    for kind in OperationClass:
        yield kind.label, getattr(total, f"{kind.value}_s")


def left_rows(profile: Profile) -> Iterable[tuple[str, ...]]:
    """Kinds of MPI objects of which something is left: the kind, then `LEFT_COLUMNS`."""
    for row in profile.objects or ():
        if row.left:
            numbers = (row.left, row.least, row.most)
            yield printable(row.kind), *(f"{n:,}" for n in numbers), f"{row.most_rank}", f"{row.made:,}"


def _columns(profile: Profile) -> Table:
    columns = profile.columns
    table = new_table(left=(), right=("% MPI", "% p2p", "% collective", "mean message", "mean collective"))
    shares = (columns.mpi_percent, columns.p2p_percent, columns.coll_percent)
    sizes = (columns.mean_send_bytes, columns.mean_coll_bytes)
    table.add_row(*(percent(None if share is None else share / 100) for share in shares), *map(_mean, sizes))
    return table


def _split(profile: Profile) -> Table:
    table = new_table(left=("time in",), right=("all ranks", "a rank", "%"))
    ranks = max(1, profile.facts.ranks_read)
    for name, seconds in split_rows(profile.total):
        table.add_row(name, time(seconds), time(seconds / ranks), percent(profile.total.share(seconds)))
    return table


def _operations(profile: Profile, rows: int) -> Table:
    table = new_table(left=("call", "class"), right=("calls", "time", "%", "mean", "max", "bytes", "mean size"))
    for row in profile.operations[:rows]:
        mean = row.time_s / row.calls if row.calls else None
        table.add_row(
            printable(row.op), row.kind.label, f"{row.calls:,}", time(row.time_s),
            percent(profile.total.share(row.time_s)), time(mean), time(row.max_s),
            size(row.bytes) if row.bytes else MISSING, _mean(row.mean_bytes),
        )  # fmt: skip
    return table


def _sites(profile: Profile, rows: int) -> Table:
    table = new_table(left=("call site", "call"), right=("ranks", "calls", "time", "%", "max", "mean size"))
    for row in profile.sites[:rows]:
        table.add_row(
            printable(row.function or row.site), printable(row.op), f"{row.ranks:,}", f"{row.calls:,}",
            time(row.time_s), percent(profile.total.share(row.time_s)), time(row.max_s), _mean(row.mean_bytes),
        )  # fmt: skip
    return table


def _sizes(profile: Profile) -> Table:
    table = new_table(left=("size of",), right=("from", "below", "calls"))
    for row in profile.sizes:
        table.add_row(row.kind.label, size(row.at_least), size(row.below), f"{row.calls:,}")
    return table


def _communicators(profile: Profile, rows: int) -> Table:
    table = new_table(left=(), right=("communicator of", "how many", "calls", "time"))
    for row in profile.communicators[:rows]:
        many = MISSING if row.communicators is None else f"{row.communicators:,}"
        table.add_row(count(row.size, "rank"), many, f"{row.calls:,}", time(row.time_s))
    return table


def _pairs(profile: Profile, rows: int) -> Table:
    table = new_table(left=(), right=("from rank", "to rank", "messages", "bytes"))
    for pair in profile.pairs[:rows]:
        table.add_row(f"{pair.source}", f"{pair.destination}", f"{pair.messages:,}", size(pair.bytes))
    return table


def _left_open(profile: Profile) -> Table:
    table = new_table(left=("left open at the end",), right=LEFT_COLUMNS)
    for cells in left_rows(profile):
        table.add_row(*cells)
    return table


def _mean(count_of_bytes: float | None) -> str:
    return MISSING if count_of_bytes is None else size(round(count_of_bytes))
