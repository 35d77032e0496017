"""b_eff sends to whom its definition says on every number of ranks of which the original program's rings are known."""

from pathlib import Path

import pytest
from support.beff_messages import RINGS, captured_messages, defined_messages


@pytest.mark.parametrize("ranks", RINGS)
def test_every_message_goes_where_the_definition_says(engine, tmp_path: Path, ranks: int) -> None:
    assert captured_messages(engine, tmp_path, ranks) == defined_messages(ranks)
