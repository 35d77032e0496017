"""What is known of launch targets by their kind: a new kind brings its properties with it."""

import sys
from dataclasses import dataclass

import pytest
from support.fake_lab import FakeLab

from stressbench.exit_status import exit_status_of
from stressbench.experiments.study.cell_targets import require_controllable_links
from stressbench.experiments.study.execution import StudyOptions
from stressbench.formats.study.errors import StudyMistake
from stressbench.formats.study.file import Study, parse_study
from stressbench.formats.toml import ValidationMistakes
from stressbench.launch.batch import batch_systems
from stressbench.launch.launch_target import TargetProperties
from stressbench.launch.targets import (
    TARGET_NAMES,
    engine_for,
    forms_with,
    nic_counter,
    properties_of,
    registered,
    resolve_target,
)

RATES = '[factors]\nworkload = "a.sb"\non = "cloud:east"\nrate = ["full", "1/2"]\n'


@dataclass
class Cloud(FakeLab):
    properties = TargetProperties(form="cloud:NAME", controls_links=True, runs_concurrently=True)


def study(text: str) -> Study:
    return parse_study(text, source="s.toml")


def test_properties_of_each_kind() -> None:
    assert properties_of("simgrid:tiny").simulated
    assert not properties_of("lab:tiny").simulated
    assert (properties_of("lab:tiny").keeps_rate, properties_of("simgrid:tiny").keeps_rate) == (True, False)
    assert [name for name in batch_systems() if properties_of(name).runs_concurrently] == ["flux", "slurm"]
    assert forms_with(lambda kind: kind.controls_links) == (
        "lab:NAME", "simgrid:NAME", "ns3:NAME", "ns3-pause:NAME",
    )  # fmt: skip
    assert TARGET_NAMES == "local|lab:NAME|simgrid:NAME|ns3:NAME|ns3-pause:NAME|flux|pbs|slurm"


@pytest.mark.parametrize(
    ("on", "on_simgrid", "continues_runs"),
    [
        ("local", False, True),
        ("simgrid:tiny", True, True),
        ("ns3:tiny", False, False),
        ("ns3-pause:tiny", False, False),
    ],
)
def test_which_engine_ranks_run_in_and_whether_their_runs_can_be_continued(
    on: str, on_simgrid: bool, continues_runs: bool
) -> None:
    target = resolve_target(on, environment={"STRESSBENCH_NS3": sys.executable, "STRESSBENCH_SIMGRID": sys.executable})

    assert (target.on_simgrid, target.continues_runs) == (on_simgrid, continues_runs)
    assert (engine_for(target, None, environment={"STRESSBENCH_SIMGRID": sys.executable}) is not None) == on_simgrid


def test_only_targets_that_count_all_hosts_have_a_counter_of_nics() -> None:
    assert nic_counter("local") is None
    assert nic_counter("simgrid:tiny") is None
    with registered(lab=FakeLab()):
        assert nic_counter("lab:fake") is not None


def test_a_study_is_checked_by_the_properties_of_a_new_kind() -> None:
    with pytest.raises(ValidationMistakes, match="link rates cannot be controlled on cloud:east; expected lab:NAME or"):
        require_controllable_links(study(RATES))
    with pytest.raises(StudyMistake, match="runs on cloud:east would share cores"):
        StudyOptions(jobs=2).check(study(RATES))

    with registered(cloud=Cloud()):
        require_controllable_links(study(RATES))
        StudyOptions(jobs=2).check(study(RATES))


def test_a_simulated_kind_has_neither_policies_nor_a_rate_command() -> None:
    simulated = RATES.replace("cloud:east", "simgrid:tiny")
    policies = simulated.replace('rate = ["full", "1/2"]', 'policy = ["default", "nic0"]')

    with pytest.raises(ValidationMistakes, match=r"^rate_command: './set': on = simgrid:tiny sets its rates itself"):
        require_controllable_links(study('rate_command = "./set"\n' + simulated))
    with pytest.raises(ValidationMistakes, match=r"factors\.policy: default: on = simgrid:tiny: a simulated host"):
        require_controllable_links(study(policies))


@pytest.mark.parametrize(("returncode", "status"), [(0, 0), (3, 3), (-9, 137), (-15, 143)])
def test_a_signal_is_reported_as_shells_do(returncode: int, status: int) -> None:
    assert exit_status_of(returncode) == status
