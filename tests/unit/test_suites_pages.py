"""The pages of b_eff and b_eff_io: what stands in them, from protocols that are made up. No browser."""

import csv
import io
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from support.beff_protocols import made_beff
from support.io_protocols import MadeIO, first_ranks, write_lines
from support.pages import Outline, drawings, figure

from stressbench.formats.protocols.beff import read_protocols
from stressbench.formats.protocols.beff_io import Access, read_io_protocols
from stressbench.formats.protocols.io_patterns import Chunk
from stressbench.report.palette import TONES
from stressbench.report.renderers import render as rendered
from stressbench.report.suites import beff, beff_io, chunks
from stressbench.suites.beff import b_eff_of
from stressbench.suites.beff_io import BEffIO, b_eff_io_of
from stressbench.suites.hpcc import Rmax

NASTY = "<script>alert('x')</script>"
MADE = MadeIO(
    head={"partitions": [first_ranks(2), first_ranks(4)], "hints": [NASTY], "scheduled_s": 60},
    times=lambda partition, access, kind: (1.0 + kind) * (1 + partition),
)


def io_result(path: Path) -> BEffIO:
    return b_eff_io_of(read_io_protocols(path)[-1])


@pytest.fixture
def io_page(tmp_path: Path) -> str:
    return rendered("html", beff_io.page(io_result(MADE.write(tmp_path))))


@pytest.fixture
def beff_page(tmp_path: Path) -> str:
    found = b_eff_of(read_protocols(made_beff(tmp_path))[-1])
    assert found is not None
    return rendered("html", beff.page(found, rmax=Rmax(flops_per_s=12.5e9, source="as given")))


@pytest.mark.parametrize("which", ["io_page", "beff_page"])
def test_a_page_is_whole_by_itself(which: str, request: pytest.FixtureRequest) -> None:
    page = request.getfixturevalue(which)
    outline = Outline(page)

    assert len(set(outline.ids)) == len(outline.ids)
    assert outline.tags.count("script") == 1
    assert all(reference.startswith(("data:", "#")) for reference in outline.references)
    assert not any(tone.placeholder in svg for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL) for tone in TONES)
    assert len(drawings(page)) == len(re.findall("<figure", page))


@pytest.mark.parametrize("which", ["io_page", "beff_page"])
def test_every_figure_has_a_title_a_caption_and_n(which: str, request: pytest.FixtureRequest) -> None:
    for one in re.findall(r"<figure.*?</figure>", request.getfixturevalue(which), re.DOTALL):
        assert re.search(r"<h3>[^<]+</h3>", one)
        assert re.search(
            r"<figcaption>([^<]{80,})?n = \d[^<]*(The rest is read like <a href=[^<]*</a>\.)?</figcaption>", one
        )
        assert re.search(r"<desc[^>]*>[^<]{20,}</desc>", one)


def test_files_have_a_figure_a_partition_and_one_of_partitions(io_page: str) -> None:
    assert re.findall(r'<figure id="beff-io-([\w-]+)"', io_page) == ["chunks-1", "chunks-2", "partitions"]
    assert re.findall(r'<table id="beff-io-([\w-]+)"', io_page) == ["values", "patterns-1", "patterns-2", "published"]
    assert "The best of 2 partitions is that of 2 ranks" in figure(io_page, "beff-io-partitions")
    assert "“scatter” writes chunks of 1 kB 5.00 times as fast as “seg. coll.”" in figure(io_page, "beff-io-chunks-1")


@pytest.mark.parametrize("growth", [1.0, 1.001, 1.3, 8.0, 300.0])
def test_bandwidths_that_differ_little_or_much_have_an_axis_with_numbers(tmp_path: Path, growth: float) -> None:
    made = MadeIO(
        head={"partitions": [first_ranks(ranks) for ranks in (1, 2, 4)]},
        times=lambda partition, access, kind: growth**partition * (1 + (access == "read")),
    )

    drawn = figure(rendered("html", beff_io.page(io_result(made.write(tmp_path)))), "beff-io-partitions")

    assert len(re.findall(r"[\d.]+ [kMG]?B/s</text>", drawn)) >= 2


