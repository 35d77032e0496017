"""Launch targets of a study's cells, and whether they support the `rate`, `rails` and `policy` of each cell."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from stressbench.formats.study.cells import Cell
from stressbench.formats.study.file import Study, read_study, study_file_mistakes
from stressbench.formats.study.rail_policies import Transport
from stressbench.formats.toml import Complaint, KeyLabel, ValidationMistakes, by_key
from stressbench.formats.toml import KeyPath as Key
from stressbench.launch.errors import LinkMistake
from stressbench.launch.job_ranks import JobPlacement
from stressbench.launch.launch_target import LaunchTarget
from stressbench.launch.rail_selection import RailSelection
from stressbench.launch.rails import RailMistake, Rails, RailSubject, require_possible
from stressbench.launch.targets import forms_with, properties_of, resolve_target


def absolute(on: str, *, folder: Path) -> str:
    """The launch target `on`, with the path of a lab file, relative to `folder`, made absolute."""
    kind, _, name = on.partition(":")
    return f"{kind}:{folder / name}" if name.endswith(".toml") else on


def rail_selection_of(study: Study, cell: Cell, *, target: LaunchTarget, workload: Path) -> RailSelection | None:
    """The NIC selection for the ranks of a cell, None for a cell without a policy. Raises RailMistake."""
    if cell.policy is None:
        return None
    nics, policy = study.nics or target.nics, cell.policy.value
    if target.nics and (strange := next((nic for nic in nics if nic not in target.nics), None)) is not None:
        raise RailMistake(f"{strange}: hosts of {cell.on} have {', '.join(target.nics)}", subject=RailSubject.nics)
    require_possible(policy, nics, sysfs=target.numa_sysfs)
    transport = None if study.transport is None else Transport(study.transport)
    sets = tuple(f"{name}={value}" for name, value in cell.sets)
    placement = JobPlacement(workload=workload, sets=sets, placement=cell.placement)
    rails = Rails(policy=policy, nics=nics, transport=transport, sysfs=target.numa_sysfs)
    return RailSelection(rails=rails, placement=placement)


def read_checked_study(path: Path) -> tuple[Study, str]:
    """The study in the file at `path`, and its text. Raises StudyMistake, also for links that no target can have."""
    study, text = read_study(path)
    with study_file_mistakes(text, source=str(path)):
        require_controllable_links(study)
    return study, text


def require_controllable_links(study: Study, *, key_label: KeyLabel = by_key) -> None:
    """Raise ValidationMistakes where the kind of a cell's target does not support `rate`, `rails` or `policy`.

    Looks for no target, so that a study can be checked where its targets do not exist.
    """
    complaints = [*_command_complaints(study, key_label), *_policy_complaints(study, key_label)]
    uncontrolled = next((cell.on for cell in study.cells if not properties_of(cell.on).controls_links), None)
    for name in ("rate", "rails"):
        values = dict.fromkeys(value for cell in study.cells if (value := getattr(cell, name)) is not None)
        if not values or uncontrolled is None or (name == "rate" and study.rate_command is not None):
            continue
        given = ", ".join(map(str, values))
        controlled = " or ".join(forms_with(lambda kind: kind.controls_links))
        more = f", or a {key_label(('rate_command',))}" if name == "rate" else ""
        key: Key = ("factors", name)
        text = (
            f"{key_label(key)}: {given}: link rates cannot be controlled on {uncontrolled}; "
            f"expected {controlled} there{more}"
        )
        complaints.append(Complaint(place=key, text=text))
    if complaints:
        raise ValidationMistakes(complaints)


def _command_complaints(study: Study, key_label: KeyLabel) -> Iterator[Complaint]:
    simulated = next((cell.on for cell in study.cells if properties_of(cell.on).simulated), None)
    if study.rate_command is not None and simulated is not None:
        key: Key = ("rate_command",)
        text = f"'{study.rate_command}': on = {simulated} sets its rates itself; expected no command there"
        yield Complaint(place=key, text=f"{key_label(key)}: {text}")


def _policy_complaints(study: Study, key_label: KeyLabel) -> Iterator[Complaint]:
    key: Key = ("factors", "policy")
    for cell in study.cells:
        if cell.policy is not None and properties_of(cell.on).simulated:
            text = f"{key_label(key)}: {cell.policy}: on = {cell.on}: a simulated host has one NIC; expected lab:NAME"
            yield Complaint(place=key, text=text)
            return


def require_links(study: Study, *, folder: Path, environment: Mapping[str, str], key_label: KeyLabel = by_key) -> None:
    """Raise ValidationMistakes where a target does not support a cell's links, LaunchMistake where it does not exist.

    `key_label`: how messages name the keys of a study file.
    """
    require_controllable_links(study, key_label=key_label)
    complaints: dict[str, Complaint] = {}
    required = ((cell.on, None if study.rate_command else cell.rate, cell.rails) for cell in study.cells)
    for on, rate, rails in sorted({one for one in required if one[1:] != (None, None)}, key=str):
        try:
            resolve_target(absolute(on, folder=folder), environment=environment, rate=rate, rails=rails)
        except LinkMistake as mistake:
            key: Key = ("factors", mistake.factor)
            complaints[str(mistake)] = Complaint(place=key, text=f"{key_label(key)}: {mistake.explanation}")
    for cell in {(cell.on, cell.policy): cell for cell in study.cells if cell.policy is not None}.values():
        target = resolve_target(absolute(cell.on, folder=folder), environment=environment)
        try:
            rail_selection_of(study, cell, target=target, workload=folder / cell.workload)
        except RailMistake as wrong:
            key = ("nics",) if wrong.subject is RailSubject.nics and study.nics else ("factors", "policy")
            complaints[str(wrong)] = Complaint(place=key, text=f"{key_label(key)}: {wrong.explanation}")
    if complaints:
        raise ValidationMistakes(complaints.values())
