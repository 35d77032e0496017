"""`stressbench compress` as a person meets it, with stand-ins for mpirun and for the engine that probes and rings."""

import json
import re
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from support.commands import invoke
from support.fake_place import START_MS, environment, folder, interrupt, run_command, running
from support.schemas import schema_faults
from support.sensitivities import aggressor, sample, victim
from support.traces import ring

from stressbench.experiments.scratch import scratch_directory
from stressbench.formats.profiles.profile import Latencies, ProbeSettings, read_profile
from stressbench.formats.profiles.store import Store

__all__ = ["folder"]

SHORT = ("-n", "1", "--every", "5ms", "--idle", "500ms", "--runs", "1")
TWO_RINGS = ("--bubbles", "10us,1ms", "--partners", "1", "--messages", "1")
SLOWED = "elapse $(cat ring 2>/dev/null || echo 400)"
PROBES = ProbeSettings(pairs=1, message_bytes=1024, interval_s=0.005, averaged=2)


def stressbench(folder: Path, *words: str, on_lab: bool = False, **more: str) -> subprocess.CompletedProcess[str]:
    return run_command("compress", folder, *words, on_lab=on_lab, **more)


def test_rings_their_utilisation_and_what_they_do_to_a_program_on_a_lab(folder: Path) -> None:
    ended = stressbench(
        folder, *SHORT, "--runs", "2", "--levels", "3", "--clock", "2.5GHz", "-o", "app.json", "--", "sh", "-c", SLOWED,
        on_lab=True, FAKE_HOSTS="h0,h1,h2,h3",
    )  # fmt: skip

    assert ended.returncode == 0, ended.stderr
    assert "isolated (2 runs), beside rings on 4 hosts with messages of 40 KiB" in ended.stdout
    rows = [re.split(r"\s{2,}", line.strip()) for line in ended.stdout.splitlines() if "µs" in line or "ms " in line]
    assert len([row for row in rows if row[0] in ("1", "3")]) == 3
    kept = read_profile(folder / "app.json")
    assert [one.configuration.pause_s for one in kept.levels][:2] == pytest.approx([0.01, 1e-5])  # lightest, heaviest
    assert [len(one.times_s) for one in kept.levels] == [2, 2, 2]
    assert len(kept.alone_s) == 2
    assert kept.impact is None
    assert kept.provenance.configuration["compressions"] == "3 of 16"
    assert sorted(path.name for path in folder.iterdir()) == ["app.json", "bad.sb", "demo.sb"]
    assert "launches left: 10, about " in ended.stderr  # two runs alone and beside three, the trial, the calibrations
    assert "launches left: 2, about " in ended.stderr


def test_every_number_as_json_slow_downs_follow_the_load(folder: Path) -> None:
    ended = stressbench(
        folder, *SHORT, *TWO_RINGS, "--levels", "all", "--no-after", "--json", "--", "sh", "-c", SLOWED,
        on_lab=True, FAKE_HOSTS="h0,h1,h2,h3",
    )  # fmt: skip

    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert schema_faults("compress", found) == []
    light, heavy = found["levels"]
    assert light["utilisation"]["value"] == pytest.approx(0.4, abs=0.06)
    assert heavy["utilisation"]["value"] == pytest.approx(0.8, abs=0.06)
    assert light["slowdown"]["centre"] == pytest.approx((560 + START_MS) / (400 + START_MS))
    assert heavy["slowdown"]["centre"] == pytest.approx((720 + START_MS) / (400 + START_MS))
    assert heavy["configuration"] == {
        "partners": 1, "messages": 1, "pause_s": pytest.approx(1e-5), "message_bytes": 40960, "pause_after": "partner",
    }  # fmt: skip
    assert (found["ring_nodes"], found["link"], found["drift"]) == (4, None, None)
    assert any("slowdowns have no interval: it takes 4" in one for one in found["cautions"])


