"""What hostile files made readers do once, each with the smallest file that did it."""

import gzip
import io
import os
import re
import shutil
import tarfile
import zlib
from pathlib import Path

import pytest
from support.builders import build_run
from support.commands import CommandResult, invoke
from support.golden import KEPT
from support.traces import MadeRank, MadeTrace, line_of, send

HOSTS = '[hosts]\ncount = {}\n[[rail]]\nrate = "{}"\n[topology]\n'
STUDY = 'seed = {}\nrepetitions = {}\n[factors]\nworkload = "w.sb"\nranks = 2\n'


def result_of(*words: str | Path) -> CommandResult:
    return invoke([str(word) for word in words])


def refused(*words: str | Path) -> str:
    """The one message."""
    ended = result_of(*words)
    assert ended.exit_code == 2, (ended.exception, ended.output)
    assert ended.stdout == ""
    return " ".join(ended.stderr.split())


def written(folder: Path, text: str | bytes, name: str) -> Path:
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder / name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HOSTS.format(2, "1Gbit") + "kind = {}", "unknown kind '{}'"),
        (HOSTS.format(2, "1Gbit") + 'kind = ["single"]', "unknown kind"),
        ("a = " + "[" * 5000, "nested too deeply; expected at most 16 levels"),
        ("a = " + "[" * 20 + "]" * 20, "nested too deeply"),
        ("\n" + "a." * 20_000 + "a = 1", f"lab.toml:2: '{'a.' * 40}...': nested too deeply"),
        ("[" + "a . " * 100_000 + "a]", "nested too deeply"),
        ("a = " + "9" * 5000, "not TOML: "),
        ("a = 9223372036854775808", "expected an integer of at most 64 bits"),
        ("[hosts]\ncount = ", "not TOML: "),
        (HOSTS.format(2, "9" * 400 + "Gbit") + 'kind = "single"', "is too large; expected less than 2^63"),
        (
            HOSTS.format(1000, "1Gbit") + 'kind = "fat-tree"\nhosts_per_leaf = 1\nroots = 1000',
            "1001000 links: expected at most 1200",
        ),
    ],
    ids=["table", "list", "deep", "deep but right", "key", "header", "digits", "bits", "cut off", "rate", "links"],
)
def test_a_lab_file(tmp_path: Path, text: str, said: str) -> None:
    assert said in refused("lab", "draw", written(tmp_path, text, "lab.toml"))


@pytest.mark.parametrize(
    ("seed", "repetitions", "said"),
    [
        (2**63, 1, "expected an integer of at most 64 bits"),
        (1, 100_001, "1 cells, 100001 times each: expected at most 100000 runs"),
        (1, "[" * 3000, "nested too deeply"),
    ],
)
def test_a_study_file(tmp_path: Path, seed: int, repetitions: object, said: str) -> None:
    written(tmp_path, "[JOB_NAME] a\n", "w.sb")

    assert said in refused("study", "plan", written(tmp_path, STUDY.format(seed, repetitions), "s.toml"))


LONG, HALF = "x" * 900_000, "x" * 400_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f'seed = "{LONG}"', f"s.toml:1: seed: '{LONG[:80]}...': expected a whole number"),
        (f"{LONG} = 1", f"s.toml:1: unknown key '{LONG[:80]}...'; known: "),
        (f"seed = [{'1,' * 400_000}1]", f"s.toml:1: seed: [{'1, ' * 26}1...: expected a whole number"),
        (f'[factors]\nworkload = "w.sb"\n[factors.{LONG}]\na = 1', f"unknown key '{LONG[:80]}...'; known: "),
        (f'exclude = [{{{LONG} = "1"}}]\n[factors]\nworkload = "w.sb"\nranks = 1', f"'{LONG[:80]}...'"),
        (f"a = {{{HALF} = 1, {HALF} = 2}}", "not TOML: "),
        (f"[{HALF}]\n[{HALF}]", "not TOML: "),
    ],
    ids=["text", "key", "list", "table", "factor", "pair twice", "table twice"],
)
def test_a_text_of_a_megabyte_is_quoted_in_part(tmp_path: Path, text: str, said: str) -> None:
    ended = refused("study", "plan", written(tmp_path, text, "s.toml"))

    assert said in ended
    assert max(map(len, ended.split("stressbench: "))) < 1000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f'[hosts]\ncount = "{LONG}"', f"hosts.count: '{LONG[:80]}...': expected a whole number"),
        (HOSTS.format(2, LONG) + 'kind = "single"', f"rail.rate: '{LONG[:80]}...': expected"),
        (HOSTS.format(2, "1Gbit") + f'kind = "{LONG}"', f"unknown kind '{LONG[:80]}...'"),
    ],
    ids=["text", "rate", "kind"],
)
def test_a_text_of_a_megabyte_in_a_lab_file(tmp_path: Path, text: str, said: str) -> None:
    ended = refused("lab", "draw", written(tmp_path, text, "lab.toml"))

    assert said in ended
    assert max(map(len, ended.split("stressbench: "))) < 1000


