"""Captures of motifs in all export formats, as the tools of each format read them."""

import json
import re
from collections import Counter

import pytest
from support.browser import needs_browser
from support.export_readers import (
    messages_in,
    messages_of,
    read_by_loggopsim,
    read_by_otf2_print,
    read_by_smpirun,
    sizes_read_by_htsim,
    slices_and_arrows,
)
from support.perfetto import shown_by_perfetto

from stressbench.formats.trace import read_trace
from stressbench.tracing.schedules.sources import of_program
from stressbench.tracing.schedules.survey import survey


@pytest.mark.parametrize(
    ("motif", "ranks"),
    [
        ("lulesh -s 4 -i 3", 8),
        ("mcb", 4),  # receives from any source, and cancelled ones
        ("umt", 4),  # communicators, persistent requests
        ("npb", 4),
        ("vpfft", 4),
        ("alltoallw", 5),
        ("scan", 4),
        ("gather", 4),
    ],
)
def test_all_tools_read_the_messages_of_a_capture(motif, ranks, engine, tmp_path):
    trace = tmp_path / "app.trace"
    done = engine.traced(
        engine.program, "motif", *motif.split(), "--repetitions", "2", "--warmup", "0", ranks=ranks, trace=trace
    )  # fmt: skip
    assert done.status == 0, done.text
    source = of_program(read_trace(trace))
    messages, with_collectives = (messages_in(source, collectives=one) for one in (False, True))

    output = {name: tmp_path / f"app.{name}" for name in ("goal", "simgrid-ti", "otf2", "perfetto")}
    for name, path in output.items():
        exported = engine.stressbench("trace", "export", trace, "--format", name, "-o", path)
        assert exported.status == 0, exported.text

    slices, arrows = slices_and_arrows(output["perfetto"])
    assert messages_of(slices, "to") == messages_of(slices, "from") == messages
    assert len(arrows) == messages.total()
    for ends in arrows.values():
        times = {str(end["ph"]): float(str(end["ts"])) for end in ends}
        assert times["s"] <= times["f"], "no message is received before it is sent"
    calls = survey(source).traffic.collectives.total()
    assert read_by_otf2_print(output["otf2"]) == (messages, messages, calls)
    assert read_by_smpirun(output["simgrid-ti"], ranks=ranks, scratch=tmp_path) == (with_collectives, with_collectives)
    assert read_by_loggopsim(output["goal"]) == (with_collectives, with_collectives)


def exported(subject, export_format, *, engine, checkout, folder):
    """The calls of the motif lulesh on 8 ranks, or workloads/demo.sb, in a format."""
    output, words = folder / "app.out", (checkout / "workloads" / "demo.sb", "-n", "8", "--ranks-per-node", "1")
    if subject == "lulesh":
        words = (folder / "app.trace",)
        listed = engine.run(
            "calls", "lulesh", "-s", "4", "-i", "3", "--ranks", "8", "--computation", "--output", *words
        )
        assert listed.status == 0, listed.text
    ended = engine.stressbench("trace", "export", *words, "--format", export_format, "-o", output, "--json")
    assert ended.status == 0, ended.text
    return output, json.loads(ended.output)


@pytest.mark.parametrize("subject", ["lulesh", "demo"])
def test_htsim_simulates_the_messages_of_a_program_and_of_a_workload(subject, engine, checkout, tmp_path):
    """Packet by packet, from the GOAL file that ATLAHS schedules; collectives are messages, too."""
    goal, _ = exported(subject, "goal", engine=engine, checkout=checkout, folder=tmp_path)
    text = goal.read_text(encoding="ascii")

    expected = Counter(map(int, re.findall(r": send (\d+)b to ", text)))
    assert sizes_read_by_htsim(goal) == expected
    assert expected.total() > 100


@needs_browser
@pytest.mark.parametrize("subject", ["lulesh", "demo"])
def test_perfetto_shows_the_messages_of_a_program_and_of_a_workload(subject, engine, checkout, tmp_path):
    """Its page and its trace processor read the file without an error, and each arrow goes from sender to receiver."""
    output, summary = exported(subject, "perfetto", engine=engine, checkout=checkout, folder=tmp_path)

    shown = shown_by_perfetto(output, tmp_path)

    assert shown.errors == []
    slices, _ = slices_and_arrows(output)
    assert shown.slices == len(slices)
    assert shown.sent == shown.received == messages_of(slices, "to")
    assert shown.sent.total() == summary["messages"]
    arrows: Counter[tuple[int, int]] = Counter()
    for (sender, receiver, _), number in shown.sent.items():
        arrows[sender, receiver] += number
    assert shown.arrows == arrows