def test_the_start_of_a_program_with_mpi_is_not_in_its_times(folder: Path) -> None:
    """Whatever its launch takes, its trace says half a second."""
    ring(2).write(folder.parent)
    program = f"{SLOWED}; cp ../made.trace $STRESSBENCH_TRACE_OUTPUT"
    options = (*SHORT, *TWO_RINGS, "--bubbles", "1ms", "--no-after", "-o", "app.json")

    ended = stressbench(folder, *options, "--", "sh", "-c", program, on_lab=True, FAKE_HOSTS="h0,h1")

    assert ended.returncode == 0, ended.stderr
    kept = read_profile(folder / "app.json")
    assert kept.alone_s == pytest.approx([0.5])
    assert [one.times_s for one in kept.levels] == [pytest.approx([0.5])]

    ended = stressbench(folder, *options, "--", "sh", "-c", f"[ -e ring ] && exec elapse 500; {program}")

    assert ended.returncode == 3
    assert "sh did not call MPI_Finalize this time, so that its time is unknown" in ended.stderr


def test_a_link_s_packets_take_the_place_of_the_assumption_that_they_are_like_probes(folder: Path) -> None:
    """A packet takes ten times as long as a probe, so the same waits are those of a tenth of the load."""
    ended = stressbench(
        folder, *SHORT, *TWO_RINGS, "--bubbles", "1ms", "--no-after", "--json", "--link", "10Mbit", "--packet",
        "1250B", "-o", "app.json", "--", "sh", "-c", SLOWED, on_lab=True, FAKE_HOSTS="h0,h1",
    )  # fmt: skip

    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    (level,) = found["levels"]
    assert level["utilisation"]["value"] == pytest.approx(33e-6 / (33e-6 + 500e-6), abs=0.01)
    assert (found["link"], found["packet"]) == ("10Mbit", "1250B")
    assert read_profile(folder / "app.json").provenance.configuration["packet"] == "1250B"


def test_on_one_host_there_is_no_utilisation_and_an_impact_stays_in_the_store(folder: Path) -> None:
    known = replace(aggressor(0.3, name="sh"), probe=PROBES, idle=Latencies(latencies_s=sample(0.0)))
    Store(folder=folder / "kept").save(known)

    ended = stressbench(
        folder, *SHORT, *TWO_RINGS, "--store", "kept", "--machine", "lab", "--no-after", "--report", "sh.html", "--",
        "sh", "-c", SLOWED,
    )  # fmt: skip

    assert ended.returncode == 0, ended.stderr
    assert "go through memory, not through a switch" in ended.stdout
    assert re.search("CAUTION: idle latencies are [0-9.]+ times those of the stored impact of sh", ended.stderr)
    assert "sh.json, with the impact that it had" in ended.stderr
    kept = read_profile(folder / "kept" / "lab" / "sh.json")
    assert kept.impact == known.impact
    assert len(kept.levels) == 2
    assert kept.idle.latencies_s[: len(known.idle.latencies_s)] == known.idle.latencies_s
    assert len(kept.idle.latencies_s) > len(known.idle.latencies_s) + 30
    assert len(kept.alone_s) == 1
    page = (folder / "sh.html").read_text(encoding="utf-8")
    assert "<h1>sh on lab</h1>" in page
    assert "It was run beside 2 rings; the utilisation of the switch is unknown." in page
    assert "2 of 2 slowdowns have no interval: it takes 4 isolated and 4 contended times." in page
    assert "beside it, n = 60" in page  # the impact that the store held


def test_a_workload_is_timed_round_by_round_in_one_launch_beside_each_ring(folder: Path) -> None:
    words = ("-n", "1", "--every", "5ms", "--idle", "500ms", *TWO_RINGS, "--no-after", "--rounds", "5", "-o", "cg.json")

    ended = stressbench(folder, *words, "demo.sb")

    assert ended.returncode == 0, ended.stderr
    assert (
        ended.stdout.count("workload demo.sb 6 rounds") == 3
    )  # alone and beside two rings; the first round is no time
    assert "isolated (5 rounds)" in ended.stdout
    kept = read_profile(folder / "cg.json")
    assert [len(one.times_s) for one in kept.levels] == [5, 5]
    assert kept.alone_s == pytest.approx([0.005] * 5, rel=0.02)
    assert kept.levels[0].times_s == pytest.approx([0.009] * 5, rel=0.02)
    assert kept.provenance.configuration["times"] == "rounds"


