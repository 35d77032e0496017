"""A context in which something is changed and restored at the end."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from stressbench.formats.study.errors import StudyFault


@contextmanager
def restored_by(restore: Callable[[], None]) -> Iterator[None]:
    """Call `restore` however the context ends.

    Raises StudyFault where that fails; a fault inside the context takes precedence.
    """
    try:
        yield
    except StudyFault:
        with suppress(StudyFault):
            restore()
        raise
    except BaseException:
        restore()
        raise
    else:
        restore()
