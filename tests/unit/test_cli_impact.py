"""`stressbench impact` as a person meets it, with stand-ins for mpirun and for the engine that probes."""

import json
import re
import signal
import subprocess
from pathlib import Path

import pytest
from support.commands import invoke
from support.fake_lab import lab_hosts
from support.fake_place import environment, folder, interrupt, run_command, running
from support.schemas import schema_faults
from support.sensitivities import victim
from support.traces import ring

from stressbench.experiments.interference.spec import probe_pairs
from stressbench.formats.profiles.profile import read_profile
from stressbench.formats.profiles.store import Store
from stressbench.launch.lab import LabTarget

__all__ = ["folder"]

SHORT = ("-n", "1", "--every", "5ms", "--idle", "500ms")
TWICE = (signal.SIGINT, signal.SIGTERM)
BUSY = "touch busy; elapse 1200; rm busy"


def stressbench(folder: Path, *words: str, on_lab: bool = False, **more: str) -> subprocess.CompletedProcess[str]:
    return run_command("impact", folder, *words, on_lab=on_lab, **more)


def test_latencies_and_utilisation_of_a_program_on_a_lab(folder: Path) -> None:
    ended = stressbench(
        folder, *SHORT, "--pairs", "2", "-o", "app.json", "--", "sh", "-c", f"echo mine; {BUSY}",
        on_lab=True, FAKE_HOSTS="h0,h1,h2,h3",
    )  # fmt: skip

    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("mine\nsh: probes of 1,024 B by 2 pairs every 5.00 ms\n")
    rows = [re.split(r"\s{2,}", line.strip()) for line in ended.stdout.splitlines()]
    idle, beside = (next(row for row in rows if row[0] == name) for name in ("idle", "beside it"))
    assert 95 < float(idle[2]) < 105
    assert 130 < float(beside[2]) < 155
    reported = re.search(r"^utilisation: (\S+) % \[", ended.stdout, re.MULTILINE)
    assert reported is not None
    assert 40 < float(reported[1]) < 52  # waits of 50 us at the most beside a service of 100, whose rest is 50
    assert "h0 - h1" in ended.stdout and "h2 - h3" in ended.stdout
    kept = read_profile(folder / "app.json")
    assert (kept.application, kept.probe.pairs, kept.probe.averaged) == ("sh", 2, 2)
    assert kept.alone_s == ()
    assert kept.impact is not None and kept.impact.times_s is not None
    assert set(kept.impact.probes.pairs.tolist()) == set(kept.idle.pairs.tolist()) == {0, 1}
    assert 0.8 < sum(kept.impact.probes.stands_for_s or ()) / 2 / 1.2 < 1.05  # two pairs, for as long as the program
    assert sorted(path.name for path in folder.iterdir()) == ["app.json", "bad.sb", "demo.sb"]


def test_on_one_host_there_is_no_utilisation_of_a_switch(folder: Path) -> None:
    ended = stressbench(folder, *SHORT, "--no-after", "--json", "--", "sh", "-c", BUSY)

    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert schema_faults("impact", found) == []
    assert found["ours"]["value"] is None
    assert "go through memory, not through a switch" in found["ours"]["reason"]
    assert found["idle"]["mean_s"] == pytest.approx(100e-6, rel=0.05)
    assert found["drift"] is None
    assert (found["application"], found["ranks"]) == ("sh", 1)


def test_probes_count_from_the_program_s_start_to_its_end_only(folder: Path) -> None:
    """It is idle for as long as it is busy: its middle says so, and nothing of the time around it."""
    ended = stressbench(
        folder, *SHORT, "--pairs", "1", "--json", "--", "sh", "-c", "touch busy; elapse 1000; rm busy; elapse 1000",
        on_lab=True, FAKE_HOSTS="h0,h1",
    )  # fmt: skip

    found = json.loads(ended.stdout)
    first, second = found["phases"]
    assert first["began_s"] == pytest.approx(0.01, abs=0.01)  # the program's start, and the pause before a probe
    assert first["ended_s"] == pytest.approx(second["began_s"])
    assert (first["utilisation"] > 0.4, second["utilisation"] < 0.1) == (True, True)
    assert (first["ended_s"], second["ended_s"]) == pytest.approx((1.01, 2.01), abs=0.02)


