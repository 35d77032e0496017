"""How much of an execution other programs ran at the same time. Pure."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

Span: TypeAlias = tuple[float, float]
"""Begin and end in seconds."""


def least_overlap(span: Span, others: Sequence[Iterable[Span]]) -> float:
    """The smallest share of `span` that is covered by the spans of one of the `others`; 0 for an empty span."""
    length = span[1] - span[0]
    if length <= 0:
        return 0.0
    return min(_covered(span, spans) / length for spans in others)


def _covered(span: Span, others: Iterable[Span]) -> float:
    """Length of the part of `span` within any of `others`, which do not overlap each other."""
    lengths = (min(span[1], end) - max(span[0], begin) for begin, end in others)
    return min(sum(length for length in lengths if length > 0), span[1] - span[0])
