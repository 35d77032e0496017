"""`stressbench.lab` and other functions on labs: virtual clusters on this machine."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import TYPE_CHECKING

from stressbench.api.frames import Library, columns_of_records, data_frame
from stressbench.api.presentation import Reported
from stressbench.api.progress import Report, reporting_to
from stressbench.errors import UserError
from stressbench.experiments.lab import (
    LOAD_INTERVAL_S,
    bring_up,
    change_links,
    draw_lab,
    link_use,
    shipped_labs,
)
from stressbench.experiments.lab import (
    lab_status as experiment_status,
)
from stressbench.labs.capabilities import capabilities
from stressbench.labs.counters import link_directions, read_counters
from stressbench.labs.lifecycle import RunningLab, command_prefix, down, running_lab
from stressbench.labs.link_check import check_links
from stressbench.labs.setup import install, missing_packages
from stressbench.labs.status import Capability, LabStatus, LinkCheck, LinkDirection, ShippedLab
from stressbench.report.document import Document
from stressbench.report.labs import check_document, probe_document
from stressbench.report.labs.drawing import draw

if TYPE_CHECKING:
    from stressbench.api.frames import DataFrame


class LabCheckResults(Reported[tuple[LinkCheck, ...]]):
    """Throughput and latency of each direction of each link (schema/lab-check.schema.json)."""

    @property
    def passed(self) -> bool:
        """Whether no link deviates."""
        return all(one.off is None for one in self.data)

    def _title(self) -> str:
        return "Throughput and latency of each link"

    def _brief(self) -> Document:
        return check_document(self.data)


class LabProbeResults(Reported[tuple[Capability, ...]]):
    """What this machine offers to labs (schema/lab-probe.schema.json)."""

    @property
    def passed(self) -> bool:
        """Whether nothing is missing that every lab needs."""
        return all(one.there or not one.needed for one in self.data)

    def _title(self) -> str:
        return "What this machine offers to labs"

    def _brief(self) -> Document:
        return probe_document(self.data)


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

    def links(self, *, interval_s: float | None = None, library: Library | None = None) -> "DataFrame":
        """A data frame with one row for each direction of a link: its traffic since the lab came up.

        Columns: link, source, target, rate_bits_per_s, is_up, bytes (of frames with their headers), frames, drops,
        waiting_bytes (in its queue) and, with `interval_s`, use: the share of the rate over that interval, for which
        the call waits. Raises `stressbench.StressBenchError` if the lab is no longer up.
        """
        if interval_s is not None:
            found = next(link_use(self.name, interval_s=interval_s))
            return data_frame(columns_of_records(found, LinkDirection), library=library)
        columns = columns_of_records(link_directions(read_counters(self._running)), LinkDirection)
        return data_frame({name: one for name, one in columns.items() if name != "use"}, library=library)

    def change(self, link: str, change: str) -> None:
        """Change links, as `stressbench lab set LINK CHANGE` does: `lab.change("h0-s0", "rate=1/2")`.

        `link` is the name of a link or a pattern, a node, `hosts` or `all`; `change` is `rate=50Mbit`, a share such as
        `rate=1/4`, `rate=full`, `down` or `up`. Raises `stressbench.StressBenchError`.
        """
        change_links(link, change, lab=self.name)

    def check(self, *, tolerance: float = 0.03, streams: int = 3) -> LabCheckResults:
        """Measure both directions of every link with `streams` TCP streams and a ping.

        `tolerance` is the largest accepted deviation of a link's share of its rate from 1. Run nothing else at the same
        time. Raises `stressbench.StressBenchError`.
        """
        return LabCheckResults(tuple(check_links(self._running, tolerance=tolerance, streams=streams)))

    def execute(self, host: str, command: Sequence[str | PathLike[str]]) -> int:
        """Run a command on a host, an I/O node or a switch, in the current directory, and return its exit status.

        It inherits the standard streams. Raises `stressbench.StressBenchError` if there is no such host, or
        `command` is empty.
        """
        if not command:
            raise UserError("command: expected at least one word")
        prefix = command_prefix(self._running, host)
        return subprocess.run([*prefix, *map(str, command)], check=False).returncode

    def draw(self, *, interval_s: float = LOAD_INTERVAL_S) -> str:
        """An SVG drawing of the topology and of the load of its links over `interval_s`, for which the call waits."""
        return draw_lab(self.name, interval_s=interval_s)[1]

    def down(self) -> None:
        """Take the lab down: its processes, namespaces, interfaces, mounts and files."""
        down(self.name)

    def _repr_html_(self) -> str:
        """The drawing of the lab, for notebooks."""
        return draw(self._running.lab)


def lab_up(what: str | PathLike[str], *, name: str | None = None, progress: Report | None = None) -> Lab:
    """Bring up the lab `what`, a shipped lab or a lab file (.toml). It stays up until `Lab.down` takes it down.

    `name` is the name of the running lab, by default that of the file. `progress` receives a sentence about what this
    machine lacks. Needs user namespaces, or root (`stressbench.lab_probe` checks). Raises
    `stressbench.StressBenchError` if the file is wrong, a lab of this name is up, or the machine refuses a step.
    """
    started = bring_up(str(what), name=name)
    for one in started.unavailable:
        reporting_to(progress)(f"I/O nodes serve no file system: {one.name} missing: {one.remedy}")
    return Lab(started.running)


@contextmanager
def lab(
    what: str | PathLike[str], *, name: str | None = None, progress: Report | None = None
) -> Iterator[Lab]:  # fmt: skip
    """Bring up the lab `what`, as `stressbench.lab_up` does; it is taken down when the context ends.

    with stressbench.lab("tiny") as lab:
        results = stressbench.run("workloads/demo.sb", on=lab)
    """
    running = lab_up(what, name=name, progress=progress)
    try:
        yield running
    finally:
        running.down()


def running_labs() -> tuple[Lab, ...]:
    """The labs of this user that are up, whoever brought them up."""
    return tuple(Lab(running_lab(one.name)) for one in experiment_status())


def lab_status(name: str | None = None) -> tuple[LabStatus, ...]:
    """The hosts, switches and start of the lab `name`, or of all labs that are up.

    Raises `stressbench.StressBenchError` if `name` is not up.
    """
    return tuple(experiment_status(name))


def lab_list() -> tuple[ShippedLab, ...]:
    """The labs that are shipped with StressBench, and which of them are up."""
    return tuple(shipped_labs())


def lab_probe() -> LabProbeResults:
    """Test whether this machine offers what labs need, as the current user."""
    return LabProbeResults(capabilities())


def lab_setup(*, should_install: bool = False) -> tuple[str, ...]:
    """The packages that labs need and this machine lacks; `should_install` installs them (Debian and Ubuntu, as root).

    Raises `stressbench.StressBenchError` without root privileges, and if the installation fails.
    """
    packages = missing_packages()
    if should_install and packages:
        install(packages)
    return packages


def lab_draw(what: str | PathLike[str] | None = None, *, interval_s: float = LOAD_INTERVAL_S) -> str:
    """An SVG drawing of a lab, a shipped one or a lab file, which need not be up; None: the only lab that is up.

    The drawing of a lab that is up shows the load of its links over `interval_s`, for which the call waits. Raises
    `stressbench.StressBenchError`.
    """
    return draw_lab(None if what is None else str(what), interval_s=interval_s)[1]
