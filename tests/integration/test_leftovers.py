"""What ranks leave that are killed together with their launcher."""

import os
import re
import signal
from pathlib import Path

from support.programs import own_copy, ranks_of, stands_still, wait_until

from stressbench.launch.leftovers import find, remove

SEGMENT = re.compile(r"/dev/shm/vader_segment\.\S+")


def mapped(pid: int) -> set[Path]:
    try:
        return {Path(name) for name in SEGMENT.findall(Path(f"/proc/{pid}/maps").read_text())}
    except OSError:
        return set()


def test_what_killed_ranks_and_their_launcher_leave_is_found_only_when_they_are_dead(engine, tmp_path):
    engine = own_copy(engine, tmp_path)
    (tmp_path / "one.sb").write_text("[JOB_NAME] a\n[NID_LIST] 0,1\n[MOTIF] allreduce\n", encoding="utf-8")
    words = (
        "run",
        tmp_path / "one.sb",
        "--ranks-per-node",
        "1",
        "--min-time",
        "300s",
        "--isolated",
        "1",
        "--contended",
        "1",
    )

    with engine.started(*words, ranks=2, environment={"TMPDIR": str(tmp_path)}) as launcher:
        wait_until(lambda: [len(mapped(pid)) for pid in ranks_of(engine.program)] == [2, 2], "ranks share memory")
        ranks = ranks_of(engine.program)
        segments = mapped(ranks[0])
        alive = {left.path for left in find([Path("/dev/shm"), tmp_path], user=os.geteuid())}
        launcher.send_signal(signal.SIGSTOP)  # it would clean up
        wait_until(lambda: stands_still(launcher.pid), "the launcher stands still")
        for pid in ranks:
            os.kill(pid, signal.SIGKILL)
        launcher.kill()
        launcher.wait()
        wait_until(lambda: not ranks_of(engine.program), "ranks are dead")

    left = find([Path("/dev/shm"), tmp_path], user=os.geteuid())
    ours = [one for one in left if one.path in segments or one.folder == tmp_path]
    for one in ours:
        remove(one)

    sessions = {one.path for one in ours if one.folder == tmp_path}
    assert not alive & (segments | sessions)
    assert segments < {one.path for one in ours}
    assert [path.name.partition(".")[0] for path in sessions] == ["pid"]
    assert not [path for path in (*segments, *sessions) if path.exists()]
