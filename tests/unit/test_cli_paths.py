"""Names of files without a last component, such as `.` and `/`, end in one message like any other directory."""

from pathlib import Path

import pytest
from support.beff_protocols import put_beff_machine
from support.commands import invoke
from support.example_files import TWO_HOSTS, put_example_files

NAMES = (".", "/", "..", "gone/..", "there/..", "there/.", "")
COMMANDS = (
    "show {}", "compare {} a.jsonl", "compare a.jsonl {}", "compare a.jsonl a.jsonl --junit {}",
    "report {}", "report {} --format md", "report a.jsonl {}", "report a.jsonl -o {}",
    "trace show {}", "trace diff {} c.trace", "trace diff c.trace {}", "trace export --profile {}",
    "trace export --profile c.trace -o {}", "trace levels {}", "trace levels c.trace -o {}",
    "sensitivity v.json -o {}", "predict place v.json v.json --switches 2 --report {}",
    "predict v.json v.json --report {}", "rails report made --profile {}", "degrade report made -o {}",
    "study plan {}", "study run {} -o d", "study pack made -o {}", "study report made -o {}",
    "lab draw {}", "lab draw t.toml -o {}", "run {} -n 2", "run two.sb -n 2 -o {}", "run --continue {}",
    "capture -o {} true", "record -o {} true", "profile -o {} true",
    "beff --from {}", "beff -n 2 -o {}", "beff -n 2 --report {}", "beff-io --from {}", "beff-io -n 2 -o {}",
    "impact -n 2 --pairs 1 -o {} -- true", "compress -n 2 --pairs 1 -o {} -- true",
    "impact -n 2 --pairs 1 --report {} -- true", "validate -n 2 --emit {} ring -- true",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("paths")
    put_example_files(made)
    (made / "t.toml").write_text(TWO_HOSTS, encoding="utf-8")
    (made / "there").mkdir()
    return made


@pytest.mark.parametrize("command", COMMANDS)
def test_a_directory_instead_of_a_file_is_one_message_and_status_2(
    folder: Path, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_beff_machine(tmp_path, monkeypatch)
    monkeypatch.chdir(folder)
    for name in NAMES:
        ended = invoke([name if word == "{}" else word for word in command.split()])

        assert (name, ended.exit_code, ended.exception) == (name, 2, None), ended.output
        assert ended.stderr.count("stressbench: ") == 1 or "Invalid value for " in ended.stderr, (name, ended.stderr)
