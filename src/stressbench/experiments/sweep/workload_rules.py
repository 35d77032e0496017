"""Rules for the options of sweeps of workloads."""

from stressbench.formats.study.errors import StudyMistake


def require_rounds(isolated: int | None, contended: int | None) -> None:
    """Raise StudyMistake if there are neither isolated nor contended rounds; None: the default number."""
    if isolated == 0 and not contended:
        raise StudyMistake("--isolated 0: expected isolated rounds, or --contended N")


def refuse_figures(option: str | None) -> None:
    """Raise StudyMistake if an `option` for figures of merit is given: workloads print none."""
    if option is not None:
        raise StudyMistake(f"{option}: is for a program's output; workloads are measured by the engine")
