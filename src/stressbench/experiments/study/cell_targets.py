"""Launch targets of a study's cells, and whether they support the `rate`, `rails` and `policy` of each cell."""

from collections.abc import Mapping
from pathlib import Path

from stressbench.formats.study.cells import Cell
from stressbench.formats.study.file import Study
from stressbench.formats.study.rail_policies import Transport, parse_policy
from stressbench.formats.toml import Complaint, KeyLabel, ValidationMistakes, by_key
from stressbench.formats.toml import KeyPath as Key
from stressbench.launch.errors import LinkMistake
from stressbench.launch.job_ranks import JobPlacement
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.rail_selection import RailSelection
from stressbench.launch.rails import RailMistake, Rails, require_possible
from stressbench.launch.targets import resolve_target


def absolute(on: str, *, folder: Path) -> str:
    """The launch target `on`, with the path of a lab file, relative to `folder`, made absolute."""
    kind, _, name = on.partition(":")
    return f"{kind}:{folder / name}" if name.endswith(".toml") else on


def rail_selection_of(study: Study, cell: Cell, *, target: LaunchTarget, workload: Path) -> RailSelection | None:
    """The NIC selection for the ranks of a cell, None for a cell without a policy. Raises RailMistake."""
    if cell.policy is None:
        return None
    nics, policy = study.nics or target.nics, parse_policy(cell.policy)
    if target.nics and (strange := next((nic for nic in nics if nic not in target.nics), None)) is not None:
        raise RailMistake(f"{strange}: hosts of {cell.on} have {', '.join(target.nics)}", option="--nics")
    require_possible(policy, nics, are_virtual=bool(target.nics))
    transport = None if study.transport is None else Transport(study.transport)
    sets = tuple(f"{name}={value}" for name, value in cell.sets)
    placement = JobPlacement(workload=workload, sets=sets, placement=cell.placement)
    return RailSelection(rails=Rails(policy=policy, nics=nics, transport=transport), placement=placement)


def require_links(study: Study, *, folder: Path, environment: Mapping[str, str], key_label: KeyLabel = by_key) -> None:
    """Raise ValidationMistakes where a target does not support a cell's links, LaunchMistake where it does not exist.

    `key_label`: how messages name the keys of a study file.
    """
    complaints: dict[str, Complaint] = {}
    asked = ((cell.on, None if study.rate_command else cell.rate, cell.rails) for cell in study.cells)
    for on, rate, rails in sorted({one for one in asked if one[1:] != (None, None)}, key=str):
        try:
            resolve_target(absolute(on, folder=folder), environment=environment, rate=rate, rails=rails)
        except LinkMistake as mistake:
            key: Key = ("factors", mistake.factor)
            complaints[str(mistake)] = Complaint(place=key, text=f"{key_label(key)}{mistake.explanation}")
    for cell in {(cell.on, cell.policy): cell for cell in study.cells if cell.policy is not None}.values():
        target = resolve_target(absolute(cell.on, folder=folder), environment=environment)
        try:
            rail_selection_of(study, cell, target=target, workload=folder / cell.workload)
        except RailMistake as wrong:
            key = ("nics",) if wrong.option == "--nics" and study.nics else ("factors", "policy")
            complaints[str(wrong)] = Complaint(place=key, text=f"{key_label(key)}{wrong.explanation}")
    if complaints:
        raise ValidationMistakes(complaints.values())
