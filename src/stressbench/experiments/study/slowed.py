"""Networks that a study left slower than they are, by its manifest. Pure."""

from collections.abc import Iterable, Mapping

from stressbench.formats.study.manifest import LinksRecord, Record
from stressbench.formats.units import FULL


def slowed(records: Iterable[Record]) -> Mapping[str, LinksRecord]:
    """What was last said of each lab, by its `on`, and of each rate command, where it is not that all is carried."""
    last = {record.command or record.on: record for record in records if isinstance(record, LinksRecord)}
    return {what: record for what, record in last.items() if record.rate != FULL}