def test_probes_count_from_mpi_init(folder: Path) -> None:
    """Its trace says that it called MPI_Init half a second before its end, and it is busy before."""
    ring(2).write(folder.parent)
    ended = stressbench(
        folder, *SHORT, "--pairs", "1", "--no-after", "--effect", "1", "--json", "--", "sh", "-c",
        "touch busy; elapse 1000; rm busy; elapse 500; cp ../made.trace $STRESSBENCH_TRACE_OUTPUT",
        on_lab=True, FAKE_HOSTS="h0,h1",
    )  # fmt: skip

    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["ours"]["value"] < 0.1
    assert 480 < found["loaded"]["count"] <= 500
    assert (found["effect"]["with_probes_s"], found["effect"]["without_s"]) == ([0.5], [0.5])


def test_a_workload_runs_as_a_program_does(folder: Path) -> None:
    ended = stressbench(folder, *SHORT, "--rounds", "3", "demo.sb")

    assert ended.returncode == 0, ended.stderr
    assert "workload demo.sb 3 rounds" in ended.stdout
    assert "demo.sb: probes of 1,024 B by 1 pair" in ended.stdout


def test_what_probes_do_to_the_program_is_measured_in_pairs_of_runs(folder: Path) -> None:
    ended = stressbench(
        folder, *SHORT, "--no-after", "--effect", "1", "--json", "--store", "kept", "--name", "busy",
        "--machine", "here", "--", "elapse", "600",
    )  # fmt: skip

    assert ended.returncode == 0, ended.stderr
    effect = json.loads(ended.stdout)["effect"]
    assert effect["with_probes_s"] == pytest.approx([0.61])
    assert effect["without_s"] == pytest.approx([0.61])
    assert effect["ratio"]["centre"] == pytest.approx(1)
    assert ended.stderr.count("with probes\n") == 1
    assert ended.stderr.count("without probes\n") == 1
    kept = read_profile(folder / "kept" / "here" / "busy.json")
    assert len(kept.alone_s) == 1


def test_a_page_has_what_was_measured_with_its_cautions(folder: Path) -> None:
    ended = stressbench(
        folder, *SHORT, "--every", "2ms", "--no-after", "--name", "busy", "--machine", "here", "--report", "busy.html",
        "--", "sh", "-c", BUSY,
    )  # fmt: skip

    assert ended.returncode == 0, ended.stderr
    assert "wrote busy.html" in ended.stderr
    page = (folder / "busy.html").read_text(encoding="utf-8")
    assert "<h1>busy on here</h1>" in page and '<figure id="profile1-latencies">' in page
    assert "go through memory, not through a switch" in page and '<figure id="profile1-phases">' not in page
    assert '<li class="warning">Probes themselves keep the switch busy up to 1' in page
    assert sorted(path.name for path in folder.iterdir()) == ["bad.sb", "busy.html", "demo.sb"]


def test_figures_of_the_profile_are_files_with_data_and_name_their_source(folder: Path) -> None:
    ended = stressbench(
        folder,
        *SHORT,
        "--every",
        "2ms",
        "--no-after",
        "-o",
        "busy.json",
        "--figures",
        "figures",
        "--",
        "sh",
        "-c",
        BUSY,
    )

    assert ended.returncode == 0, ended.stderr
    index = json.loads((folder / "figures" / "figures.json").read_text(encoding="utf-8"))
    assert [one["name"] for one in index["figures"]] == ["latencies"]
    assert all(one["data"]["rows"] > 0 for one in index["figures"])
    assert [source["path"] for source in index["sources"]] == ["busy.json"]
    assert f"figures has {len(list((folder / 'figures').iterdir()))} files" in ended.stderr


def test_compressions_that_were_read_by_other_probes_are_not_mixed_with_new_ones(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", environment(folder.parent)["PATH"])
    Store(folder=folder / "kept").save(victim({0.3: 1.5}, name="sleep"))
    words = [*SHORT, "--store", "kept", "--machine", "lab", "--name", "sleep", "sleep", "1"]

    ended = invoke(["impact", *words])

    assert ended.exit_code == 2
    assert (
        "--store: the congestion levels of sleep were probed by 2 pairs, 1024 B, every 0.1 s, the mean of 1, "
        "not by 1 pair," in ended.stderr
    )


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 7", "sh ended with status 7 after"),
        ("touch busy; elapse 600; exit 9", "sh ended with status 9 after 0.61 s"),
        ("exec gone-program", "sh ended with status 127"),
        ("kill -9 $$", "sh ended with status 137"),
    ],
)
def test_a_program_that_fails_is_named_with_its_status_and_nothing_is_claimed(
    folder: Path, script: str, said: str
) -> None:
    ended = stressbench(folder, *SHORT, "-o", "app.json", "--", "sh", "-c", script)

    assert ended.returncode == 3
    assert said in ended.stderr
    assert "no result is reported for a program that fails" in ended.stderr
    assert ended.stdout == ""
    assert running(folder) == []
    assert sorted(path.name for path in folder.iterdir() if path.name != "busy") == ["bad.sb", "demo.sb"]


