"""`stressbench predict place`: who should share a switch."""

import json
from pathlib import Path

import pytest
from support.commands import call
from support.sensitivities import aggressor, victim

from stressbench.formats.profiles.profile import Profile
from stressbench.formats.profiles.store import Store
from stressbench.interference.pace import Pace
from stressbench.interference.placement_search import best_grouping, cheapest_grouping
from stressbench.interference.predictors import Monotone

SUFFERS = {"cg": 2.0, "fft": 1.6, "mcb": 1.05, "amg": 1.02}


def made(name: str) -> Profile:
    return victim({0.1: 1.0, 0.3: SUFFERS[name], 0.8: 2 * SUFFERS[name]}, name=name)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    for name in SUFFERS:
        Store(folder=tmp_path).save(made(name))
    return tmp_path


def arrangement(store: Path, *words: object) -> dict[str, object]:
    found: dict[str, object] = json.loads(call("predict", "place", *words, "--store", store, "--json").stdout)
    return found


def test_advice_is_that_of_the_function(store: Path) -> None:
    found = json.loads(
        call("predict", "place", *SUFFERS, "--store", store, "--switches", 3, "--per-switch", 2, "--json").stdout
    )

    advice = best_grouping(Pace(), [made(name) for name in SUFFERS], places=3, per_place=2)
    assert [[one["number"] for one in group] for group in found["groups"]] == sorted(map(list, advice.groups))
    assert found["cost"] == pytest.approx(advice.cost)
    assert (found["machine"], found["model"], found["switches"], found["per_switch"]) == ("lab", "Pace", 3, 2)
    assert found["not_considered"] == []
    shared = next(group for group in found["groups"] if len(group) == 2)
    said = Pace().predict(made(shared[0]["application"]), [made(shared[1]["application"])])
    assert shared[0]["prediction"]["slowdown"] == said.slowdown


def test_words_name_each_switch_and_what_it_costs(store: Path) -> None:
    ended = call("predict", "place", store, "--switches", 3)

    assert (ended.exit_code, ended.stderr) == (0, "")
    assert "lab: 4 applications on 3 switches of at most 2 each, by Pace" in ended.stdout
    assert "cg alone" in ended.stdout and "fft alone" in ended.stdout
    assert "amg 1.0" in ended.stdout
    cost = arrangement(store, "--switches", 3)["cost"]
    assert isinstance(cost, float)
    assert f"Predicted slowdowns add up to {100 * cost:.1f} percentage points" in ended.stdout


@pytest.mark.parametrize("places", [1, 10**12, 2**63 - 1])
@pytest.mark.parametrize("per_place", [4, 10**12, 2**63 - 1])
def test_room_that_no_application_needs_is_not_searched(places: int, per_place: int) -> None:
    found = cheapest_grouping(lambda _: 0.0, count=4, places=places, per_place=per_place)

    assert found == cheapest_grouping(lambda _: 0.0, count=4, places=min(places, 4), per_place=4)


def test_switches_that_are_not_needed_stay_empty(store: Path) -> None:
    one, two = (call("predict", "place", store, "--switches", count).stdout for count in (5, 6))

    assert "1 switch is empty" in one
    assert "2 switches are empty" in two


def test_model_and_room_are_those_asked_for(store: Path) -> None:
    found = arrangement(store, "--switches", 1, "--per-switch", 4, "--model", "monotone")

    cost = best_grouping(Monotone(), [made(name) for name in sorted(SUFFERS)], places=1, per_place=4).cost
    assert (found["model"], found["cost"]) == ("Monotone", pytest.approx(cost))
    assert "on 1 switch of at most 4" in call("predict", "place", store, "--switches", 1, "--per-switch", 4).stdout


def test_groups_without_a_prediction_are_kept_apart_and_named(store: Path) -> None:
    Store(folder=store).save(aggressor(0.5, name="io"))

    ended = call("predict", "place", store, "--switches", 3)
    found = arrangement(store, "--switches", 3)

    assert "io alone" in ended.stdout
    assert "not placed together: amg, io: io was not measured at any congestion level" in ended.stdout
    assert {"applications": ["cg", "io"], "reasons": ["io was not measured at any congestion level"]} in list(
        found["not_considered"]  # type: ignore[call-overload]
    )


def test_of_many_such_groups_ten_are_named(store: Path) -> None:
    for number in range(3):
        Store(folder=store).save(aggressor(0.5, name=f"io{number}"))

    ended = call("predict", "place", store, "--switches", 7)

    assert ended.stdout.count("not placed together: ") == 10
    assert "and 5 more groups without a prediction; --json lists all" in ended.stdout


def test_status_1_where_no_placement_can_be_predicted(store: Path) -> None:
    Store(folder=store).save(aggressor(0.5, name="io"))

    ended = call("predict", "place", "io", "io", "--store", store, "--switches", 1)

    assert (ended.exit_code, ended.stdout) == (1, "")
    assert "no placement can be predicted: 1 group has no prediction, and" in ended.stderr
    assert "(io was not measured at any congestion level)" in ended.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--switches", 1), "--switches 1 --per-switch 2: 4 applications: 1 places for 2 each hold 2"),
        (("cg", "milc", "--switches", 2), "milc: no such application in"),
        (("--switches", 2, "--model", "x"), "--model x: expected one of AverageLT"),
        (("--switches", 0), "'--switches'"),
        (("--switches", 2, "--per-switch", 0), "'--per-switch'"),
        (("cg",), "'--switches'"),
    ],
)
def test_a_mistake_is_one_message_and_status_2(words: tuple[object, ...], said: str, store: Path) -> None:
    ended = call("predict", "place", *words, "--store", store)

    assert (ended.exit_code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_help_teaches() -> None:
    ended = call("predict", "place", "--help")

    assert all(word in ended.stdout for word in ("Examples:", "--per-switch", "Exit status:"))