@pytest.mark.parametrize("kind", ["trace type", "trace version", "beff", "run", "profile"])
def test_a_text_of_a_megabyte_in_a_file_of_json(tmp_path: Path, kind: str) -> None:
    corpus = Path(__file__).parents[1] / "corpus"
    trace = {"type": "header", "format": "stressbench-trace", "version": 1}
    text, command = {
        "trace type": (line_of({**trace, "type": LONG}), "trace show"),
        "trace version": (line_of({**trace, "version": LONG}), "trace show"),
        "beff": ((corpus / "beff/beff.jsonl").read_bytes().replace(b'"seed"', f'"{LONG}"'.encode(), 1), "beff --from"),
        "run": (b'{"type":"%s"}\n' % LONG.encode(), "show"),
        "profile": (b'{"%s":1}' % LONG.encode(), "sensitivity"),
    }[kind]

    ended = refused(*command.split(), written(tmp_path, text, "made"))

    assert len(ended) < 1500


def test_a_message_has_a_bounded_length(tmp_path: Path) -> None:
    link = f'[[link]]\nrate = "1Gbit"\nbetween = ["{LONG}", "h1"]'
    text = f'[hosts]\ncount = 2\n[topology]\nkind = "links"\nswitches = ["s"]\n{link}'

    ended = refused("lab", "draw", written(tmp_path, text, "lab.toml"))

    assert "lab.toml:8: link.between: 'xxx" in ended
    assert ended.endswith("' is neither a host nor a switch of this lab")
    assert len(ended) < 10_000


@pytest.mark.parametrize(
    "reader", [("show",), ("trace", "show"), ("beff", "--from"), ("beff-io", "--from"), ("sensitivity",)]
)
def test_what_is_no_regular_file(tmp_path: Path, reader: tuple[str, ...]) -> None:
    os.mkfifo(tmp_path / "fifo")

    assert "is a FIFO; expected a regular file" in refused(*reader, tmp_path / "fifo")
    assert "/dev/zero: is a device; expected a regular file" in refused(*reader, "/dev/zero")


def test_a_trace_whose_header_is_no_object(tmp_path: Path) -> None:
    line = b'{"type":"header","format":"stressbench-trace",,"crc32":"00000000"}\n'

    assert "made.trace:1: " in refused("trace", "show", written(tmp_path, line, "made.trace"))


def trace_with(folder: Path, **changed: object) -> Path:
    """A trace of one rank whose line has these values."""
    first, rank, *rest = MadeTrace([MadeRank([send(1)], rules=[[[0, 1]]])]).records()
    return written(folder, b"".join(map(line_of, [first, rank | changed, *rest])), "made.trace")


@pytest.mark.parametrize("command", ["show", "diff", "export --profile"])
def test_a_trace_of_loops_in_loops_that_make_2_to_the_63_calls(tmp_path: Path, command: str) -> None:
    rules = [*([[-number, 4611686018427387904]] for number in range(1, 300)), [[0, 1]]]
    path = trace_with(tmp_path, rules=rules)

    said = refused("trace", *command.split(), path, *([path] if command == "diff" else []))

    assert "made.trace:2: rank 0: rules.297: stands for 2^63 calls or more; expected less" in said


@pytest.mark.parametrize("counts", [[0] * 1100 + [1], [0] * 65 + [1]])
def test_a_trace_with_sizes_that_no_message_has(tmp_path: Path, counts: list[int]) -> None:
    path = trace_with(tmp_path, sizes={"p2p": counts})

    said = refused("trace", "show", "--profile", path)

    assert f"made.trace:2: sizes.p2p [{'0,' * 28}...: tuple should have at most 65 items" in said


def test_a_trace_with_the_largest_sizes_is_shown(tmp_path: Path) -> None:
    ended = result_of("trace", "show", "--profile", trace_with(tmp_path, sizes={"p2p": [0] * 64 + [1]}))

    assert (ended.exit_code, ended.exception) == (0, None)
    assert "8589934592 GiB" in ended.stdout


