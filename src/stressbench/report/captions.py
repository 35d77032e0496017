"""Captions of a page: sentences that an earlier caption has are not repeated, but replaced by a reference to it."""

import re
from dataclasses import dataclass

_SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z]|n )")
_MIN_SHARED = 2


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a caption; one may begin with `n`."""
    return tuple(part for part in _SENTENCE_END.split(text) if part)


@dataclass(frozen=True, kw_only=True)
class PrintedCaption:
    """What is printed of a caption: its new sentences, and the element id and the title of the earlier block.

    `key` is empty if the caption is printed in full.
    """

    text: str
    key: str = ""
    title: str = ""


class CaptionHistory:
    """The captions of a page in their order."""

    def __init__(self) -> None:
        self._titles: dict[str, str] = {}
        self._sentences: dict[str, set[str]] = {}

    def printed(self, *, key: str, title: str, caption: str) -> PrintedCaption:
        """What the next caption prints; `key` and `title` are those of its figure or table.

        Sentences are left out if one earlier caption has at least two of them, or all.
        """
        parts = sentences(caption)
        shared = {origin: len(known.intersection(parts)) for origin, known in self._sentences.items() if origin != key}
        origin = max(shared, key=shared.__getitem__, default="")  # the earliest of several with as many
        known = self._sentences.get(origin, set())
        if not key:
            return PrintedCaption(text=caption)
        self._sentences.setdefault(key, set()).update(parts)
        self._titles.setdefault(key, title)
        if not known.intersection(parts) or shared[origin] < min(_MIN_SHARED, len(parts)):
            return PrintedCaption(text=caption)
        kept = " ".join(part for part in parts if part not in known)
        return PrintedCaption(text=kept, key=origin, title=self._titles[origin])
