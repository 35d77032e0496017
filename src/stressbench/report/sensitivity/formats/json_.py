"""JSON: a list of all that is known of each application; unknown is null."""

from collections.abc import Sequence

from pydantic import TypeAdapter

from stressbench.interference.profile_summary import ProfileSummary
from stressbench.report.sensitivity.shown import Shown


def render(profiles: Sequence[Shown]) -> str:
    """Two spaces of indent a level, a line at the end."""
    found = tuple(one.said for one in profiles)
    return TypeAdapter(tuple[ProfileSummary, ...]).dump_json(found, indent=2).decode() + "\n"