KEPT = (*SHORT, "--levels", "3", "--clock", "2.5GHz", "--no-after", "--rings", "rings", "--machine", "lab")
PROGRAM = ("--", "sh", "-c", SLOWED)


def probed(folder: Path) -> int:
    """Launches of probes without a program, so far."""
    return len((folder.parent / "launches-alone").read_text().splitlines())


def test_programs_share_the_probes_of_rings(folder: Path) -> None:
    first = stressbench(folder, *KEPT, "-o", "first.json", *PROGRAM, on_lab=True, FAKE_HOSTS="h0,h1,h2,h3")
    assert first.returncode == 0, first.stderr
    assert probed(folder) == 4

    second = stressbench(folder, *KEPT, "-o", "second.json", *PROGRAM, on_lab=True, FAKE_HOSTS="h0,h1,h2,h3")

    assert second.returncode == 0, second.stderr
    assert probed(folder) == 5  # the idle machine
    assert "probing the ring" not in second.stderr
    assert len(re.findall(r"P=\d M=\d+ B=.*us: probes of 20", second.stderr)) == 3
    one, other = (read_profile(folder / name) for name in ("first.json", "second.json"))
    assert [level.configuration for level in other.levels] == [level.configuration for level in one.levels]
    assert [level.probes for level in other.levels] == [level.probes for level in one.levels]
    assert all(level.times_s for level in other.levels)
    assert other.provenance.configuration["rings of"].count("20") >= 3
    assert "rings of" not in one.provenance.configuration


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("--size", "2KiB"), id="other probes"),
        pytest.param(("--idle", "2s"), id="more probes"),
        pytest.param(("--machine", "other"), id="another machine"),
    ],
)
def test_rings_that_were_probed_in_another_way_are_probed_again(folder: Path, words: tuple[str, ...]) -> None:
    stressbench(folder, *KEPT, *PROGRAM, on_lab=True, FAKE_HOSTS="h0,h1,h2,h3")

    ended = stressbench(folder, *KEPT, *words, *PROGRAM, on_lab=True, FAKE_HOSTS="h0,h1,h2,h3")

    assert ended.returncode == 0, ended.stderr
    assert probed(folder) == 8
    assert "probes of" not in ended.stderr


def test_rings_of_other_hosts_are_probed_again(folder: Path) -> None:
    stressbench(folder, *KEPT, *PROGRAM, on_lab=True, FAKE_HOSTS="h0,h1,h2,h3")

    stressbench(folder, *KEPT, *PROGRAM, on_lab=True, FAKE_HOSTS="h0,h1,h2,h4")

    assert probed(folder) == 8


def test_a_ring_that_sleeps_for_long_is_not_taken_for_one_that_hangs(folder: Path) -> None:
    """A rank of it sleeps 40 s after its messages to each of two partners."""
    words = ("--bubbles", "40s", "--partners", "2", "--messages", "1", "--runs", "1", "--no-after", "--levels", "all")

    ended = stressbench(
        folder, "-n", "1", "--every", "5ms", "--idle", "500ms", *words, "--", "sh", "-c", SLOWED, on_lab=True,
        FAKE_HOSTS="h0,h1,h2", FAKE_LAUNCHES=str(folder.parent / "launches"),
    )  # fmt: skip

    assert ended.returncode == 0, ended.stderr
    launched = (folder.parent / "launches").read_text()
    assert re.findall(r"(probes|ring)\.sb .*--stall-limit (\w+)", launched) == [
        ("probes", "60s"), ("ring", "220s"), ("ring", "220s"),
    ]  # fmt: skip


