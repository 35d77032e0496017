"""A headless Chromium that opens pages: its console messages and its requests."""

import fcntl
import json
import os
import re
import select
import shutil
import subprocess
from base64 import b64decode
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread
from numpy.typing import NDArray

from support.programs import LIMIT_S

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="no page was looked at: chromium, chromium-browser or google-chrome is not in PATH"
)
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-color-profile=srgb"),
    "--disable-features=NetworkTimeServiceQuerying,OptimizationHints,MediaRouter",  # requests of the browser itself
)
DARK = ("--force-dark-mode", "--blink-settings=preferredColorScheme=0")


def browse(page: Path, folder: Path, *flags: str, address: str | None = None) -> subprocess.CompletedProcess[str]:
    """Opens the page. `address`: the page's, where it has a query."""
    assert CHROMIUM is not None
    return subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={folder / 'profile'}", *flags, address or page.as_uri()],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=True,
    )


def fetched(log: Path) -> list[str]:
    """Requests of the page from the browser's log; requests of the browser itself have no origin."""
    starts = [line for line in log.read_text(encoding="utf-8").splitlines() if '"initiator"' in line]
    by_the_page = [line for line in starts if '"initiator":"not an origin"' not in line]
    return [line for line in by_the_page if re.search(r'"url":"(?!file:|data:)', line)]


Pixels = NDArray[np.float32]


def only(page: Path, figure: str, folder: Path) -> Path:
    """The page with a single figure at the top, so that positions in a screenshot are known."""
    text = page.read_text(encoding="utf-8")
    kept = re.search(rf'<figure id="{figure}">.*?</figure>', text, re.DOTALL)
    assert kept is not None
    cut = folder / "cut.html"
    cut.write_text(
        re.sub(r"<body>.*</body>", lambda _: f"<body>{kept[0]}</body>", text, flags=re.DOTALL), encoding="utf-8"
    )
    return cut


def photograph(page: Path, folder: Path, *flags: str, width: int = 1000, height: int = 700) -> Pixels:
    browse(page, folder, f"--screenshot={folder / 'shot.png'}", f"--window-size={width},{height}", *flags)
    return np.asarray(imread(folder / "shot.png"))[:, :, :3]


def places(pixels: Pixels, colour: str) -> NDArray[np.intp]:
    """Rows and columns of the pixels of exactly this colour, shape (pixels, 2)."""
    wanted = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    return np.argwhere(np.abs(pixels - wanted).max(axis=2) < 0.012)


PAPER_WIDTH = 688
"""The pixels between the margins of a page of A4 paper."""


class Tab:
    """A page in a browser that is driven through a pipe, in windows of any width and on paper.

    `requests` are the addresses that the page asked for, `messages` what the browser wrote into its console.
    """

    def __init__(self, folder: Path) -> None:
        assert CHROMIUM is not None
        commands_in, commands_out = (_above(fd) for fd in os.pipe())
        answers_in, answers_out = (_above(fd) for fd in os.pipe())
        words = [
            "bash", "-c", f'exec "$@" 3<&{commands_in} 4>&{answers_out}', "tab", CHROMIUM, *FLAGS,
            "--remote-debugging-pipe", f"--user-data-dir={folder / 'tab'}", "about:blank",
        ]  # fmt: skip
        self._browser = subprocess.Popen(
            words, pass_fds=(commands_in, answers_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C in the terminal must not end it before __exit__ does
        )  # fmt: skip
        os.close(commands_in)
        os.close(answers_out)
        self._commands, self._answers, self._waiting = commands_out, answers_in, b""
        self._count, self._session = 0, ""
        self.requests: list[str] = []
        self.messages: list[str] = []
        target = self._do("Target.createTarget", url="about:blank")["targetId"]
        self._session = str(self._do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._do(f"{domain}.enable")

    def __enter__(self) -> "Tab":
        return self

    def __exit__(self, *exception: object) -> None:
        self._session = ""
        self._do("Browser.close")
        self._browser.wait(timeout=LIMIT_S)
        os.close(self._commands)
        os.close(self._answers)

    def open(self, page: Path, *, width: int, height: int = 1000, dark: bool = False, paper: bool = False) -> None:
        """Opens the page in a window of this size; `paper`: with the rules for print."""
        self.requests.clear()
        self.messages.clear()
        self._do(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )  # fmt: skip
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._do("Emulation.setEmulatedMedia", media="print" if paper else "screen", features=[theme])
        self._do("Page.navigate", url=page.as_uri())
        self._wait_for("Page.loadEventFired")

    def visit(self, address: str) -> None:
        """Opens the page at this address."""
        self.requests.clear()
        self.messages.clear()
        self._do("Page.navigate", url=address)
        self._wait_for("Page.loadEventFired")

    def value(self, expression: str) -> Any:
        """The value of an expression of JavaScript, or what its promise becomes."""
        found = self._do("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait_until(self, expression: str) -> None:
        """Waits until an expression of JavaScript is true."""
        wait = f"const wait = () => {expression} ? ready() : setTimeout(wait, 20)"
        self.value(f"new Promise((ready) => {{ {wait}; wait(); }})")

    def point_at(self, element: str) -> None:
        """Moves the pointer to the middle of an element, an expression of JavaScript."""
        self.value(f"{element}.scrollIntoView({{block: 'center'}})")
        self.value("new Promise((ready) => requestAnimationFrame(() => requestAnimationFrame(() => ready())))")
        box = self.value(f"{element}.getBoundingClientRect().toJSON()")
        self._move_to(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def _move_to(self, x: float, y: float) -> None:
        self._do("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def choose_file(self, selector: str, file: Path) -> None:
        """Chooses a file as a reader would."""
        root = self._do("DOM.getDocument")["root"]["nodeId"]
        node = self._do("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self._do("DOM.setFileInputFiles", files=[str(file)], nodeId=node)

    def photograph(self, path: Path, *, whole: bool = True) -> None:
        """Writes a PNG of the whole page, or of the part of it that the window shows."""
        clip = {"clip": {**self._do("Page.getLayoutMetrics")["cssContentSize"], "scale": 1}} if whole else {}
        found = self._do("Page.captureScreenshot", captureBeyondViewport=whole, **clip)
        path.write_bytes(b64decode(found["data"]))

    def _do(self, method: str, **values: object) -> Any:
        self._count += 1
        session = {"sessionId": self._session} if self._session else {}
        message = json.dumps({"id": self._count, "method": method, "params": values, **session})
        data = message.encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data) :]
        while (answer := self._next()).get("id") != self._count:
            self._note(answer)
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"]

    def _wait_for(self, method: str) -> None:
        while (event := self._next()).get("method") != method:
            self._note(event)

    def _note(self, event: dict[str, Any]) -> None:
        values = event.get("params", {})
        match event.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(values["request"]["url"])
            case "Log.entryAdded":
                self.messages.append(values["entry"]["text"])
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown":
                self.messages.append(json.dumps(values))

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._waiting:
            ready, _, _ = select.select([self._answers], [], [], LIMIT_S)
            assert ready, "the browser does not answer"
            data = os.read(self._answers, 1 << 20)
            assert data, "the browser has ended"
            self._waiting += data
        message, _, self._waiting = self._waiting.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found


def _above(fd: int) -> int:
    """A copy of the descriptor above those that the browser wants, 3 and 4; closes the original."""
    copied = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 10)
    os.close(fd)
    return copied
