"""Colours and hatches that distinguish jobs in light and dark themes, in colour and in greyscale.

Figures are drawn in placeholder colours, which `drawing` replaces by CSS variables on a page, so that one figure serves
both themes. Placeholders look like the light theme, so that figures need no replacing in files. Job colours are those
of Okabe and Ito, safe for the common kinds of colour blindness; hatches repeat the distinction without colour.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Tone:
    """One colour: CSS variable, and values in the light and dark themes."""

    variable: str
    light: str
    dark: str

    @property
    def placeholder(self) -> str:
        """The colour that matplotlib draws: that of the light theme but for its last bit, which sets it apart."""
        return f"#{int(self.light[1:], 16) ^ 1:06x}"


FOREGROUND = Tone(variable="--ink", light="#1b1f24", dark="#e8eaed")
MUTED = Tone(variable="--muted", light="#5c6670", dark="#a3abb5")
GRID_LINE = Tone(variable="--rule", light="#dde1e6", dark="#363c44")
BACKGROUND = Tone(variable="--paper", light="#ffffff", dark="#16191d")
ISOLATED = Tone(variable="--alone", light="#8b949e", dark="#8b949e")

_JOB_COLOURS = (
    ("#0072b2", "#4ba6e3"),
    ("#d55e00", "#ff8f4a"),
    ("#009e73", "#2fc79b"),
    ("#b3508a", "#e592c2"),
    ("#c98a00", "#f3b73f"),
    ("#2f93cf", "#93d3f8"),
    ("#7a6a00", "#d9c947"),
    ("#5b5f66", "#c2c6cc"),
)
JOBS = tuple(
    Tone(variable=f"--job-{number}", light=light, dark=dark)
    for number, (light, dark) in enumerate(_JOB_COLOURS, start=1)
)
FULL = Tone(variable="--full", light="#c1272d", dark="#ff6b6b")
UTILISATION = (ISOLATED, JOBS[5], JOBS[2], JOBS[4], JOBS[1], FULL)
"""Colours of the utilisation of a link: idle, four fifths, and the last fifth; also links that are down."""
TONES = (FOREGROUND, MUTED, GRID_LINE, BACKGROUND, ISOLATED, *JOBS, FULL)
_HATCHES = ("////", "\\\\\\\\", "....", "xxxx", "----", "||||", "oo", "++++")


def custom_properties(tones: Iterable[Tone], *, dark: bool) -> str:
    """CSS declarations of the tones' variables for one theme."""
    return "".join(f"{tone.variable}:{tone.dark if dark else tone.light};" for tone in tones)


def tone_of(job: int) -> Tone:
    """Colour of a job; colours repeat after 8 jobs, with other hatches."""
    return JOBS[job % len(JOBS)]


def hatch_of(job: int) -> str:
    """Hatch of a job, in matplotlib's notation; 64 jobs differ in colour or hatch."""
    return _HATCHES[(job + job // len(JOBS)) % len(_HATCHES)]