def test_a_kept_ring_that_cannot_be_read_is_named_and_probed_again(folder: Path) -> None:
    stressbench(folder, *KEPT, *PROGRAM, on_lab=True, FAKE_HOSTS="h0,h1,h2,h3")
    broken, cut, *_ = sorted((folder / "rings" / "lab").glob("P*"))
    broken.write_text("{}\n")
    cut.write_text("".join(cut.read_text().splitlines(keepends=True)[:-1]))

    ended = stressbench(folder, *KEPT, *PROGRAM, on_lab=True, FAKE_HOSTS="h0,h1,h2,h3")

    assert ended.returncode == 0, ended.stderr
    assert f"rings/lab/{broken.name}:1: " in ended.stderr
    assert ": measured again" in ended.stderr
    assert probed(folder) == 7
    assert all(len(one.read_text()) > 1000 for one in (broken, cut))
    assert not list((folder / "rings" / "lab").glob(".*"))


def test_a_machine_that_has_changed_since_the_rings_is_reported(folder: Path) -> None:
    """One way takes 100 us instead of 150. Which rings are selected does not depend on it."""
    (folder / "busy").touch()
    stressbench(folder, *KEPT, "--levels", "6", *PROGRAM, on_lab=True, FAKE_HOSTS="h0,h1,h2,h3")
    (folder / "busy").unlink()

    ended = stressbench(folder, *KEPT, "--levels", "6", *PROGRAM, on_lab=True, FAKE_HOSTS="h0,h1,h2,h3")

    assert ended.returncode == 0, ended.stderr
    assert re.search(r"CAUTION: idle latencies are 0\.6\d times those of 20\S+, when the rings in", ended.stderr)
    assert probed(folder) == 8


def test_a_place_for_rings_where_nothing_can_be_kept_is_named(folder: Path) -> None:
    (folder / "rings").mkdir()
    (folder / "rings" / "lab").write_text("no directory")

    ended = stressbench(folder, *KEPT, *PROGRAM, on_lab=True, FAKE_HOSTS="h0,h1,h2,h3")

    assert ended.returncode == 2
    assert "--rings: rings/lab is not a directory" in ended.stderr
    assert not (folder.parent / "launches-alone").exists()


def test_rings_are_not_probed_without_end(folder: Path) -> None:
    """Beside a heavy ring a round can take ten times as long as on the idle machine."""
    launches = folder.parent / "launches"

    stressbench(folder, *SHORT, *TWO_RINGS, "--no-after", *PROGRAM, FAKE_LAUNCHES=str(launches))

    probes, first, second, *_ = [line for line in launches.read_text().splitlines() if "--contended 2 " in line]
    assert "--time-limit" not in probes
    assert all("--time-limit 30s" in one for one in (first, second))


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 7", "sh ended with status 7 after"),
        ("test ! -e ring || exit 9; elapse 300", "sh ended with status 9 after"),
        ("kill -9 $$", "sh ended with status 137"),
    ],
)
def test_a_program_that_fails_is_named_with_its_status_and_nothing_is_claimed(
    folder: Path, script: str, said: str
) -> None:
    ended = stressbench(folder, *SHORT, *TWO_RINGS, "-o", "app.json", "--", "sh", "-c", script)

    assert ended.returncode == 3
    assert said in ended.stderr
    assert "no result is reported for a program that fails" in ended.stderr
    assert ended.stdout == ""
    assert running(folder) == []
    assert sorted(path.name for path in folder.iterdir() if path.name != "ring") == ["bad.sb", "demo.sb"]


def test_a_program_that_is_mostly_its_start_is_too_short_and_nothing_is_probed(folder: Path) -> None:
    ended = stressbench(folder, *SHORT, "--", "true")

    assert ended.returncode == 3
    assert "too short: starting 1 rank of a program that does nothing takes 0.0" in ended.stderr
    assert "idle, before" not in ended.stderr


