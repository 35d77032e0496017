"""What `stressbench predict place` says: who should share a switch."""

from stressbench.console import Console
from stressbench.interference.placement_plan import PlacedApplication, PlacementPlan, UnpredictedGroup
from stressbench.report.terminal.page import say
from stressbench.report.terminal.prediction_table import bounds_text, slowdown_text
from stressbench.report.units import count

_MOST_NAMED = 10


def print_seating(found: PlacementPlan, *, console: Console) -> None:
    """A line a switch; then what it costs, and who was kept apart because nobody can tell."""
    everybody = sum(len(group) for group in found.groups)
    say(
        console,
        f"{found.machine}: {count(everybody, 'application')} on {found.switches} switches of at most "
        f"{found.per_switch} each, by {found.model}".replace(" 1 switches", " 1 switch"),
    )
    for number, group in enumerate(found.groups, 1):
        say(console, f"switch {number}: {said_group(group)}")
    if (empty := found.switches - len(found.groups)) > 0:
        say(console, "1 switch stays empty" if empty == 1 else f"{empty} switches stay empty")
    say(console, said_cost(found))
    for one in found.not_considered[:_MOST_NAMED]:
        say(console, said_kept_apart(one), style="yellow")
    if (more := len(found.not_considered) - _MOST_NAMED) > 0:
        say(console, f"and {more} more groups of which nobody can tell; --json has all", style="yellow")


def said_cost(found: PlacementPlan) -> str:
    """What the arrangement costs in all."""
    return (
        f"Predicted slow-downs sum up to {100 * found.cost:.1f} points of the times alone: no other arrangement that "
        "could be told of has less. Predicted from profiles of each alone, not measured."
    )


def said_kept_apart(one: UnpredictedGroup) -> str:
    """Who shares no switch because nobody can tell."""
    return f"kept apart: {', '.join(one.applications)}: {'; '.join(one.reasons)}"


def said_group(group: tuple[PlacedApplication, ...]) -> str:
    """Who sits on one switch, with slow-downs."""
    if len(group) == 1:
        return f"{group[0].application} alone"
    return ", ".join(
        f"{one.application} {slowdown_text(one.prediction.slowdown)} {bounds_text(one.prediction)}" for one in group
    )
