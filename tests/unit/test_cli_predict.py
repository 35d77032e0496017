"""`stressbench predict`: which profiles are meant, what each model says of them, and how it ends."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.commands import call
from support.examples import examples
from support.sensitivities import aggressor, profile, sample, victim, write_profile

from stressbench.formats.profiles.profile import Profile, to_json
from stressbench.formats.profiles.store import Store
from stressbench.interference.link_share_delay import LinkShareDelay
from stressbench.interference.lookup_tables import PDFLT, AverageLT, AverageStDevLT
from stressbench.interference.models import Model
from stressbench.interference.pace import Pace
from stressbench.interference.prediction import Predictor
from stressbench.interference.predictors import Monotone, PerLink, PhaseAware, Queue

CURVES: Mapping[str, Mapping[float, float]] = {
    "cg": {0.1: 1.02, 0.2: 1.1, 0.4: 1.3, 0.6: 1.8},
    "fft.2+x_y-z": {0.1: 1.0, 0.3: 1.04, 0.6: 1.2},
    "mcb": {0.2: 1.0, 0.6: 1.05},
}


def made(name: str) -> Profile:
    return victim(CURVES[name], name=name)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    folder = tmp_path / "profiles"
    for name in CURVES:
        Store(folder=folder).save(made(name))
    return folder


def test_each_is_predicted_beside_the_other(store: Path) -> None:
    ended = call("predict", store / "lab" / "cg.json", store / "lab" / "mcb.json")

    assert (ended.exit_code, ended.stderr) == (0, "")
    assert "lab: each of 2 applications next to all others, by Pace" in ended.stdout
    here, there = (Pace().predict(made(one), [made(other)]) for one, other in (("cg", "mcb"), ("mcb", "cg")))
    assert f"{here.slowdown:.3f}   [{here.low:.3f}, {here.high:.3f}]" in ended.stdout
    assert f"{there.slowdown:.3f}   [{there.low:.3f}, {there.high:.3f}]" in ended.stdout
    assert "Predicted from profiles of each application by itself, not measured." in ended.stdout


def test_the_subcommand_may_be_named(store: Path) -> None:
    words = (store / "lab" / "cg.json", store / "lab" / "mcb.json", "--json")

    assert call("predict", *words).stdout == call("predict", "slowdowns", *words).stdout


MEANT: Mapping[str, Predictor] = {
    "AverageLT": AverageLT(),
    "AverageStDevLT": AverageStDevLT(),
    "PDFLT": PDFLT(),
    "Queue": Queue(),
    "Monotone": Monotone(),
    "PhaseAware": PhaseAware(),
    "PerLink": PerLink(),
    "SharesAndWaits": LinkShareDelay(),
    "Pace": Pace(),
}


@pytest.mark.parametrize("spelt", [str, str.lower, str.upper])
@pytest.mark.parametrize("model", MEANT)
def test_every_model_predicts_the_same_as_its_function(model: str, spelt: Callable[[str], str], store: Path) -> None:
    ended = call("predict", "cg", "mcb", "--store", store, "--model", spelt(model), "--json")

    found = json.loads(ended.stdout)
    expected = [MEANT[model].predict(made(a), [made(b)]) for a, b in (("cg", "mcb"), ("mcb", "cg"))]
    assert found == {
        "machine": "lab",
        "applications": [
            {
                "application": name,
                "beside": [other],
                "foretold": [
                    {
                        "model": model,
                        "prediction": {
                            "slowdown": said.slowdown,
                            "low": said.low,
                            "high": said.high,
                            "reason": said.reason,
                        },
                    }
                ],
            }
            for (name, other), said in zip((("cg", "mcb"), ("mcb", "cg")), expected, strict=True)
        ],
    }


def test_all_models_are_the_papers_four_and_ours(store: Path) -> None:
    ended = call("predict", "--store", store, "--all-models")
    reported = json.loads(call("predict", "--store", store, "--all-models", "--json").stdout)

    assert [one["model"] for one in reported["applications"][0]["foretold"]] == list(Model)
    assert all(model in ended.stdout for model in Model)
    assert "a look-up table predicts for one aggressor, not for 2" in ended.stdout
    assert "no link counters of cg" in ended.stdout


def test_a_folder_is_everybody_in_it(store: Path) -> None:
    reported = json.loads(call("predict", store, "--json").stdout)

    assert [(one["application"], one["beside"]) for one in reported["applications"]] == [
        ("cg", ["fft.2+x_y-z", "mcb"]),
        ("fft.2+x_y-z", ["cg", "mcb"]),
        ("mcb", ["cg", "fft.2+x_y-z"]),
    ]


def test_the_same_profile_twice_is_two_copies(store: Path) -> None:
    reported = json.loads(call("predict", "cg", "cg", "--store", store, "--json").stdout)

    assert [(one["application"], one["beside"]) for one in reported["applications"]] == [("cg", ["cg"]), ("cg", ["cg"])]


def test_applications_without_a_prediction_have_a_reason_beside_those_with_one(tmp_path: Path) -> None:
    files = write_profile(tmp_path, made("cg")), write_profile(tmp_path, aggressor(0.3, name="probed-only"))

    ended = call("predict", *files)

    assert ended.exit_code == 0
    assert "–   –" in ended.stdout
    assert "probed-only was not measured at any congestion level" in ended.stdout


def test_a_load_beyond_all_compressions_has_no_upper_bound(tmp_path: Path) -> None:
    files = write_profile(tmp_path, made("cg")), write_profile(tmp_path, aggressor(0.8, name="heavy"))

    ended = call("predict", *files, "--model", "PhaseAware")

    assert ", ...)" in ended.stdout
    assert "is beyond the heaviest congestion level, 60%" in ended.stdout


@pytest.mark.parametrize("options", [(), ("--all-models",), ("--json",)])
def test_status_1_without_any_prediction(options: tuple[str, ...], tmp_path: Path) -> None:
    silent = [write_profile(tmp_path, profile(name, idle_s=sample(0.0))) for name in ("a", "b")]

    ended = call("predict", *silent, *options)

    assert ended.exit_code == 1
    assert "b was not measured at any congestion level" in ended.stdout


def test_profiles_of_two_machines_are_refused(store: Path, tmp_path: Path) -> None:
    there = write_profile(tmp_path, profile("io", idle_s=sample(0.0), machine="cab"))

    ended = call("predict", store / "lab" / "cg.json", there)

    assert (ended.exit_code, ended.stdout) == (2, "")
    assert f"{there}: machine 'cab': expected 'lab', as in {store / 'lab' / 'cg.json'}" in ended.stderr


def test_a_machine_must_be_named_where_a_folder_has_two(store: Path) -> None:
    Store(folder=store).save(profile("io", idle_s=sample(0.0), machine="cab"))

    unnamed = call("predict", store)
    named = call("predict", store, "--machine", "lab", "--json")

    assert unnamed.exit_code == 2
    assert f"{store} has profiles of several machines: --machine cab or lab" in unnamed.stderr
    assert json.loads(named.stdout)["machine"] == "lab"
    assert f"--machine x: {store} has profiles of cab, lab" in call("predict", store, "--machine", "x").stderr


def refusals(store: Path) -> dict[str, tuple[tuple[object, ...], str]]:
    cg = store / "lab" / "cg.json"
    bad = store.parent / "bad.json"
    bad.write_text(to_json(made("cg")).replace('"nodes": 4', '"nodes": 0'), encoding="utf-8")
    return {
        "one alone": ((cg,), "cg alone: expected at least two profiles"),
        "no such file": (("nowhere.json", cg), "nowhere.json: no such file or folder; names of applications need"),
        "a broken file": ((bad, cg), "bad.json: provenance.nodes 0: input should be greater than or equal to 1"),
        "no such model": ((store, "--model", "LT"), "--model LT: expected one of AverageLT, AverageStDevLT, PDFLT"),
        "two wishes": ((store, "--all-models", "--model", "Queue"), "--all-models and --model Queue: expected one"),
        "another machine": ((cg, cg, "--machine", "cab"), "cg.json: machine 'lab': --machine asks for 'cab'"),
        "no such store": (("cg", "--store", store / "x"), "x does not exist"),
        "a file as store": (("cg", "--store", cg), "cg.json is not a directory"),
        "an empty folder": ((store / "lab",), "has no profiles: expected MACHINE/APPLICATION.json in it"),
        "no such application": (("milc", "cg", "--store", store), "milc: no such application in "),
        "a way out": (("../lab/cg", "cg", "--store", store), "../lab/cg: no such application in "),
        "controls in a name": (("a\x1b[31m", "cg", "--store", store), "a�[31m: no such application in "),
        "nothing": (("--json",), "no profiles: name files, folders of profiles, or --store DIR"),
    }  # fmt: skip


@pytest.mark.parametrize("what", [
    "one alone", "no such file", "a broken file", "no such model", "two wishes", "another machine", "no such store",
    "a file as store", "an empty folder", "no such application", "a way out", "controls in a name", "nothing",
])  # fmt: skip
def test_a_mistake_is_one_line_and_status_2(what: str, store: Path) -> None:
    words, said = refusals(store)[what]

    ended = call("predict", *words)

    assert (ended.exit_code, ended.stdout) == (2, "")
    assert said in ended.stderr
    assert ended.stderr.startswith("stressbench: ") and ended.stderr.count("\n") == 1


def test_a_profile_under_another_name_is_refused(store: Path) -> None:
    (store / "lab" / "cg.json").rename(store / "lab" / "other.json")

    ended = call("predict", store)

    assert ended.exit_code == 2
    assert "other.json: application 'cg' on machine 'lab': expected in" in ended.stderr


def test_help_teaches() -> None:
    group, own = call("predict", "--help").stdout, call("predict", "slowdowns", "--help").stdout

    assert "stressbench predict cg.json fft.json" in group
    assert all(word in own for word in ("Examples:", "Exit status:", *Model))


@examples(15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9._+-]{0,63}\Z"))
def test_any_name_that_profiles_take_can_be_asked_for(tmp_path_factory: pytest.TempPathFactory, name: str) -> None:
    folder = tmp_path_factory.mktemp("store")
    Store(folder=folder).save(aggressor(0.3, name=name))
    Store(folder=folder).save(made("cg"))

    reported = json.loads(call("predict", "--store", folder, "--json", "--", "cg", name).stdout)

    assert reported["applications"][0]["beside"] == [name]
