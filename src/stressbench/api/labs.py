"""`stressbench.lab`: a virtual cluster on this machine, from Python."""

from collections.abc import Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any

from stressbench.api.frames import Library, columns_of_records, data_frame
from stressbench.api.progress import Report, reporting_to
from stressbench.experiments.lab import bring_up, change_links
from stressbench.labs.counters import LinkDirection, link_directions, read_counters
from stressbench.labs.drawing import draw
from stressbench.labs.lifecycle import RunningLab, down


class Lab:
    """A lab that is up; `str(lab)` is its launch target, such as `lab:tiny`."""

    def __init__(self, running: RunningLab) -> None:
        self._running = running

    def __repr__(self) -> str:
        return f"<Lab {self.name}: {len(self.hosts)} hosts, {len(self._running.lab.links)} links>"

    def __str__(self) -> str:
        return f"lab:{self.name}"

    @property
    def name(self) -> str:
        """Name of the running lab."""
        return self._running.lab.name

    @property
    def hosts(self) -> tuple[str, ...]:
        """Names of the hosts."""
        return tuple(host.name for host in self._running.lab.hosts)

    @property
    def ranks(self) -> int:
        """Ranks that `stressbench.run` starts by default: one on each core of each host."""
        return sum(host.cores for host in self._running.lab.hosts)

    @property
    def scratch(self) -> str | None:
        """Mount point, on hosts, of the file system that the I/O nodes serve; None if they serve none."""
        return self._running.scratch

    def links(self, *, library: Library | None = None) -> Any:
        """A data frame with one row for each direction of a link: its traffic since the lab came up.

        Columns: link, source, target, rate_bits_per_s, is_up, bytes (of frames with their headers), frames, drops,
        waiting_bytes (in its queue). Raises `stressbench.StressBenchError` if the lab is no longer up.
        """
        columns = columns_of_records(link_directions(read_counters(self._running)), LinkDirection)
        return data_frame({name: one for name, one in columns.items() if name != "use"}, library=library)

    def change(self, link: str, change: str) -> None:
        """Change links, as `stressbench lab set LINK CHANGE` does: `lab.change("h0-s0", "rate=1/2")`.

        `link` is the name of a link or a pattern, a node, `hosts` or `all`; `change` is `rate=50Mbit`, a share such as
        `rate=1/4`, `rate=full`, `down` or `up`. Raises `stressbench.StressBenchError`.
        """
        change_links(link, change, lab=self.name)

    def _repr_html_(self) -> str:
        """The drawing of the lab, for notebooks."""
        return draw(self._running.lab)


@contextmanager
def lab(
    what: str | PathLike[str], *, name: str | None = None, progress: Report | None = None
) -> Iterator[Lab]:  # fmt: skip
    """Bring up the lab `what`, a shipped lab or a lab file (.toml); it is taken down when the context ends.

        with stressbench.lab("tiny") as lab:
            results = stressbench.run("workloads/demo.sb", on=lab)

    `name` is the name of the running lab, by default that of the file. `progress` receives a sentence about what this
    machine lacks. Needs user namespaces, or root (`stressbench lab probe` checks). Raises
    `stressbench.StressBenchError` if the file is wrong, a lab of this name is up, or the machine refuses a step.
    """
    started = bring_up(str(what), name=name)
    running_lab = Lab(started.running)
    try:
        for one in started.unavailable:
            reporting_to(progress)(f"I/O nodes serve no file system: {one.name} missing: {one.remedy}")
        yield running_lab
    finally:
        down(running_lab.name)
