"""What `stressbench predict` says: each application beside the others."""

from stressbench.console import Console
from stressbench.interference.corun_prediction import CoRunPrediction
from stressbench.interference.prediction import Prediction
from stressbench.report.section import printable
from stressbench.report.terminal.page import new_table, print_table, say
from stressbench.report.units import MISSING, plain_ratio

_KEY = (
    "slow-down: time beside the others over time alone, 1 is not slowed; interval: 95 %; "
    "[1.400, ...) has no upper bound. Predicted from profiles of each alone, not measured."
)


def print_together(found: CoRunPrediction, *, console: Console) -> None:
    """A line an application and model; why nobody can tell, or what makes a number doubtful, behind it."""
    models = list(dict.fromkeys(one.model for application in found.applications for one in application.foretold))
    by = f", by {models[0]}" if len(models) == 1 else ""
    say(console, f"{found.machine}: each of {len(found.applications)} applications beside all the others{by}")
    console.print()
    table = new_table(
        left=("application", *(("model",) if len(models) > 1 else ())), right=("slow-down",),
        last=("[95 %]", "cannot tell, or doubts"),
    )  # fmt: skip
    for application in found.applications:
        for number, one in enumerate(application.foretold):
            name = printable(application.application) if number == 0 else ""
            prediction = one.prediction
            table.add_row(
                name, *((one.model,) if len(models) > 1 else ()), slowdown_text(prediction.slowdown),
                bounds_text(prediction), printable(prediction.reason or ""),
            )  # fmt: skip
        if len(models) > 1:
            table.add_section()
    print_table(console, table)
    console.print()
    say(console, _KEY, style="dim")


def slowdown_text(slowdown: float | None) -> str:
    """Three decimals, or a dash."""
    return MISSING if slowdown is None else plain_ratio(slowdown)


def bounds_text(found: Prediction) -> str:
    """`[1.400, 1.512]`; open at the end without an upper bound; a dash without any."""
    if found.low is None:
        return MISSING
    return f"[{found.low:.3f}, ...)" if found.high is None else f"[{found.low:.3f}, {found.high:.3f}]"