def test_a_congestion_level_at_which_the_program_reaches_the_time_limit_is_dropped(folder: Path) -> None:
    """Beside the heavier one it hears nothing; its children go with it."""
    script = (
        "read slowed 2>/dev/null <ring; case $slowed in 7*) trap '' INT TERM USR1 HUP; "
        "while :; do elapse 100; done; : 24683;; esac; sleep 27183 & elapse 300"
    )
    ended = stressbench(
        folder, *SHORT, *TWO_RINGS, "--time-limit", "2s", "--no-after", "-o", "app.json", "--", "sh", "-c", script
    )

    assert ended.returncode == 0, ended.stderr
    assert "sh was ended at --time-limit, after " in ended.stderr
    assert re.search("sh left a process behind|sh left \\d processes behind", ended.stderr)
    assert re.search(r"at least \d+\.\d\d", ended.stdout)
    assert "at 1 of 2 congestion levels the program was ended at --time-limit" in ended.stdout
    assert [one.configuration.pause_s for one in read_profile(folder / "app.json").levels] == [1e-3]
    assert running(folder) == []


def test_ctrl_c_keeps_rings_that_have_times(folder: Path) -> None:
    """The trial is the program's first run, three are alone and beside both rings, and the next is interrupted."""
    script = f"echo >>../runs; test $(wc -l <../runs) -le 4 || {{ touch ../here; sleep 16181; }}; {SLOWED}"
    words = (*SHORT, *TWO_RINGS, "--runs", "50", "-o", "app.json", "--", "sh", "-c", script)

    status, said = interrupt("compress", folder, words)

    assert status == 130, said
    assert re.search(
        r"interrupted; sh (and its probes were|was) terminated; kept 2 congestion levels with 1 times each", said
    )
    kept = read_profile(folder / "app.json")
    assert [len(one.times_s) for one in kept.levels] == [1, 1]
    assert kept.provenance.configuration["interrupted"] == "yes"
    assert running(folder) == []
    assert sorted(path.name for path in folder.iterdir() if path.name != "ring") == ["app.json", "bad.sb", "demo.sb"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_while_rings_are_calibrated_leaves_nothing(folder: Path, number: int) -> None:
    words = (*SHORT, *TWO_RINGS, "-o", "app.json", "--", "elapse", "300")

    status, said = interrupt("compress", folder, words, requests=(number,), FAKE_PROBES="wait 2")

    assert status == 130, said
    assert "P=1 M=1 B=10us: probes ended early; no result is reported" in said
    assert not (folder / "app.json").exists()
    assert running(folder) == []


def test_ctrl_c_in_the_last_round_of_probes_counts(folder: Path) -> None:
    words = (*SHORT, *TWO_RINGS, "-o", "app.json", "--", "elapse", "300")

    status, said = interrupt("compress", folder, words, FAKE_PROBES="last 2")

    assert status == 130, said
    assert "interrupted at the end of P=1 M=1 B=10us" in said
    assert said.count("probing the ring") == 1
    assert not (folder / "app.json").exists()


def test_a_request_to_stop_between_two_launches_leaves_no_folder_of_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)

    with pytest.raises(KeyboardInterrupt), scratch_directory("compress") as files:
        (files / "probes-1.jsonl").write_text("{}")
        assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL  # else this would be the end of all tests
        signal.raise_signal(signal.SIGTERM)

    assert sorted(path.name for path in folder.iterdir()) == ["bad.sb", "demo.sb"]


def test_an_engine_without_the_ring_is_an_error_before_anything_runs(folder: Path) -> None:
    ended = stressbench(folder, *SHORT, "--", "touch", "started", FAKE_PROBES="old")

    assert ended.returncode == 2
    assert "'compression' is not a motif" in ended.stderr
    assert not (folder / "started").exists()


