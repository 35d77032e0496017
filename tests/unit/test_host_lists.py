"""Lists of host names in the notation of Slurm."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stressbench.formats.host_lists import host_list, parse_hosts

NAMES = st.builds(
    "{}{:0{}}{}".format,
    st.sampled_from(("n", "r1n", "a-", "", "9x")), st.integers(0, 130), st.integers(1, 4),
    st.sampled_from(("", ".site", "-ib0", "x7")),
)  # fmt: skip


@given(st.lists(NAMES | st.from_regex(r"[a-z0-9._-]{1,12}", fullmatch=True), min_size=1, max_size=40))
def test_a_list_gives_the_names_back_in_their_order(hosts: list[str]) -> None:
    assert list(parse_hosts(host_list(hosts), max_hosts=40)) == hosts


@pytest.mark.parametrize(
    ("hosts", "text"),
    [
        (["n1", "n2", "n3", "n7"], "n[1-3,7]"),
        (["node0511", "node0512", "node0600"], "node[0511-0512,0600]"),
        (["n9", "n10", "n11"], "n[9-11]"),
        (["n9", "n010"], "n[9,010]"),
        (["r1n1.site", "r1n2.site", "r2n1.site"], "r1n[1-2].site,r2n1.site"),
        (["10.0.0.1", "10.0.0.2"], "10.0.0.[1-2]"),
        (["n1", "n1", "n2"], "n[1,1-2]"),
        (["login", "login", "n1"], "login,login,n1"),
    ],
)
def test_lists_are_written_as_the_engine_writes_them(hosts: list[str], text: str) -> None:
    """The same examples as in tests/engine/serial/host_list_test.cpp."""
    assert host_list(hosts) == text
    assert list(parse_hosts(text, max_hosts=len(hosts))) == hosts


@pytest.mark.parametrize("text", ["", "n1,", ",n1", "n[1-2", "n1]", "n[]", "n[1-]", "n[a]", "n[1][2]", "n 1", "n[2-1]"])
def test_what_is_no_list_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        parse_hosts(text, max_hosts=100)


@pytest.mark.parametrize("text", ["n[0-999999999999999999]", "n[1-2],m[1-3]", "a,b,c,d,e"])
def test_more_hosts_than_nodes_are_refused_before_they_are_made(text: str) -> None:
    with pytest.raises(ValueError, match="expected at most 4 hosts"):
        parse_hosts(text, max_hosts=4)


@pytest.mark.parametrize("name", ["", "a b", "a,b", "a[1]", "a\n"])
def test_a_name_with_a_separator_cannot_be_listed(name: str) -> None:
    with pytest.raises(ValueError, match="without blanks, commas and brackets"):
        host_list(["n1", name])
