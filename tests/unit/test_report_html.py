"""The markup of HTML pages: alignment and order of numbers, folded tables, glossary, captions, ticks, script."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from support.pages import Outline

from stressbench.report.captions import CaptionHistory
from stressbench.report.document import (
    Cell,
    Collapsible,
    Document,
    Figure,
    Findings,
    HeatCell,
    Paragraph,
    Section,
    Table,
    columns,
)
from stressbench.report.drawing import area_values, canvas, finish, number_ticks, point_values, style, tick_text
from stressbench.report.glossary import TERMS, term_of_head, terms_in
from stressbench.report.html_table import LONG_TABLE_ROWS, breakable, html_rows, table_attributes
from stressbench.report.renderers import render

NASTY = "<script>alert('x')</script>&\""


def table(*rows: tuple[Cell, ...], numbers: tuple[str, ...] = ("time",), **others: str) -> Table:
    return Table(columns=columns(texts=("job",), numbers=numbers), rows=rows, **others)


def page(*blocks: Table | Figure | Findings | Paragraph | Collapsible) -> str:
    return render("html", Document(title="T", sections=(Section(key="s", title="S", blocks=blocks),)))


def attributes(made: Table, column: int = 1) -> list[str]:
    return [str(row[column].attributes) for row in html_rows(made)]


def test_numbers_of_a_column_are_aligned_by_their_decimal_point() -> None:
    made = table(("a", "1.42"), ("b", "0.998"), ("c", "123"), ("d", "–"))

    assert attributes(made) == [
        ' class="number" style="--pad:1ch"', ' class="number"', ' class="number" style="--pad:3.5ch"',
        ' class="number"',
    ]  # fmt: skip


def test_a_number_with_its_interval_may_be_broken_between_them_and_is_not_padded() -> None:
    assert attributes(table(("a", "1.42 [1.4, 1.5]"), ("b", "1"))) == [' class="number wraps"', ' class="number"']
    assert attributes(table(("a", "2 ms - 3 ms"), ("b", "1"))) == [' class="number wraps"', ' class="number"']
    assert attributes(table(("a", "[1.4, 1.5]"), ("b", "1"))) == [' class="number"', ' class="number"']
    wide = table(("a", *11 * ("[1.4, 1.5]",)), numbers=tuple(f"n{number}" for number in range(11)))
    assert attributes(wide) == [' class="number wraps"']


def test_points_of_numbers_far_apart_do_not_widen_the_columns_of_a_wide_table() -> None:
    far, near = ("a", *11 * ("0.443",)), ("b", *11 * ("1,818",))
    names = tuple(f"n{number}" for number in range(11))

    assert attributes(table(far, near, numbers=names)) == [' class="number"', ' class="number"']
    assert 'style="--pad:3.5ch"' in attributes(table(far[:2], near[:2]))[1]
    assert 'style="--pad:2.5ch"' in attributes(table(("a", *11 * ("4.43",)), ("b", *11 * ("181",)), numbers=names))[1]


def test_times_in_several_units_are_aligned_by_unit_and_sorted_by_value() -> None:
    made = table(("a", "1.23 ms"), ("b", "45.6 µs"), ("c", "1,200 s"), ("d", "–"))

    cells = [row[1] for row in html_rows(made)]
    orders = [re.search('data-sort="([^"]*)"', str(cell.attributes)) for cell in cells]
    assert [(cell.text, cell.unit) for cell in cells] == [("1.23", "ms"), ("45.6", "µs"), ("1,200", "s"), ("–", "")]
    assert [float(order[1]) for order in orders if order] == [0.00123, 4.56e-05, 1200]


@pytest.mark.parametrize(
    ("texts", "order"),
    [(("64 KiB", "1 MB"), (65536, 1e6)), (("1.5 GB/s", "20 MB/s"), (1.5e9, 2e7)), (("3 /s", "1 kB/s"), (3, 1000))],
)
def test_sizes_and_rates_are_sorted_by_value(texts: tuple[str, str], order: tuple[float, float]) -> None:
    found = " ".join(attributes(table(*(("x", text) for text in texts))))

    assert [float(one) for one in re.findall('data-sort="([^"]*)"', found)] == pytest.approx(order)


def test_one_unit_needs_no_order_of_its_own() -> None:
    assert "data-sort" not in "".join(attributes(table(("a", "1.23 ms"), ("b", "45.6 ms"))))


@pytest.mark.parametrize(
    ("label", "markup"),
    [("SharesAndWaits", "Shares<wbr>And<wbr>Waits"), ("64 KiB", "64 KiB"), ("open_time_s", "open_<wbr>time_<wbr>s")],
)
def test_heads_of_columns_are_broken_inside_long_words(label: str, markup: str) -> None:
    assert breakable(label) == markup


def test_only_words_that_are_wider_than_a_column_are_broken_anywhere() -> None:
    symbol = "std::variant<std::monostate,std::array<double,4>>::operator()(stressbench::mpi::Group const&)"
    made = Table(columns=columns(texts=("call site", "call")), rows=((symbol, "Allreduce"), ("main", symbol)))

    assert attributes(made, 0) == [' scope="row" class="long"', ' scope="row"']
    assert attributes(made, 1) == ["", ' class="long"']
    assert "td.long, tbody th.long { overflow-wrap: anywhere; }" in page(made)


def test_rows_that_continue_the_row_above_cannot_be_sorted() -> None:
    rows = (("a", "1"), ("b", "2"), ("c", "3"))

    assert "data-sortable" in table_attributes(table(*rows))
    assert "data-sortable" not in table_attributes(table(*rows[:2]))
    assert "data-sortable" not in table_attributes(table(("a", "1"), ("", "2"), ("c", "3")))
    heat = HeatCell(text="1", detail="", shade=0.5, slower=True)
    assert "data-sortable" not in table_attributes(table(("a", heat), ("b", heat), ("c", heat)))


def test_rows_are_chosen_by_columns_of_few_texts() -> None:
    made = Table(
        columns=columns(texts=("placement", "name"), numbers=("ranks",)),
        rows=tuple((("linear", "random")[number % 2], f"n{number}", "8") for number in range(12)),
    )

    assert 'data-filters="0"' in table_attributes(made)
    assert "data-filters" not in table_attributes(Table(columns=made.columns, rows=made.rows[:11]))


def test_long_tables_are_folded_once_and_keep_all_rows() -> None:
    rows = [(f"j{number}", "1") for number in range(LONG_TABLE_ROWS + 1)]
    long = table(*rows, caption="All jobs: medians. Second sentence.", key="k")

    assert "<details" not in page(table(*rows[:-1], key="k"))
    folded = page(long)
    assert f"<summary>All jobs ({len(rows)} rows)</summary>" in folded
    assert folded.count('<th scope="row">') == len(rows)
    nested = page(Collapsible(summary="All", blocks=(long,)))
    assert nested.count("<details") == 1
    assert "<details" not in page(replace(long, foldable=False))


def test_what_is_between_backticks_is_code_and_stays_text() -> None:
    sentences = ("Use `run --isolated 6`, <b>then</b> `<i>` and a lone `.",)

    assert (
        "<li>Use <code>run --isolated 6</code>, &lt;b&gt;then&lt;/b&gt; <code>&lt;i&gt;</code> and a lone `.</li>"
    ) in page(Findings(sentences=sentences))


def figure(number: int, caption: str) -> Figure:
    return Figure(key=f"f{number}", title=f"Figure {number}", caption=caption, description="d", svg="<svg></svg>")


LONG = "Dots: repetitions. Lines: medians. n counts runs."


def test_a_caption_is_printed_once_and_later_ones_refer_to_it() -> None:
    made = page(figure(1, LONG), figure(2, LONG), figure(3, f"{LONG} The first 3 of 9."))

    captions = re.findall("<figcaption>(.*?)</figcaption>", made)
    assert captions == [
        LONG,
        'It is read like <a href="#f1">Figure 1</a>.',
        'The first 3 of 9. The rest is read like <a href="#f1">Figure 1</a>.',
    ]


def test_a_caption_refers_to_the_earlier_one_with_the_most_of_its_sentences() -> None:
    made = page(figure(1, f"{LONG} By size."), figure(2, "As in the first figure. By size."),
                figure(3, "As in the first figure. By size."))  # fmt: skip

    captions = re.findall("<figcaption>(.*?)</figcaption>", made)
    assert captions[1:] == ["As in the first figure. By size.", 'It is read like <a href="#f2">Figure 2</a>.']


def test_a_caption_with_one_sentence_of_another_is_printed_in_full() -> None:
    history = CaptionHistory()
    history.printed(key="a", title="A", caption=LONG)

    assert (
        history.printed(key="b", title="B", caption="Bars: means. n counts runs.").text == "Bars: means. n counts runs."
    )


def test_only_terms_that_a_page_uses_are_in_its_glossary_and_heads_refer_to_it_once() -> None:
    made = page(
        Table(
            columns=columns(texts=("job",), numbers=("impact", "95 % interval", "ranks")), rows=(("a", "1", "2", "3"),)
        ),
        Table(columns=columns(texts=("job",), numbers=("impact",)), rows=(("a", "1"),)),
    )

    terms = re.findall(r'<dt id="(term-[\w-]+)">', made)
    assert terms == ["term-congestion-impact", "term-job", "term-95-interval"]
    assert re.findall(r'<a class="term" href="#(term-[\w-]+)"', made) == ["term-job", *terms[:1], terms[2]]
    assert "term-probe" not in made


def test_a_page_without_terms_has_no_glossary() -> None:
    assert 'id="terms"' not in page(Paragraph(text="Nothing."))


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("impact", "congestion impact"), ("isolated, median", "isolated"), ("tail impact", "tail impact"),
        ("contended [95 %]", "contended"), ("P(slower)", "P(slower)"), ("n", "n"), ("ranks", None), ("unit", None),
    ],
)  # fmt: skip
def test_heads_have_the_term_that_explains_them(head: str, name: str | None) -> None:
    term = term_of_head(head)

    assert (None if term is None else term.name) == name


def test_the_glossary_has_the_words_of_the_documentation(checkout: Path) -> None:
    text = (checkout / "docs" / "design.md").read_text(encoding="utf-8")
    documented = {
        name: re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", definition).replace("`", "")
        for name, definition in re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", text, re.MULTILINE)
    }

    shared = [term for term in TERMS if term.name in documented]
    assert len(shared) >= 10
    for term in shared:
        assert documented[term.name].startswith(term.definition.partition("; 1 is")[0]), term.name


def test_definitions_use_no_term_that_the_glossary_lacks() -> None:
    assert {term.name for term in terms_in(term.definition for term in TERMS)} <= {term.name for term in TERMS}
    assert len({term.key for term in TERMS}) == len(TERMS)


def test_the_only_script_is_the_page_s_own_and_the_policy_names_its_hash() -> None:
    made = page(Paragraph(text=NASTY), table((NASTY, "1"), caption=NASTY))

    assert Outline(made).tags.count("script") == 1
    script = re.search("<script>(.*?)</script>", made, re.DOTALL)
    assert script is not None
    digest = b64encode(sha256(script[1].encode()).digest()).decode()
    policy = re.search('Content-Security-Policy" content="([^"]*)"', made)
    assert policy is not None
    assert f"script-src 'sha256-{digest}'" in policy[1]
    assert "default-src 'none'" in policy[1]


def test_values_are_titles_of_their_marks_and_cannot_become_markup() -> None:
    with style():
        fig = canvas(height_in=2)
        axes = fig.subplots()
        point_values(axes, [1, 2], [1, 2], ["solver: 1.42", NASTY])
        area_values(axes, [(0, 0, 1, 1)], ["rank 0: 3 ms"])
        made = finish(fig, key="k", title="t", caption="c", description="d").svg

    found = re.findall(r'<g class="value"><title>(.*?)</title>', made)
    assert [unescape(one) for one in found] == ["solver: 1.42", NASTY, "rank 0: 3 ms"]
    assert "<script" not in made
    assert "<a " not in made


def test_figures_of_very_many_points_have_no_values() -> None:
    with style():
        fig = canvas(height_in=2)
        point_values(fig.subplots(), range(401), range(401), ["x"] * 401)
        made = finish(fig, key="k", title="t", caption="c", description="d").svg

    assert 'class="value"' not in made


@pytest.mark.parametrize(("panels", "texts"), [(1, ["100", "200", "500", "1,000"]), (2, ["100", "1,000"])])
def test_narrow_panels_have_a_tick_for_each_decade(panels: int, texts: list[str]) -> None:
    with style():
        axes = canvas(height_in=2).subplots(1, panels, squeeze=False)[0, 0]
        axes.plot([90, 40_000], [0, 1])
        axes.set_xscale("log")
        number_ticks(axes.xaxis, low=90, high=40_000)

    ticks = [axes.xaxis.get_major_formatter()(value, 0) for value in axes.xaxis.get_majorticklocs() if value >= 90]
    assert ticks[: len(texts)] == texts


@pytest.mark.parametrize(("low", "high"), [(0.9, 8), (3, 25), (1, 400), (0.004, 90_000), (2e-5, 1)])
def test_ticks_of_logarithmic_axes_are_distinct_plain_numbers(low: float, high: float) -> None:
    with style():
        fig = canvas(height_in=2)
        axes = fig.subplots()
        axes.plot([low, high], [0, 1])
        axes.set_xscale("log")
        number_ticks(axes.xaxis, low=low, high=high)
        ends = axes.get_xlim()
        ticks = [tick for tick in axes.xaxis.get_major_locator()() if ends[0] <= tick <= ends[1]]
        labels = axes.xaxis.get_major_formatter().format_ticks(ticks)

    assert len(labels) >= 2
    assert len(set(labels)) == len(labels)
    assert all(re.fullmatch(r"[\d,]+(\.\d+)?", label) for label in labels)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.05, "0.05"), (1e6, "1,000,000"), (2.0, "2"), (0, "0"), (1e-5, "0.00001"), (1e-7, "1e-07"), (1e300, "1e+300")],
)
def test_ticks_have_as_many_digits_as_they_need(value: float, text: str) -> None:
    assert tick_text(value) == text


def test_narrow_ranges_have_distinct_ticks_without_an_offset() -> None:
    with style():
        fig = canvas(height_in=2)
        axes = fig.subplots()
        axes.plot(np.array([0.0, 1.0]), 1000 + np.array([0.0, 1e-3]))
        made = finish(fig, key="k", title="t", caption="c", description="d").svg

    labels = [label for label in re.findall(r"<text[^>]*>([^<]+)</text>", made) if label.startswith("1000")]
    assert len(set(labels)) == len(labels) > 2
    assert "+1" not in made
