"""`machine.json`: it is read as it was written, and a change of anything is found."""

import hashlib
import json
from pathlib import Path

import pytest
from support.machines import made_figure, made_result, write_result
from support.schemas import schema_faults

from stressbench.experiments.machine.verifying import verify_machine
from stressbench.formats.errors import MachineFileError
from stressbench.formats.machines import read_machine, to_json


def test_a_result_is_read_as_it_was_written(tmp_path: Path) -> None:
    result = made_result(made_figure(values=(1e-6, 1.5e-6, 3.0, 1e-9), low=None, high=None))

    assert read_machine(write_result(tmp_path / "machine.json", result)) == result
    assert read_machine(tmp_path) == result


def test_a_result_follows_its_schema() -> None:
    assert schema_faults("machine", json.loads(to_json(made_result()))) == []


def test_the_checksum_can_be_computed_with_python_alone() -> None:
    """As docs/how-to/machine.md says."""
    content = json.loads(to_json(made_result(label="Zürich")))
    stated = content.pop("sha256")

    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    assert hashlib.sha256(text.encode()).hexdigest() == stated


@pytest.mark.parametrize(
    ("before", "after"),
    [('"label": "made"', '"label": "mine"'), ("0.00004", "0.000039"), ('"complete": true', '"complete": false')],
)
def test_a_change_is_found(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "machine.json"
    text = to_json(made_result(made_figure(low=None, high=None, values=(4e-5,))))
    assert before in text
    path.write_text(text.replace(before, after))

    with pytest.raises(
        MachineFileError, match=r"machine\.json: the content has changed: its sha256 is [0-9a-f]{64}, not"
    ):
        read_machine(path)


def test_the_order_of_keys_and_blanks_do_not_matter(tmp_path: Path) -> None:
    result = made_result()
    content = dict(reversed(json.loads(to_json(result)).items()))
    (tmp_path / "machine.json").write_text(json.dumps(content))

    assert read_machine(tmp_path) == result


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "machine.json:1: no JSON"),
        ("[]", 'type []: expected an object with "type": "machine"'),
        ('{"type": "run"}', 'type "run": expected an object with "type": "machine"'),
        ('{"type": "machine", "schema_version": 2}', "schema_version 2: this StressBench reads version 1"),
        ('{"type": "machine", "schema_version": 1}', "label: field required"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "machine.json").write_text(text)

    with pytest.raises(MachineFileError) as refused:
        read_machine(tmp_path)

    assert message in str(refused.value)


def test_a_directory_without_a_result_names_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(MachineFileError, match=r"has no machine\.json; `stressbench machine resume`"):
        read_machine(tmp_path)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"low": None}, "low and high: expected both, or null for both"),
        ({"low": 1.0, "high": 2.0}, "lies outside of its interval, 1 to 2"),
    ],
)
def test_a_figure_whose_numbers_contradict_each_other_is_refused(wrong: dict[str, float | None], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        made_figure(**wrong)


def test_run_files_are_verified_where_they_are(tmp_path: Path) -> None:
    digests = {}
    for name in ("survey.jsonl", "calibration.jsonl", "first.jsonl"):
        (tmp_path / name).write_text(name)
        digests[name] = hashlib.sha256(name.encode()).hexdigest()
    write_result(tmp_path / "machine.json", made_result(sources=digests))

    whole = verify_machine(tmp_path)
    (tmp_path / "survey.jsonl").write_text("changed")
    (tmp_path / "first.jsonl").unlink()
    changed = verify_machine(tmp_path)

    assert (whole.intact, whole.complaints) == (4, ())
    assert changed.intact == 2
    assert changed.complaints == (
        f"{tmp_path}/machine.json: survey.jsonl has changed", f"{tmp_path}/machine.json: first.jsonl is missing"
    )  # fmt: skip


def test_a_published_result_is_verified_without_run_files(tmp_path: Path) -> None:
    path = write_result(tmp_path / "published.json", made_result(sources={"survey.jsonl": "0" * 64}))

    assert verify_machine(path).complaints == ()
