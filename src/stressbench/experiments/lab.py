"""Labs: start a lab, measure the load of its links, change links, and draw the topology."""

import time
from collections.abc import Iterator

from stressbench.formats.lab.errors import LabMistake
from stressbench.formats.lab.routing import Routing
from stressbench.labs.catalog import lab_file, shipped
from stressbench.labs.counters import link_directions, read_counters
from stressbench.labs.errors import LabFault
from stressbench.labs.file import read_lab
from stressbench.labs.lifecycle import RunningLab, labs_up, running_lab, selected_lab
from stressbench.labs.link_control import LinkChange, apply_change, parse_change, select_links
from stressbench.labs.startup import StartedLab, start_lab
from stressbench.labs.status import LabStatus, LinkDirection, ShippedLab
from stressbench.labs.topology import Link
from stressbench.report.labs.drawing import draw

LOAD_INTERVAL_S = 1.0
"""Default interval over which the load of links is measured, s."""
MAX_LOAD_INTERVAL_S = 24 * 3600.0
"""The longest interval, s: a day."""


def bring_up(what: str, *, name: str | None = None) -> StartedLab:
    """Bring up the lab `what`, the name of a shipped lab or the path of a lab file. `name` defaults to the file's stem.

    Raises LabMistake and LabFault.
    """
    path = lab_file(what)
    return start_lab(path, name=name or path.stem)


def shipped_labs() -> list[ShippedLab]:
    """All labs shipped with StressBench."""
    names_up = labs_up()
    return [
        ShippedLab(name=lab.name, hosts=len(lab.hosts), shape=lab.shape, is_up=lab.name in names_up, about=lab.about)
        for lab in (read_lab(lab_file(name)) for name in shipped())
    ]


def lab_status(name: str | None = None) -> list[LabStatus]:
    """The status of the lab `name`, or of all labs that are up. Raises LabMistake if `name` is not up."""
    return [_status(running_lab(one)) for one in (labs_up() if name is None else (name,))]


def _status(running: RunningLab) -> LabStatus:
    lab, state = running.lab, running.state
    if state.supervisor is None:
        clears = f"`stressbench lab down {lab.name}` clears it"
        raise LabFault(f"the state of lab {lab.name} does not name its root process; {clears}")
    return LabStatus(
        name=lab.name, source=state.source, since=state.since, keeper=state.supervisor.pid, shape=lab.shape,
        hosts=tuple(host.name for host in lab.hosts), switches=tuple(switch.name for switch in lab.switches),
        links=len(lab.links),
    )  # fmt: skip


def link_use(
    name: str | None = None, *, interval_s: float = LOAD_INTERVAL_S, routes: bool = False
) -> Iterator[tuple[LinkDirection, ...]]:
    """Endless iterator over the load of all links of a lab, one tuple per interval, with both directions of each link.

    `name` may be None if only one lab is up. Raises LabMistake, also for an interval out of range and for `routes` of a
    lab whose switches do not count them, and LabFault.
    """
    if not 0 < interval_s <= MAX_LOAD_INTERVAL_S:
        raise LabMistake(f"--interval: {interval_s}: expected more than 0 s and at most {MAX_LOAD_INTERVAL_S:g} s")
    running = selected_lab(name)
    if routes and running.lab.routing is not Routing.adaptive:
        raise LabMistake(
            f'--routes: lab {running.lab.name} has routing = "{running.lab.routing.value}"; expected a lab with '
            'routing = "adaptive", whose switches count paths'
        )
    before = read_counters(running)
    while True:
        time.sleep(interval_s)
        now = read_counters(running)
        yield link_directions(now, before=before)
        before = now


def change_links(link: str, change: str, *, lab: str | None = None) -> tuple[LinkChange, tuple[Link, ...]]:
    """Apply `rate=RATE`, `down` or `up` to the links that `link` selects. Returns the change and these links.

    Raises LabMistake and LabFault.
    """
    parsed_change = parse_change(change)
    running = selected_lab(lab)
    links = select_links(running.lab, link)
    apply_change(running, links, parsed_change)
    return parsed_change, links


def draw_lab(what: str | None = None, *, interval_s: float = LOAD_INTERVAL_S) -> tuple[str, str]:
    """Name and SVG drawing of the lab `what`, a name or the path of a lab file. None: the only lab that is up.

    The drawing of a lab that is up shows the load of its links. Raises LabMistake and LabFault.
    """
    if what is None or what in labs_up():
        lab = selected_lab(what).lab
        return lab.name, draw(lab, next(link_use(lab.name, interval_s=interval_s)), seconds=interval_s)
    lab = read_lab(lab_file(what))
    return lab.name, draw(lab)