def test_a_trace_whose_rank_has_thousands_of_digits(tmp_path: Path) -> None:
    first, _, *rest = MadeTrace([MadeRank([send(1)])]).records()
    body = line_of({"type": "rank", "rank": 0}).partition(b',"crc32"')[0].replace(b"0", b"9" * 5000)
    sealed = body + b',"crc32":"%08x"}\n' % zlib.crc32(body)
    path = written(tmp_path, b"".join([line_of(first), sealed, *map(line_of, rest)]), "made.trace")

    said = refused("trace", "show", path)

    assert "made.trace:2: " in said
    assert len(said) < 500


def test_a_line_of_a_trace_that_is_no_json(tmp_path: Path) -> None:
    first, rank, *rest = map(line_of, MadeTrace([MadeRank([send(1)])]).records())
    body = rank.partition(b',"crc32"')[0].replace(b'"node":0', b'"node":00')
    path = written(tmp_path, b"".join([first, body + b',"crc32":"%08x"}\n' % zlib.crc32(body), *rest]), "made.trace")

    assert "made.trace:2: invalid JSON: invalid number" in refused("trace", "show", path)


def test_a_trace_that_repeats_nothing_is_shown(tmp_path: Path) -> None:
    """Each rule twice the next: 2^99 times nothing."""
    path = trace_with(tmp_path, rules=[*([[-number, 1], [-number, 1]] for number in range(1, 100)), []])

    ended = result_of("trace", "show", path)

    assert (ended.exit_code, ended.exception) == (0, None)


def test_a_trace_of_more_ranks_than_there_are(tmp_path: Path) -> None:
    records = MadeTrace([MadeRank([send(1)])]).records()
    records[0]["ranks"] = 10**15
    path = written(tmp_path, b"".join(map(line_of, records)), "made.trace")

    assert "expected at most 2097152 ranks" in refused("trace", "diff", path, path)


@pytest.mark.parametrize(
    "damage",
    [
        lambda pack: pack[:-100],
        lambda pack: pack[:6000] + b"\xff" * 40 + pack[6040:],
        lambda pack: b"\x1f\x8b",
        lambda pack: b"",
    ],
    ids=["cut off", "overwritten", "its first bytes", "empty"],
)
def test_a_damaged_archive(tmp_path: Path, damage) -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name in ("top/SHA256SUMS", "top/a"):
            entry = tarfile.TarInfo(name)
            entry.size = 30_000
            archive.addfile(entry, io.BytesIO(str(list(range(10_000))).encode()[:30_000]))

    said = refused("study", "verify", written(tmp_path, damage(made.getvalue()), "made.tar.gz"))

    assert said.startswith(f"stressbench: {tmp_path}/made.tar.gz: cannot be unpacked (")


def test_an_archive_that_unpacks_to_more_than_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stressbench.formats.files.limits.ARCHIVE_UNPACKED", 1 << 20)
    entry = tarfile.TarInfo("top/zeros")
    entry.size = 8 << 20
    plain = entry.tobuf() + bytes(entry.size) + bytes(1024)

    said = refused("study", "verify", written(tmp_path, gzip.compress(plain), "bomb.tar.gz"))

    assert "unpacks to more than 1 MiB, the most that is read" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"folder": "."}', "workloads: field required"),
        ('{"folder": "\\ud800"}', "study-1.json"),
        ("\xff", "study-1.json"),
        ('{"folder": "a\\u0000", "workloads": {}}', "no file can have this name"),
    ],
)
def test_the_origin_of_a_study(tmp_path: Path, text: str, said: str) -> None:
    written(tmp_path, "[JOB_NAME] a\n", "w.sb")
    written(tmp_path, STUDY.format(1, 1), "study-1.toml")
    written(tmp_path, text.encode("latin-1"), "study-1.json")

    assert said in refused("study", "status", tmp_path)


def test_text_of_a_protocol_cannot_steer_the_terminal(tmp_path: Path) -> None:
    corpus = Path(__file__).parents[1] / "corpus" / "beff" / "beff.jsonl"
    text = corpus.read_text(encoding="utf-8").replace('"uniform"', '"\\u001b[31m\\u009b\\u202e"')

    ended = result_of("beff", "--from", written(tmp_path, text, "b.jsonl"))

    assert ended.exit_code == 0
    assert "\\u001b[31m\\u009b\\u202e" in ended.stdout
    assert not {"\x1b", "\x9b", "\u202e"} & set(ended.stdout)


