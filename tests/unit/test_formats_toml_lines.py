"""Where keys stand in a TOML text."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressbench.formats.toml.lines import line_of, lines_of

TEXT = """\
# a comment with [brackets] and = signs
about = "one # two"
long = '''
[not a table]
x = 1
'''
[hosts]        # behind a header
count = 3
"quoted key" = { a = 1, b = [1, 2] }

[[link]]
between = [
  "h0",  # first
  "s0",
]
rate = "1Gbit"
[[link]]
rate.value = 2
[link.more]
deep = 1
"""


def test_each_key_has_its_line() -> None:
    lines = lines_of(TEXT)

    assert [lines[place] for place in (("about",), ("hosts",), ("hosts", "count"))] == [2, 7, 8]
    assert lines["hosts", "quoted key", "b"] == 9
    assert lines["link", 0, "between", 1] == 14
    assert lines["link", 1, "rate", "value"] == 18
    assert lines["link", 1, "more", "deep"] == 20


@pytest.mark.parametrize("text", ['"""a"""""', '"""a""""', "'''a'''''", '""""""', '""""a"""', "''''a'''", '"""a\\""""'])
def test_a_text_in_three_quotes_may_begin_and_end_in_quotes(text: str) -> None:
    written = f"x = {text}\ny = 1\n"

    assert tomllib.loads(written)["y"] == 1
    assert lines_of(written) == {("x",): 1, ("y",): 2}


def test_what_is_not_written_has_the_line_of_what_is_around_it() -> None:
    lines = lines_of(TEXT)

    assert line_of(lines, ("link", 1, "between")) == 17
    assert line_of(lines, ("nowhere", "at all")) == 1


values = st.recursive(
    st.integers() | st.booleans() | st.text(st.characters(codec="ascii", exclude_categories=["Cc"])),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)
keys = st.text("abcxyz-_09", min_size=1, max_size=5)


def written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return str(value)


@given(st.dictionaries(keys, values, max_size=6), st.integers(0, 3))
def test_any_text_that_can_be_read_has_a_line_for_every_key(table: dict[str, object], blank: int) -> None:
    text = "\n" * blank + "".join(f"{key} = {written(value)}\n" for key, value in table.items())

    lines = lines_of(text)

    assert tomllib.loads(text) == table
    assert [lines[key,] for key in table] == list(range(blank + 1, blank + 1 + len(table)))
