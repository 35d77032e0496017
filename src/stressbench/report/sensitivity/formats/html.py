"""HTML: one page with figures and tables, complete in itself."""

from collections.abc import Sequence

from stressbench.report.sensitivity.shown import Shown


def render(profiles: Sequence[Shown]) -> str:
    """A chapter an application."""
    from stressbench.report.page.sensitivity import render_profiles  # figures take a second to import

    return render_profiles(profiles)
