"""JSON: every number; times in seconds, unknown is null."""

from pydantic import TypeAdapter

from stressbench.results.rails import RailsFound


def render(found: RailsFound) -> str:
    """All of it."""
    return TypeAdapter(RailsFound).dump_json(found, indent=2).decode() + "\n"
