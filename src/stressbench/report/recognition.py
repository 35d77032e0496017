"""The document of `stressbench recognise`: the motifs of each capture, and how much of it they are."""

from collections.abc import Iterator

from stressbench.report.document import Block, Document, Note, Notes, Paragraph, Section, Table, columns
from stressbench.report.units import MISSING, count, percent, size, time
from stressbench.tracing.recognition.occurrences import Amount
from stressbench.tracing.recognition.recognised import (
    RecognisedCaptures,
    RecognisedMotif,
    Recognition,
    Scaled,
    scaled_to,
    share,
)


def recognition_document(result: RecognisedCaptures) -> Document:
    """A table for each capture."""
    is_scaled = result.scaled is not None
    sections = [Section(blocks=tuple(_blocks(capture, is_scaled=is_scaled))) for capture in result.captures]
    if result.refusals:
        notes = tuple(Note(text=f"a loop of the program is no stencil: {why}") for why in result.refusals)
        sections.append(Section(blocks=(Notes(notes=notes),)))
    if result.scaled is not None:
        sections.append(_scaled(result.scaled))
    return Document(title="", value=result, sections=tuple(sections))


def _scaled(scaled: Scaled) -> Section:
    table = Table(
        columns=columns(texts=("motif",), numbers=("times", "computation", "messages", "bytes")),
        rows=tuple(
            (
                motif.name, f"{motif.times:,}", time(motif.computed_s), f"{motif.of_one.messages:,}",
                size(motif.of_one.bytes),
            )
            for motif in scaled.motifs
        ),
        caption="computation, messages, bytes: of an iteration; computation as the motif's own law gives it.",
    )  # fmt: skip
    return Section(blocks=(Paragraph(text=f"scaled to {scaled_to(scaled.ranks, scaled.size)}"), table))


def _blocks(capture: Recognition, *, is_scaled: bool) -> Iterator[Block]:
    total = capture.total
    yield Paragraph(
        text=f"{capture.program or 'a program'}, {count(capture.ranks, 'rank')}: {count(total.calls, 'call')}, "
        f"{count(total.messages, 'message')}, {size(total.bytes)}"
    )
    if not capture.motifs:
        yield Paragraph(text="no motif makes its calls")
        return
    yield Table(
        columns=columns(
            texts=("motif",), numbers=("times", "runs", "computation", "calls", "messages", "bytes"),
        ),
        rows=(*(_cells(motif, total) for motif in capture.motifs), *_sum_of(capture)),
        groups=(len(capture.motifs),),
        caption="times: iterations of the motif, in so many runs of successive ones. computation: of an iteration, "
        "on the rank with most. calls, messages, bytes: share of the capture's, bytes of messages and collectives.",
    )  # fmt: skip
    assumed = [(motif.candidate.motif, text) for motif in capture.motifs for text in motif.candidate.assumed]
    notes = [Note(text=text, about=motif) for motif, text in dict.fromkeys(assumed)]
    if capture.parts:
        names = ", ".join(part.trace for part in capture.parts)
        does = (
            "the scaled workload leaves them out" if is_scaled else f"they are replayed ({names}), on these ranks only"
        )
        notes.append(Note(text=f"{_amount(capture.replayed)} belong to no motif; {does}"))
    if capture.rest.calls:
        rest = capture.rest
        notes.append(Note(text=f"{_amount(rest)} belong to no motif; the workload leaves them out"))
    if notes:
        yield Notes(notes=tuple(notes))


def _amount(amount: Amount) -> str:
    return f"{count(amount.calls, 'call')}, {count(amount.messages, 'message')} and {size(amount.bytes)}"


def _sum_of(capture: Recognition) -> tuple[tuple[str, ...], ...]:
    """The row of all motifs, if there are several."""
    if len(capture.motifs) < 2:
        return ()
    return (("all", MISSING, MISSING, MISSING, *_shares(capture.explained, capture.total)),)


def _cells(motif: RecognisedMotif, total: Amount) -> tuple[str, ...]:
    return (
        motif.name_of(motif.candidate), f"{motif.times:,}", f"{motif.runs:,}", time(motif.computed_s),
        *_shares(motif.explained, total),
    )  # fmt: skip


def _shares(part: Amount, total: Amount) -> tuple[str, ...]:
    return tuple(
        f"{percent(share(a, b))} %" if b else MISSING
        for a, b in ((part.calls, total.calls), (part.messages, total.messages), (part.bytes, total.bytes))
    )
