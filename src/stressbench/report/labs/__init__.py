"""Documents of labs: shipped labs, running labs, what this machine offers, traffic and checks of links."""

from collections.abc import Sequence

from stressbench.formats.units import Rate
from stressbench.labs.status import Capability, LabStatus, LinkCheck, LinkDirection, ShippedLab
from stressbench.report.document import Cell, Document, Section, Table, columns
from stressbench.report.units import MISSING, digits, percent


def list_document(labs: Sequence[ShippedLab]) -> Document:
    """The shipped labs, and which of them are up."""
    heads = columns(texts=("lab", "topology"), numbers=("hosts",), trailing_texts=("state", "about"))
    rows = ((lab.name, lab.shape, str(lab.hosts), "up" if lab.is_up else "", lab.about) for lab in labs)
    return _document(Table(columns=heads, rows=tuple(rows)), labs)


def status_document(labs: Sequence[LabStatus]) -> Document:
    """The labs that are up."""
    heads = columns(texts=("lab", "topology"), numbers=("hosts", "links"), trailing_texts=("up since", "from"))
    rows = ((one.name, one.shape, str(len(one.hosts)), str(one.links), one.since, one.source) for one in labs)
    return _document(Table(columns=heads, rows=tuple(rows)), labs)


def probe_document(capabilities: Sequence[Capability]) -> Document:
    """What labs require of this machine, whether it is there, and the remedy for what is missing."""
    rows = (
        (one.name, "yes" if one.there else "MISSING" if one.needed else "no", one.why, "" if one.there else one.remedy)
        for one in capabilities
    )
    return _document(Table(columns=columns(texts=("what", "there", "for", "remedy")), rows=tuple(rows)), capabilities)


def stats_document(directions: Sequence[LinkDirection]) -> Document:
    """Traffic and utilisation of each direction of each link."""
    heads = columns(
        texts=("link", "from", "to"), numbers=("rate", "use / %", "bytes", "frames", "drops", "waiting bytes")
    )  # fmt: skip
    rows = (
        (one.link, one.source, one.target, str(Rate(one.rate_bits_per_s)), percent(one.use) if one.is_up else "down",
         *(f"{value:,}" for value in (one.bytes, one.frames, one.drops, one.waiting_bytes)))
        for one in directions
    )  # fmt: skip
    return _document(Table(columns=heads, rows=tuple(rows)), directions)


def routes_document(directions: Sequence[LinkDirection]) -> Document:
    """What each port of the switches sent on minimal and on non-minimal paths."""
    heads = columns(
        texts=("link", "from", "to"), numbers=("minimal bytes", "non-minimal bytes", "non-minimal / %", "moves", "late")
    )  # fmt: skip
    rows = (
        (one.link, one.source, one.target, *(f"{value:,}" for value in (one.minimal_bytes, one.nonminimal_bytes)),
         percent(one.nonminimal_bytes / total if (total := one.minimal_bytes + one.nonminimal_bytes) else None),
         *(f"{value:,}" for value in (one.moves, one.late)))
        for one in directions
        if one.minimal_bytes is not None and one.nonminimal_bytes is not None
    )  # fmt: skip
    return _document(Table(columns=heads, rows=tuple(rows)), directions)


def check_document(checks: Sequence[LinkCheck]) -> Document:
    """The measured throughput and latency of each direction of each link, and what deviates."""
    heads = columns(
        texts=("link", "from", "to"), numbers=("rate", "payload / Mbit/s", "share", "least", "most", "ping / µs"),
        trailing_texts=("off",),
    )  # fmt: skip
    return _document(Table(columns=heads, rows=tuple(map(_check_row, checks))), checks)


def _check_row(one: LinkCheck) -> tuple[Cell, ...]:
    payload = None if one.payload_bits_per_s is None else one.payload_bits_per_s / 1e6
    shares = (one.share, min(one.shares, default=None), max(one.shares, default=None))
    return (
        one.link, one.source, one.target, str(Rate(one.rate_bits_per_s)), digits(payload),
        *(MISSING if share is None else f"{share:.4f}" for share in shares),
        digits(None if one.ping_s is None else one.ping_s * 1e6), one.off or "",
    )  # fmt: skip


def _document(table: Table, value: object) -> Document:
    return Document(title="", sections=(Section(blocks=(table,)),), value=value)