def test_a_program_that_is_too_short_is_an_error_that_says_how_long_it_must_run(folder: Path) -> None:
    ended = stressbench(folder, "-n", "1", "--every", "50ms", "--idle", "1500ms", "--", "true")

    assert ended.returncode == 3
    assert "true took 0.01 s, too short" in ended.stderr
    assert "at least 30 probes are needed, which takes 1.5 s with 1 pair every 50 ms" in ended.stderr
    assert "idle, after" not in ended.stderr
    assert ended.stderr.count("with probes") == 1
    assert running(folder) == []


def test_a_short_program_runs_again_until_it_has_been_probed_often_enough(folder: Path) -> None:
    """A round of the fake, 50 ms, has 22 probes, the last of which ends after the program."""
    ended = stressbench(
        folder, "-n", "1", "--every", "45ms", "--idle", "1500ms", "--no-after", "--json", "--", "elapse", "50"
    )

    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.count("elapse on 1 rank, with probes") == 2
    assert "elapse was probed 21 times; at least 30 probes are needed, so that it runs again" in ended.stderr
    found = json.loads(ended.stdout)
    assert found["loaded"]["count"] == 42
    assert found["effect"]["with_probes_s"] == pytest.approx([0.06] * 2)


def test_a_program_that_prints_nothing_is_as_good_as_any(folder: Path) -> None:
    ended = stressbench(folder, *SHORT, "--no-after", "--", "elapse", "800")

    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("elapse: probes of")


def test_children_that_a_program_leaves_behind_are_ended(folder: Path) -> None:
    """They keep its output open, and one of them hears no signal."""
    script = "sleep 31415 & sh -c 'trap \"\" INT TERM USR1 HUP; sleep 31415; sleep 31415' & elapse 800"

    ended = stressbench(folder, *SHORT, "--no-after", "--", "sh", "-c", script)

    assert ended.returncode == 0, ended.stderr
    assert re.search(r"sh left \d processes behind, which were terminated", ended.stderr)
    assert running(folder) == []


def test_a_program_that_forks_and_goes_is_over_when_its_first_process_is(folder: Path) -> None:
    ended = stressbench(folder, *SHORT, "--", "sh", "-c", "setsid sleep 27182 >/dev/null 2>&1 & exit 0")

    assert ended.returncode == 3
    assert "sh left a process behind, which was terminated" in ended.stderr.replace("were", "was")
    assert "sh took 0.01 s" in ended.stderr
    assert running(folder) == []


def test_the_time_limit_ends_a_program_that_hears_nothing_and_what_was_seen_counts(folder: Path) -> None:
    script = "trap '' INT TERM USR1 HUP; touch busy; while :; do elapse 100; done; : 16180"

    ended = stressbench(
        folder, *SHORT, "--time-limit", "1s", "-o", "app.json", "--", "sh", "-c", script
    )  # fmt: skip

    assert ended.returncode == 0, ended.stderr
    assert "sh was ended at --time-limit" in ended.stderr
    kept = read_profile(folder / "app.json")
    assert kept.impact is not None and kept.impact.times_s is None
    assert running(folder) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_the_program_and_its_probes(folder: Path, number: int) -> None:
    words = (*SHORT, "--", "sh", "-c", "touch ../here; sleep 14142")

    status, said = interrupt("impact", folder, words, requests=(number,))

    assert status == 130, said
    assert f"{signal.Signals(number).name}: ending the program and its probes; once more ends all now" in said
    assert "interrupted; sh and its probes were terminated, no result is reported" in said
    assert running(folder) == []
    assert sorted(path.name for path in folder.iterdir()) == ["bad.sb", "demo.sb"]