def test_what_a_hint_says_cannot_become_a_part_of_the_page(io_page: str) -> None:
    assert io_page.count("<script") == 1
    assert "&lt;script&gt;" in io_page


def test_one_partition_is_no_comparison(tmp_path: Path) -> None:
    page = rendered("html", beff_io.page(io_result(MadeIO().write(tmp_path))))

    assert re.findall(r'<figure id="beff-io-([\w-]+)"', page) == ["chunks-1"]


@pytest.mark.parametrize("lines", [1, 2, 30, 90, 130])
def test_a_run_that_was_cut_short_has_a_page_that_claims_nothing(tmp_path: Path, lines: int) -> None:
    page = rendered("html", beff_io.page(io_result(write_lines(tmp_path / "cut.jsonl", MADE.records()[:lines]))))

    assert "<h1>b_eff_io of 4 ranks: no number</h1>" in page
    assert "INCOMPLETE, no number: the benchmark was not completed." in page
    assert "this is b_eff_io" not in page
    Outline(page)


def test_what_is_published_is_told_apart(io_page: str, beff_page: str) -> None:
    for page in (io_page, beff_page):
        assert "Published, not measured here: Rabenseifner and Koniges" in page
    assert re.search(r"NEC SX-5Be/32M2, HLRS</th><td>4 processors</td><td[^>]*>30</td><td[^>]*>60</td>", io_page)
    assert re.search(r"Cray T3E/900-512</th><td[^>]*>512</td><td[^>]*>19919</td>", beff_page)


def test_the_numbers_in_full_are_in_the_page(io_page: str, tmp_path: Path) -> None:
    (href,) = re.findall(r'href="data:text/csv;charset=utf-8,([^"]*)" download="b_eff_io.csv"', io_page)
    rows = list(csv.DictReader(io.StringIO(unquote(unescape(href)))))

    wanted = [one for one in MADE.records() if one["type"] == "pattern"]
    assert len(rows) == len(wanted)
    assert sum(int(row["bytes"]) for row in rows) == sum(one["bytes"] for one in wanted)


def test_sizes_that_are_aligned_to_nothing_are_told_as_what_they_are(io_page: str) -> None:
    assert '<td class="number">1 MiB + 8 B</td>' in io_page
    assert '<td class="number">32 KiB + 8 B</td>' in io_page


def test_a_point_is_all_bytes_of_its_patterns_over_their_time(tmp_path: Path) -> None:
    """Type 0 has two patterns of 1 MB with a slot of their own, 2 and 3; pattern 0 has none."""
    records = MadeIO().records()
    times = {0: 100.0, 2: 1.0, 3: 3.0}
    for one in records:
        if one["type"] == "pattern" and one["number"] in times:
            one["time_s"] = times[one["number"]]
    (partition,) = io_result(write_lines(tmp_path / "r.jsonl", records)).partitions

    assert partition.value_at(Access.write, 0, Chunk.mib) == 16 * 2**20 / 4.0
    assert partition.value_at(Access.write, 3, Chunk.kib_8) == 8 * 1032 / (4.0 / 9)


def test_nothing_measured_is_nothing_drawn(tmp_path: Path) -> None:
    (partition,) = io_result(write_lines(tmp_path / "r.jsonl", MadeIO().records()[:1])).partitions

    assert chunks.draw(partition, key="x") is None


def test_b_eff_begins_with_its_number_and_draws_sizes(beff_page: str) -> None:
    first = re.search(r'<ul class="findings">\s*<li>(.*?)</li>', beff_page)

    assert first is not None
    assert re.fullmatch(r"All 4 ranks together reach [\d.]+ GB/s, [\d.]+ GB/s per rank\.", first[1])
    assert "Balance: " in beff_page
    assert re.findall(r'<table id="beff-(\w+)"', beff_page) == ["columns", "patterns", "published"]
    said = figure(beff_page, "beff-sizes")
    assert "n = 4 ranks, 6 ring and 30 random patterns." in said
    assert re.search(r"Messages of [\d.]+ KiB reach half of the bandwidth at Lmax", said)
    assert len(re.findall(r"(?:1|2|4|8|16|32|64|128|256|512) (?:B|KiB|MiB)</text>", said)) >= 21
