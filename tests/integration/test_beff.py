"""b_eff sends to whom its definition says, and its number follows from its protocol."""

import json
from collections import Counter

import pytest
from support.beff_messages import captured_messages, defined_messages


@pytest.mark.parametrize("ranks", [7, 8, 14])
def test_every_message_goes_where_the_definition_says(engine, tmp_path, ranks) -> None:
    """tests/nightly/test_beff_messages.py has more ranks; tests/engine/serial/b_eff_test.cpp all lengths of rings."""
    assert captured_messages(engine, tmp_path, ranks) == defined_messages(ranks)


def test_the_number_is_computed_again_from_its_protocol(stressbench, tmp_path) -> None:
    protocol = tmp_path / "four.jsonl"
    measured = stressbench("beff", "-n", "4", "--lmax", "32KiB", "--quick", "--extra", "-o", protocol, "--json")
    assert measured.status == 0, measured.text
    found = json.loads(measured.output)

    assert found["b_eff"] == pytest.approx(found["claimed"], rel=1e-12)
    assert Counter(one["kind"] for one in found["patterns"])["ring"] == 6
    assert {len(one["best"]) for one in found["patterns"]} == {21}
    assert found["reduced"] == ["6 random patterns instead of 30", "1 attempt instead of 3"]
    again = stressbench("beff", "--from", protocol, "--json")
    assert json.loads(again.output) == found
    refused = stressbench("beff", "-n", "4", "-o", protocol)
    assert refused.status == 2
    assert "already exists" in refused.errors


@pytest.mark.parametrize(("lmax", "length"), [("12", 12), ("4KiB", 4096)])
def test_bad_values_are_refused_before_anything_starts(stressbench, lmax: str, length: int) -> None:
    """With 4 KiB the last nine sizes would be the same, so that no number could be told from the protocol."""
    refused = stressbench("beff", "-n", "2", "--lmax", lmax)

    assert refused.status == 2
    assert f"--lmax, --memory: the longest message would have {length} bytes; b_eff needs 4104" in refused.text
