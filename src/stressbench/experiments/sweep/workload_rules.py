"""Rules for the options of sweeps of workloads."""

from collections.abc import Iterable

from stressbench.formats.study.errors import StudyMistake


def require_rounds(isolated: int | None, contended: int | None) -> None:
    """Raise StudyMistake if there are neither isolated nor contended rounds; None: the default number."""
    if isolated == 0 and not contended:
        raise StudyMistake("--isolated 0: expected isolated rounds, or --contended N")


def refuse_program_options(given: Iterable[tuple[str, object]]) -> None:
    """Raise StudyMistake for an option of programs; `given`: options, and whether each was given."""
    if wrong := next((option for option, was in given if was), None):
        raise StudyMistake(f"{wrong}: is for programs; workloads are measured by the engine")
