"""The calls of a template as motif `stencil` reads them. Pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean, median
from typing import TypeAlias

from stressbench.tracing.recognition.sequence import Loop, folded
from stressbench.tracing.recognition.stencils.grids import DIMENSIONS, Grid, Offset, offset_text
from stressbench.tracing.recognition.stencils.passes import STARTING, Kind, NoStencil
from stressbench.tracing.recognition.stencils.sizes import DividedMesh, shares_of_ranks
from stressbench.tracing.recognition.stencils.template import COMPLETED, Node, Template

_REDUCTIONS = {"SUM": "sum", "MIN": "min", "MAX": "max", "USER": "user"}
_LEAST_SHARE = 0.03
"""Of the computation of a pass; what is less is left to the others."""
_DECIMALS = 4
_TO_NS = 1e9
_SEPARATOR = "; "
_Written: TypeAlias = tuple[Kind | None, str]  # a call, None: computation; and its text


def written_calls(
    template: Template, sent: Mapping[int, str], received: Mapping[int, str], chosen: Sequence[Grid],
    mesh: DividedMesh | None, in_stages: Callable[[str], str] = str,
) -> str:  # fmt: skip
    """The calls of the template and the computation between them. `sent` and `received` are sizes by place.

    `in_stages` changes the sizes in stages. Computation is times the cells of a rank in `mesh`. Raises NoStencil for
    other collectives.
    """
    calls: list[_Written] = []
    pending: Counter[Kind] = Counter()
    times = _times(template, chosen, mesh)
    for place, node in enumerate(template.nodes):
        if place in times:
            calls.append((None, times[place]))
        symbol = node.symbol
        match symbol.kind:
            case Kind.waits:
                text = _SEPARATOR.join([symbol.kind] * pending.total())
            case Kind.waitall | Kind.waitall_sends | Kind.waitall_receives | Kind.waitall_nothing:
                text = symbol.kind.value
            case Kind.send | Kind.isend:
                text = f"{symbol.kind} {_message(symbol.to, sent[place])}{_tag(symbol.tag)}"
            case Kind.recv | Kind.irecv:
                text = f"{symbol.kind} {_message(symbol.source, received[place])}{_tag(symbol.source_tag)}"
            case Kind.sendrecv:
                tags = _tag(symbol.tag)
                if symbol.source_tag != symbol.tag:
                    tags = f" tag {symbol.tag} {symbol.source_tag}"
                text = f"sendrecv {_message(symbol.to, sent[place])} {_message(symbol.source, received[place])}{tags}"
            case Kind.stages:
                assert symbol.stages is not None
                text = symbol.stages.text(in_stages)
            case _:
                text = _collective(node, sent.get(place) or law_of(symbol.kind, sizes_by_ranks(node, chosen)))
        calls.append((symbol.kind, text))
        _count(symbol.kind, pending)
    return _SEPARATOR.join(_texts(folded(calls, _is_closed)))


def _count(kind: Kind | None, pending: Counter[Kind]) -> None:
    """Add the request that a call starts to the pending ones, and remove those that it completes."""
    if kind in STARTING:
        pending[kind] += 1
    elif kind in COMPLETED:
        for started in COMPLETED[kind]:
            del pending[started]


def _message(offset: Offset | None, size: str) -> str:
    return f"{offset_text(offset or ())} {size}"


def _tag(tag: int) -> str:
    return f" tag {tag}" if tag else ""


def sizes_by_ranks(node: Node, chosen: Sequence[Grid]) -> dict[int, int]:
    """Bytes of a collective by number of ranks."""
    by_ranks: dict[int, int] = {}
    for capture, _, event in node.events:
        assert event.collective is not None
        if by_ranks.setdefault(chosen[capture].ranks, event.collective.bytes) != event.collective.bytes:
            raise NoStencil("the ranks of a collective have different sizes")
    return by_ranks


def _collective(node: Node, size: str) -> str:
    symbol = node.symbol
    words = [symbol.kind.value]
    if symbol.kind is not Kind.barrier:
        words.append(size)
    if symbol.kind in (Kind.reduce, Kind.allreduce):
        if symbol.reduction not in _REDUCTIONS:
            raise NoStencil(f"motif stencil has no reduction {symbol.reduction}")
        words.append(_REDUCTIONS[symbol.reduction])
    if symbol.root:
        words += ["root", str(symbol.root)]
    if symbol.along is not None:
        words += ["along", "".join(DIMENSIONS[k] for k in symbol.along)]
    return " ".join(words)


def law_of(kind: Kind, by_ranks: dict[int, int]) -> str:
    """The size by number of ranks. From one number of ranks, shares of a whole are assumed where these are usual."""
    laws = list(shares_of_ranks(by_ranks))
    if not laws:
        raise NoStencil("the size of a collective follows no law of the number of ranks")
    if len(by_ranks) == 1:
        return {Kind.alltoall: laws[2], Kind.allgather: laws[1]}.get(kind, laws[0])
    return laws[0]


def _times(template: Template, chosen: Sequence[Grid], mesh: DividedMesh | None) -> dict[int, str]:
    """The computation before calls, by place: nanoseconds, times the cells of a rank where they are known.

    They are those of the rank of each capture that computes most, for which the others wait, and of all ranks at places
    where it has no call; the median over the captures.
    """
    slowest = _slowest_ranks(template)
    seconds: dict[int, float] = {}
    for place, node in enumerate(template.nodes):
        by_capture: dict[int, list[float]] = {}
        of_slowest: dict[int, list[float]] = {}
        for capture, rank, event in node.events:
            cells = 1 if mesh is None else mesh.of_rank(capture, chosen[capture].coordinates[rank])
            by_capture.setdefault(capture, []).append(event.computed_s / cells)
            if rank == slowest[capture]:
                of_slowest.setdefault(capture, []).append(event.computed_s / cells)
        seconds[place] = median(fmean(own) for own in (by_capture | of_slowest).values())
    whole = sum(seconds.values())
    factors = "" if mesh is None else "".join(f"*{name}" for name in DIMENSIONS[: len(mesh.sides)])
    return {
        place: f"compute {one * _TO_NS:.{_DECIMALS}f}".rstrip("0").rstrip(".") + f"ns{factors}"
        for place, one in seconds.items()
        if one > _LEAST_SHARE * whole
    }


def _slowest_ranks(template: Template) -> dict[int, int]:
    """By capture, the rank that computes most."""
    seconds: dict[int, defaultdict[int, float]] = {}
    for node in template.nodes:
        for capture, rank, event in node.events:
            seconds.setdefault(capture, defaultdict(float))[rank] += event.computed_s
    return {capture: max(by_rank, key=by_rank.__getitem__) for capture, by_rank in seconds.items()}


def _texts(calls: Iterable[_Written | Loop[_Written]]) -> Iterator[str]:
    for call in calls:
        if isinstance(call, Loop):
            yield from (f"repeat {call.times}", *_texts(call.items), "end")
        else:
            yield call[1]


def _is_closed(calls: Sequence[_Written]) -> bool:
    """Whether these calls complete what they start."""
    pending: Counter[Kind] = Counter()
    for kind, _ in calls:
        if kind in COMPLETED and not any(pending[started] for started in COMPLETED[kind]):
            return False
        _count(kind, pending)
    return not pending.total()