def test_a_timeline_of_more_slices_than_memory(tmp_path: Path) -> None:
    records = MadeTrace([MadeRank([send(1)])]).records()
    classes = {name: [0.0] for name in ("p2p", "coll", "wait", "io", "other")}
    records[1] |= {"wall_s": 1e12, "timeline": {"width_s": 1e-3, **classes}}
    path = written(tmp_path, b"".join(map(line_of, records)), "made.trace")

    assert "expected at most 1,000,000 slices in 1e+12 s" in refused("trace", "export", "--profile", path)


def test_a_time_that_is_no_time(tmp_path: Path) -> None:
    written(tmp_path, "[JOB_NAME] a\n", "w.sb")
    text = STUDY.format(1, 1) + f'[run]\nisolated = 1\ncontended = 1\nmin_time = "{"9" * 400}s"\n'

    assert "expected at most 100 years" in refused("study", "plan", written(tmp_path, text, "s.toml"))


def test_a_study_whose_workload_has_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    written(tmp_path, STUDY.format(1, 1), "study-1.toml")
    written(tmp_path, '{"folder": ".", "workloads": {"%s": ""}}' % ("x" * 300), "study-1.json")

    assert "no file can have this name" in refused("study", "pack", tmp_path, "-o", tmp_path / "made.tar.gz")


def test_a_histogram_of_a_step_that_its_job_does_not_have(tmp_path: Path) -> None:
    made = build_run()
    histogram = next(record for record in made.records if record["type"] == "histogram")
    histogram["step"] = 99

    assert re.search(r"histogram\.step 99: job \d has \d steps", refused("show", made.write(tmp_path)))


def test_steps_that_are_not_numbered_in_order(tmp_path: Path) -> None:
    made = build_run()
    made.records[0]["jobs"][0]["steps"][0]["step"] = 1000

    assert "header.jobs.steps: expected steps numbered 0, 1, ... in order" in refused("show", made.write(tmp_path))


def test_counts_of_a_trace_that_go_beyond_64_bits_together(tmp_path: Path) -> None:
    records = MadeTrace([MadeRank([send(1)], [[[0, 3]]])] * 2).records()
    for record in records[1:3]:
        record["calls"][0]["bytes"] = 2**63 - 1
    path = written(tmp_path, b"".join(map(line_of, records)), "made.trace")

    assert "exceeds 64 bits" in refused("trace", "export", "--profile", path)


def test_a_manifest_whose_runs_took_longer_than_can_be_added_up(tmp_path: Path) -> None:
    folder = shutil.copytree(KEPT / "study", tmp_path / "study")
    text = re.sub(r'"duration_s":[0-9.]+', '"duration_s":1e308', (folder / "manifest.jsonl").read_text())
    written(folder, text, "manifest.jsonl")

    ended = result_of("study", "status", folder)

    assert (ended.exit_code, ended.exception) == (0, None)
    assert "duration_s: value error, expected 0, or a number from 1e-100 to 1e+100" in " ".join(ended.stderr.split())


def started_at(time: str, folder: Path) -> Path:
    text = (KEPT / "run.jsonl").read_text()
    return written(folder, re.sub(r'"started_at":"[^"]*"', f'"started_at":"{time}"', text), "run.jsonl")


def test_a_run_that_started_in_another_time_zone(tmp_path: Path) -> None:
    ended = result_of("report", started_at("2026-01-01T23:00:00+05:00", tmp_path), "-o", tmp_path / "out.html")
    page = (tmp_path / "out.html").read_text(encoding="utf-8")

    assert ended.exit_code == 0
    assert "Started (UTC)</dt><dd>2026-01-01 18:00:00" in page


def test_a_run_that_started_before_all_time(tmp_path: Path) -> None:
    said = refused("show", started_at("0001-01-01T00:00:00+05:00", tmp_path))

    assert "expected a time of the years 1 to 9999" in said


def test_a_manifest_that_names_a_file_that_no_file_can_be(tmp_path: Path) -> None:
    made = Path(__file__).parents[1] / "corpus" / "study-dir" / "made" / "manifest.jsonl"
    text = re.sub(
        r'("type":"finished".*?"file":")[^"]+', lambda found: found[1] + "x" * 5000, made.read_text(), count=1
    )
    written(tmp_path, text, "manifest.jsonl")

    ended = result_of("study", "verify", tmp_path)

    assert ended.exit_code == 3, ended.exception
    assert "file name too long" in ended.stderr
