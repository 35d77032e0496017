"""A clock that advances only when a fake engine or program requests it.

Its time (ms) is in the file `now` of a folder. A program advances it with the command `elapse MS`. While a fake engine
runs concurrently, as the file `beside` shows, `elapse` leaves a request and the engine makes as many rounds as fit into
that time, so the result does not depend on the speed of the machine.

"""

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

from stressbench.launch.clock import Clock
from support.fake_launcher import put

VARIABLE = "FAKE_CLOCK"
_LOOK_EVERY_S = 0.01
_ELAPSE = f"""\
#!/bin/sh
cd "${VARIABLE}" || exit 1
if [ -e beside ]; then
  echo "$1" >request.new
  mv request.new request
  while [ -e request ] && [ -e beside ]; do sleep {_LOOK_EVERY_S}; done
  [ -e request ] || exit 0
  rm request
fi
echo $(($(cat now) + $1)) >now.new
mv now.new now
"""


class FakeClock:
    """The clock in a folder, as used by launches and advanced by engines."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def here(cls) -> "FakeClock":
        """The clock that the environment names."""
        return cls(Path(os.environ[VARIABLE]))

    def put(self, commands: Path) -> None:
        """Start the clock, with the command `elapse` in a folder that will be on PATH."""
        self._folder.mkdir()
        self._set(0)
        put(commands / "elapse", _ELAPSE)

    def now_ms(self) -> int:
        return int((self._folder / "now").read_text())

    def now_s(self) -> float:
        return self.now_ms() * 1e-3

    def pass_ms(self, milliseconds: int) -> None:
        """Advance the clock; called by the engine that holds it, or by anyone if it is not held."""
        self._set(self.now_ms() + milliseconds)

    def _set(self, milliseconds: int) -> None:
        new = self._folder / "now.new"
        new.write_text(str(milliseconds))
        new.rename(self._folder / "now")

    def alarm(self, delay_s: float, action: Callable[[], object]) -> "FakeAlarm":
        return FakeAlarm(self, self.now_s() + delay_s, action)

    def hold(self) -> None:
        """Let `elapse` send its requests to the caller from now on."""
        (self._folder / "beside").touch()

    def release(self) -> None:
        """Stop holding the clock."""
        (self._folder / "beside").unlink()

    def request_ms(self) -> int | None:
        """The requested time, or None."""
        try:
            return int((self._folder / "request").read_text())
        except FileNotFoundError:
            return None

    def granted(self) -> None:
        (self._folder / "request").unlink()

    def elapse(self, milliseconds: int) -> None:
        """Same as the command."""
        subprocess.run(["elapse", str(milliseconds)], check=True)


class FakeAlarm:
    """Calls an action when the clock reaches `at_s`."""

    def __init__(self, clock: Clock, at_s: float, action: Callable[[], object]) -> None:
        self._cancelled = threading.Event()
        threading.Thread(target=self._wait, args=(clock, at_s, action), daemon=True).start()

    def _wait(self, clock: Clock, at_s: float, action: Callable[[], object]) -> None:
        while not self._cancelled.wait(_LOOK_EVERY_S):
            if clock.now_s() >= at_s:
                action()
                return

    def cancel(self) -> None:
        self._cancelled.set()