def test_a_second_ctrl_c_ends_a_program_that_hears_none(folder: Path) -> None:
    script = "trap '' INT TERM USR1 HUP; touch ../here; while :; do elapse 100; done; : 17320"

    status, said = interrupt("impact", folder, (*SHORT, "--", "sh", "-c", script), requests=TWICE)

    assert status == 130, said
    assert running(folder) == []


def test_ctrl_c_before_the_program_ends_the_probes(folder: Path) -> None:
    words = (*SHORT, "--", "touch", "started")

    status, said = interrupt("impact", folder, words, FAKE_PROBES="wait 1")

    assert status == 130, said
    assert "idle, before: probes ended early; no result is reported" in said
    assert not (folder / "started").exists()
    assert running(folder) == []


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("refuse", "idle, before: probes ended early"),
        ("die", "probes ended with status 3 while sh was running, which was terminated; no result is reported"),
    ],
)
def test_probes_that_fail_end_everything(folder: Path, what: str, said: str) -> None:
    ended = stressbench(folder, *SHORT, "--", "sh", "-c", "elapse 500; sleep 22360", FAKE_PROBES=what)

    assert ended.returncode == 3
    assert said in ended.stderr
    assert running(folder) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "Missing argument"),
        ("true", "-n is missing, for example -n"),
        ("-n 0 true", "-n: 0 is not at least 1"),
        ("-n 1 gone-program", "gone-program: there is no such executable program"),
        ("-n 1 gone.sb", "gone.sb does not exist"),
        ("-n 1 bad.sb", "bad.sb was refused"),
        ("-n 1 --rounds 3 true", "--rounds 3: is for workloads, W.sb; true is a program"),
        ("-n 1 --ranks-per-node 1 true", "--ranks-per-node 1: is for workloads"),
        ("-n 1 --rounds 0 demo.sb", "--rounds: 0 is not at least 1"),
        ("-n 1 --effect 0 true", "--effect: 0 is not at least 1"),
        ("-n 1 --pairs 0 true", "--pairs: 0 is not at least 1"),
        ("-n 1 --pairs 2 true", "--pairs: 2 pairs need 4 hosts; --on local has 1 host"),
        ("-n 1 --size many true", "--size: 'many' must be a size above 0"),
        ("-n 1 --every 100 true", "--every: '100' must be a time with its unit"),
        ("-n 1 --idle 0s true", "--idle: '0s' must be a time"),
        ("-n 1 --idle 2s true", "--idle: 2s is too short: at least 30 probes are needed, which takes 3 s"),
        ("-n 1 --time-limit soon true", "--time-limit: 'soon' must be a time"),
        ("-n 1 --name a/b true", "--name: 'a/b' must be letters, digits"),
        ("-n 1 --machine ../x true", "--machine: '../x' must be letters, digits"),
        ("-n 1 -o app.txt true", "--output: app.txt should end in .json"),
        ("-n 1 --report app.json true", "--report: app.json should end in .html"),
        ("-n 1 --figures demo.sb true", "--figures: demo.sb is not a directory; name a new one"),
        ("-n 1 --force true", "--force: expected --figures DIR, in which it replaces figures"),
        ("-n 1 -o gone/app.json true", "gone is not a directory"),
        ("-n 1 --store demo.sb true", "--store: demo.sb is not a directory"),
        ("-n 1 --engine gone true", "--engine: gone does not exist"),
        ("-n 1 --on cray true", "--on: 'cray': expected local"),
        ("--on simgrid:tiny true", "two programs cannot run side by side in a simulation"),
    ],
)
def test_a_mistake_gives_one_message_and_status_2_before_anything_starts(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(folder)
    for name, value in environment(folder.parent, FAKE_LAUNCHES=str(folder / "launches")).items():
        monkeypatch.setenv(name, value)

    ended = invoke(["impact", "--seed", "1", *words.split()])

    assert ended.exit_code == 2, ended.output
    assert message in " ".join(ended.stderr.split())
    assert not (folder / "launches").exists()


@pytest.mark.parametrize(("hosts", "pairs"), [(4, None), (5, None), (4, 2)])
def test_all_hosts_of_a_lab_are_paired_two_by_two(hosts: int, pairs: int | None) -> None:
    place = LabTarget(name="x", hosts=lab_hosts(*[4] * hosts), enter=())

    assert probe_pairs(place, pairs, target_name="lab:x") == 2


def test_help_teaches_by_example() -> None:
    assert "stressbench impact --on lab:tiny -- hpcc\n" in invoke(["impact", "--help"]).stdout
