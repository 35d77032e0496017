"""JSON: every number; times in seconds, unknown is null."""

from pydantic import TypeAdapter

from stressbench.results.rates import Degradation


def render(found: Degradation) -> str:
    """All of it."""
    return TypeAdapter(Degradation).dump_json(found, indent=2).decode() + "\n"
