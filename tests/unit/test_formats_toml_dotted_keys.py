"""Keys of very many parts are found where they are keys."""

import tomllib

import pytest

from stressbench.formats.toml.dotted_keys import long_key

MANY = ".".join("abcd")


@pytest.mark.parametrize(
    "text",
    [
        f"{MANY} = 1",
        f"x = 1\n{MANY} = 1",
        f"[{MANY}]",
        f"[[{MANY}]]",
        "[ a . b\t.\tc .d ]",
        'a."b.c".\'d\'."" = 1',
        f"x = {{ y = 1, {MANY} = 2 }}",
        f"x = [1, {{ {MANY} = 2 }}]",
        f"x = '''\n'''\n{MANY} = 1",
        f'x = """a \\""" "" b"""""\n{MANY} = 1',
        f"x = \"\"\ny = ''\n{MANY} = 1",
        f"x = '\\'\n{MANY} = 1",
        f"x = 1 # it's\n{MANY} = 1",
    ],
)
def test_a_key_of_more_parts_is_found(text: str) -> None:
    tomllib.loads(text)

    assert long_key(text, most_parts=4) is None
    assert long_key(text, most_parts=3) == min(
        at for at in range(len(text)) if text.startswith(("a.b", "a . b", 'a."b'), at)
    )


@pytest.mark.parametrize(
    "text",
    [
        f'x = "{MANY}"',
        f"x = '{MANY}'",
        f"# {MANY} = 1",
        f'x = """\n{MANY} = 1\n\\""" {MANY}"""',
        f"x = '''\n{MANY} = 1\n'''",
        "a.b = 1\nc.d = 2",
        "x = [1.5, 2.5, 3.5, 4.5]",
        "x = 1979-05-27T07:32:00.999\ny = 1.0e3",
        f'x = "an open text\n{MANY} = 1',
        f'x = """an open text\n{MANY} = 1',
    ],
)
def test_texts_comments_and_numbers_are_no_keys(text: str) -> None:
    assert long_key(text, most_parts=3) is None


@pytest.mark.parametrize("unit", ["a.", '"""\\', "'", '"', "''' ", " ", "a .", '"a".', "#", '""""""'])
def test_any_megabyte_is_scanned(unit: str) -> None:
    """Each of them in one pass: with a search from each place to the end the test would not end."""
    text = (unit * (1 << 20))[: 1 << 20]

    assert long_key(text, most_parts=1 << 20) is None
