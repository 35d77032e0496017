"""TODO."""

from stressbench.trace.profile import Profile


def render_profile(profile: Profile) -> str:
    """TODO."""
    return "<!doctype html>" + str(profile)
