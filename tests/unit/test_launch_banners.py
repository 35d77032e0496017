"""Open MPI's remarks about exit statuses are left out; nothing else is, however the stream is cut."""

import pytest

from stressbench.launch.banners import BannerFilter

RULE = b"-" * 74 + b"\n"
NOISE = RULE + b"Primary job  terminated normally, but 1 process returned\na non-zero exit code.\n" + RULE
MORE_NOISE = RULE + b"mpirun detected that one or more processes exited with non-zero status, thus causing\n" + RULE
DEATH = RULE + b"mpirun noticed that process rank 1 with PID 0 on node a exited on signal 9 (Killed).\n" + RULE


def filtered(*pieces: bytes) -> bytes:
    banners = BannerFilter()
    return b"".join(banners.feed(piece) for piece in pieces) + banners.flush()


def test_a_remark_about_a_quick_agent_is_left_out() -> None:
    banners = BannerFilter()

    shown = banners.feed(b"before\n[h0:42] plm:rsh: Warning: setpgid(47,47) failed in parent with errno=Perm\nafter\n")

    assert shown == b"before\nafter\n"


def test_remarks_about_a_status_are_left_out() -> None:
    assert filtered(b"before\n" + NOISE + MORE_NOISE + b"after\n") == b"before\nafter\n"


def test_the_news_of_a_death_stays() -> None:
    assert filtered(NOISE + DEATH) == DEATH


@pytest.mark.parametrize("cut", [80, 100, len(NOISE) - 1])
def test_a_box_may_come_in_two_pieces(cut: int) -> None:
    assert filtered(NOISE[:cut], NOISE[cut:] + b"after\n") == b"after\n"


def test_progress_without_a_line_end_is_not_held_back() -> None:
    assert BannerFilter().feed(b"\rround 1 of 9") == b"\rround 1 of 9"


def test_a_box_that_never_closes_is_handed_on_at_the_end() -> None:
    assert filtered(RULE + b"Primary job  terminated normally, but") == RULE + b"Primary job  terminated normally, but"


def test_short_dashes_are_text() -> None:
    assert BannerFilter().feed(b"--- table ---\n----\n") == b"--- table ---\n----\n"


STATUS = b'{"kind":"rank_status","rank":6,"job":"In \\"cast\\"","motif":"incast","round":7}\n'


@pytest.mark.parametrize("cut", range(1, len(STATUS)))
def test_a_status_may_come_in_two_pieces(cut: int) -> None:
    whole = filtered(b"\rround 1 of 9" + STATUS + b"after\n")

    assert filtered(b"\rround 1 of 9" + STATUS[:cut], STATUS[cut:] + b"after\n") == whole
    assert filtered(RULE + STATUS[:cut], STATUS[cut:]) == filtered(RULE + STATUS)
    assert filtered(STATUS[:cut]) == STATUS[:cut]


def test_a_line_that_is_too_long_for_a_status_is_handed_on() -> None:
    line = STATUS[:-2] + b"x" * 10_000

    assert BannerFilter().feed(line) == line


def test_the_status_of_a_rank_is_shown_as_a_sentence() -> None:
    said = b'stressbench: stop signal received: rank 6 (job In "cast", motif incast), round 7\n'

    assert filtered(b"before\n" + STATUS + b"after\n") == b"before\n" + said + b"after\n"
    assert filtered(STATUS.replace(b'"incast"', b"null")).endswith(b'(job In "cast"), round 7\n')
    assert filtered(b'{"kind":"rank_status","rank":"six"}\n') == b'{"kind":"rank_status","rank":"six"}\n'
