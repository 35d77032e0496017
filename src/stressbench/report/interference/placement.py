"""Documents of `stressbench predict place`: which applications should share a switch."""

from stressbench.interference.placement_plan import PlacedApplication, PlacementPlan, UnpredictedGroup
from stressbench.report.document import Document, Paragraph, Role, Section, Table, table_columns
from stressbench.report.interference.predictions import FOOT, bounds_text, slowdown_text
from stressbench.report.names import printable
from stressbench.report.page_sections import page_section
from stressbench.report.units import count

_MAX_NAMED = 10
_MAX_NAMED_IN_PAGE = 20


def brief(plan: PlacementPlan) -> Document:
    """One line per switch, the cost, and the groups that were kept apart for lack of a prediction."""
    applications = sum(len(group) for group in plan.groups)
    lines = [f"switch {number}: {_group_text(group)}" for number, group in enumerate(plan.groups, 1)]
    if (empty := plan.switches - len(plan.groups)) > 0:
        lines.append("1 switch is empty" if empty == 1 else f"{empty} switches are empty")
    kept_apart_lines = [_kept_apart_text(one) for one in plan.not_considered[:_MAX_NAMED]]
    if (more := len(plan.not_considered) - _MAX_NAMED) > 0:
        kept_apart_lines.append(f"and {more} more groups without a prediction; --json lists all")
    blocks = (
        *(Paragraph(text=line) for line in (*lines, _cost_text(plan))),
        *(Paragraph(text=line, role=Role.warning) for line in kept_apart_lines),
    )
    title = (
        f"{plan.machine}: {count(applications, 'application')} on {plan.switches} switches of at most "
        f"{plan.per_switch} each, by {plan.model}"
    ).replace(" 1 switches", " 1 switch")
    return Document(title=title, sections=(Section(blocks=blocks),), value=plan)


def page(plan: PlacementPlan) -> Document:
    """The HTML page: the cost and the table of switches."""
    applications = sum(len(group) for group in plan.groups)
    switches = "1 switch" if plan.switches == 1 else f"{plan.switches} switches"
    title = f"{count(applications, 'application')} on {switches} of {printable(plan.machine)}"
    table = Table(
        title="Switches",
        columns=table_columns(("switch", "applications, with slowdown and 95 % interval"), text_columns=2),
        rows=tuple((f"{number}", _group_text(group)) for number, group in enumerate(plan.groups, start=1)),
        caption="An application with a switch of its own counts as not slowed down.",
    )
    section = page_section(
        key="place",
        title=title,
        findings=(_cost_text(plan),),
        notes=(f"{_kept_apart_text(one)}." for one in plan.not_considered[:_MAX_NAMED_IN_PAGE]),
        figures=(),
        tables=(table,),
    )
    lead = f"Placement on switches of at most {plan.per_switch} applications by {plan.model}: predicted, not measured."
    return Document(title=title, lead=lead, sections=(section,), foot=FOOT)


def _cost_text(plan: PlacementPlan) -> str:
    return (
        f"Predicted slowdowns add up to {100 * plan.cost:.1f} percentage points of the isolated times, the minimum of "
        "all placements with a prediction. Predicted from profiles, not measured."
    )


def _kept_apart_text(one: UnpredictedGroup) -> str:
    return f"not placed together: {', '.join(one.applications)}: {'; '.join(one.reasons)}"


def _group_text(group: tuple[PlacedApplication, ...]) -> str:
    """The applications of one switch, with slowdowns."""
    if len(group) == 1:
        return f"{group[0].application} alone"
    return ", ".join(
        f"{one.application} {slowdown_text(one.prediction.slowdown)} {bounds_text(one.prediction)}" for one in group
    )