def test_probes_and_ring_that_fail_end_everything(folder: Path) -> None:
    script = "elapse 200; test ! -e ring || { elapse 500; sleep 31622; }"

    ended = stressbench(folder, *SHORT, *TWO_RINGS, "--", "sh", "-c", script, FAKE_PROBES="die")

    assert ended.returncode == 3
    assert (
        "probes and ring ended with status 3 while sh was running, which was terminated; no result is" in ended.stderr
    )
    assert running(folder) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "Missing argument"),
        ("-n 1 gone-program", "gone-program: there is no such executable program"),
        ("-n 1 bad.sb", "bad.sb was refused"),
        ("-n 1 --runs 0 true", "--runs: 0 is not at least 1"),
        ("-n 1 --rounds 3 true", "--rounds 3: is for workloads"),
        ("-n 1 --levels 0 true", "--levels: '0' must be a number, at least 1, or all"),
        ("-n 1 --levels few true", "--levels: 'few' must be a number"),
        ("-n 1 --partners 1,2 true", "--partners: 2 partners need 3 ranks; the ring has 2"),
        ("-n 1 --partners 1,none true", "--partners: '1,none' must be numbers, 1 or more, with commas"),
        ("-n 1 --messages 0 true", "--messages: '0' must be numbers, 1 or more"),
        ("-n 1 --bubbles 10us,soon true", "--bubbles: 'soon' must be a time with its unit"),
        ("-n 1 --bubbles 0 true", "--bubbles: '0' must be a time with its unit"),
        ("-n 1 --clock fast true", "--clock: 'fast' must be a frequency from 1Hz to 1000GHz, such as 2.6GHz"),
        ("-n 1 --message-size big true", "--message-size: 'big' must be a size above 0"),
        ("-n 1 --nodes 1 true", "--nodes: 1 is not at least 2: each rank of a ring sends to another one"),
        ("-n 1 --nodes 3 true", "--nodes: 3 hosts; --on local has 1"),
        ("-n 1 --place random:3 true", "--place: 'random:3': probes share hosts with a ring; expected linear or inter"),
        ("-n 1 --link 10Mbit true", "--link 10Mbit: requires --packet"),
        ("-n 1 --packet 1514B true", "--packet 1514B: requires --link"),
        ("-n 1 --link fast --packet 1514B true", "--link: 'fast': expected a rate in bits per second"),
        ("-n 1 --link 10Mbit --packet x true", "--packet: 'x' must be a size above 0"),
        ("-n 1 --idle 2s true", "--idle: 2s is too short"),
        ("-n 1 --rings demo.sb true", "--rings: demo.sb is not a directory"),
        ("-n 1 -o app.txt true", "--output: app.txt should end in .json"),
        ("-n 1 --report app.json true", "--report: app.json should end in .html"),
        ("-n 1 --figures demo.sb true", "--figures: demo.sb is not a directory; name a new one"),
        ("--on simgrid:tiny true", "two programs cannot run side by side in a simulation"),
    ],
)
def test_a_mistake_gives_one_message_and_status_2_before_anything_starts(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(folder)
    for name, value in environment(folder.parent, FAKE_LAUNCHES=str(folder / "launches")).items():
        monkeypatch.setenv(name, value)

    ended = invoke(["compress", "--seed", "1", *words.split()])

    assert ended.exit_code == 2, ended.output
    assert message in " ".join(ended.stderr.split())
    assert not (folder / "launches").exists()


def test_an_impact_that_was_read_by_other_probes_is_not_mixed_with_new_compressions(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", environment(folder.parent)["PATH"])
    Store(folder=folder / "kept").save(victim({0.3: 1.5}, name="sleep"))

    ended = invoke(["compress", *SHORT, "--store", "kept", "--machine", "lab", "--name", "sleep", "sleep", "1"])

    assert ended.exit_code == 2
    assert "--store: the impact of sleep was probed by 2 pairs, 1024 B, every 0.1 s, the mean of 1" in ended.stderr


def test_help_teaches_by_example() -> None:
    assert "stressbench compress --on lab:tiny --store profiles --report hpcc.html --figures figures -- hpcc\n" in (
        invoke(["compress", "--help"]).stdout
    )
