"""What the pause of a congestor ring is, for captions."""

from collections.abc import Iterable

from stressbench.formats.profiles.profile import Configuration, PauseAfter

_TEXTS = {
    PauseAfter.partner: "the sleep after its messages to each partner",
    PauseAfter.round: "the sleep before it waits for all of them",
}


def pause_text(rings: Iterable[Configuration]) -> str:
    """When a rank of these rings pauses."""
    used = {one.pause_after for one in rings}
    return " or ".join(text for after, text in _TEXTS.items() if after in used) or _TEXTS[PauseAfter.partner]
