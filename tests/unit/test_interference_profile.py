"""Profiles: what is written is read again, and what is wrong is named."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sensitivities import level, profile, sample, victim

from stressbench.formats.errors import ProfileFileError
from stressbench.formats.profiles.profile import Impact, Latencies, Profile, parse_profile, read_profile, to_json
from stressbench.formats.profiles.store import Store
from stressbench.interference.errors import Inconclusive
from stressbench.interference.profile_analysis import probe_effect

FILE = Path("folder/app.json")
times = st.lists(st.floats(min_value=1e-12, max_value=1e6), min_size=1, max_size=5)


def made() -> Profile:
    return victim({0.2: 1.1, 0.5: 1.5}, links={"a-b": 0.25})


def record() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(to_json(made()))
    return found


def changed(*path: Any, to: Any) -> str:
    found = deepcopy(record())
    holder: Any = found
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = to
    return json.dumps(found)


@given(times, times, st.none() | st.dictionaries(st.text(max_size=5), st.floats(min_value=0, max_value=1), max_size=3))
def test_what_is_written_is_read_again_to_the_last_digit(
    latencies: list[float], run_times: list[float], links: dict[str, float] | None
) -> None:
    once = profile("app", idle_s=latencies, impact_s=run_times, links=links, levels=[level(1, latencies, run_times[0])])

    again = parse_profile(to_json(once), source=FILE)

    assert to_json(again) == to_json(once)
    assert again.idle == once.idle
    assert again.levels == once.levels


def test_times_put_latencies_in_order() -> None:
    probes = Latencies(latencies_s=(3.0, 1.0, 2.0), at_s=(30, 10, 20))

    assert probes.array.tolist() == [1, 2, 3]
    assert probes.times is not None
    assert probes.times.tolist() == [10, 20, 30]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("{", "folder/app.json:1: no JSON", id="cut-off"),
        pytest.param('{\n "a": 1,\n oops}', "folder/app.json:3: no JSON", id="broken"),
        pytest.param("[]", "folder/app.json: type []: expected an object", id="list"),
        pytest.param(changed("type", to="run"), 'type "run": expected an object with "type": "sensitivity"', id="type"),
        pytest.param(
            changed("schema_version", to=2), "schema_version 2: this StressBench reads version 1", id="version"
        ),
        pytest.param(changed("application", to="a/b"), 'application "a/b": string should match', id="name"),
        pytest.param(changed("machine", to=".."), 'machine "..": string should match', id="machine"),
        pytest.param(changed("alone_s", to=[]), "need isolated run times (alone_s)", id="no-times"),
        pytest.param(changed("alone_s", 0, to=0), "alone_s.0 0: input should be greater than 0", id="zero"),
        pytest.param(changed("alone_s", 0, to="1"), 'alone_s.0 "1": input should be a valid number', id="text"),
        pytest.param(changed("speed", to=3), "speed 3: unexpected keyword argument", id="unknown-key"),
        pytest.param(changed("impact", "probes", "at_s", to=[1.0]), "at_s holds 1 times for 60", id="lengths"),
        pytest.param(changed("idle", "forward_s", to=[1.0]), "forward_s holds 1 times for 60", id="directions"),
        pytest.param(
            changed("links", "a-b", to=1.5), "links.a-b 1.5: input should be less than or equal to 1", id="link"
        ),
        pytest.param(
            changed("levels", 1, "configuration", "partners", to=0), "configuration.partners 0", id="partners"
        ),
        pytest.param(changed("application", to="x" * 500), "xxx...: string", id="long"),
    ],
)
def test_what_is_wrong_is_named_with_its_file_and_text(text: str, said: str) -> None:
    with pytest.raises(ProfileFileError) as caught:
        parse_profile(text, source=FILE)

    assert str(caught.value).startswith(str(FILE))
    assert said in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("key", [key for key in record() if key != "links"])
def test_a_missing_key_is_named(key: str) -> None:
    found = record()
    del found[key]
    if key == "type":
        said = "type null"
    elif key == "schema_version":
        said = "schema_version null"
    else:
        said = f"{key}: "
    with pytest.raises(ProfileFileError, match=said):
        parse_profile(json.dumps(found), source=FILE)


def test_nan_is_no_latency() -> None:
    with pytest.raises(ProfileFileError, match=r"app\.json:"):
        parse_profile(changed("alone_s", 0, to=float("nan")), source=FILE)


def test_a_store_keeps_one_profile_an_application_and_machine(tmp_path: Path) -> None:
    store = Store(folder=tmp_path / "profiles")
    for name, machine in (("b", "one"), ("a", "two"), ("a", "one"), ("a", "one")):
        store.save(profile(name, idle_s=sample(0.0), machine=machine))

    assert [(one.machine, one.application) for one in store.profiles()] == [("one", "a"), ("one", "b"), ("two", "a")]
    assert [one.application for one in store.profiles(machine="two")] == ["a"]
    assert store.machines() == ("one", "two")
    assert store.load(application="b", machine="one").application == "b"
    assert sorted(path.name for path in (tmp_path / "profiles" / "one").iterdir()) == ["a.json", "b.json"]


def test_a_store_says_what_is_wrong_with_its_files(tmp_path: Path) -> None:
    store = Store(folder=tmp_path)
    moved = store.save(made())
    moved.rename(moved.with_name("other.json"))

    with pytest.raises(ProfileFileError, match=r"victim\.json: no such file"):
        store.load(application="victim", machine="lab")
    with pytest.raises(ProfileFileError, match=r"other\.json: application 'victim' on machine 'lab': expected in "):
        list(store.profiles())
    with pytest.raises(ProfileFileError, match="no such file"):
        read_profile(tmp_path / "nowhere.json")


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "lab").write_text("in the way")

    with pytest.raises(ProfileFileError, match=r"lab/victim\.json: "):
        Store(folder=tmp_path).save(made())


def test_what_could_not_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "lab" / "victim.json").mkdir(parents=True)

    with pytest.raises(ProfileFileError, match=r"lab/victim\.json: "):
        Store(folder=tmp_path).save(made())

    assert [path.name for path in (tmp_path / "lab").iterdir()] == ["victim.json"]


def test_an_empty_store_holds_nothing(tmp_path: Path) -> None:
    assert list(Store(folder=tmp_path / "none").profiles()) == []


def test_what_probes_did_to_the_application_is_told() -> None:
    probed = Profile(
        application="app", machine="lab", provenance=made().provenance, probe=made().probe, idle=made().idle,
        alone_s=(1.0,) * 5, impact=Impact(probes=made().idle, times_s=(1.01, 1.02, 1.02, 1.02, 1.03)), levels=(),
    )  # fmt: skip

    found = probe_effect(probed)

    assert found.centre == pytest.approx(1.02)
    assert found.low == pytest.approx(1.01)
    with pytest.raises(Inconclusive, match="no run times with probes"):
        probe_effect(made())
