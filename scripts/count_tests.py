"""Counts the tests of a stage from its JUnit files (ctest, pytest) and files that hold `passed failed skipped`.

A stage that ended with an error without a failed test (for example a failed build) counts as one failure, and so does
a stage without tests.

"""

import argparse
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Count:
    """Numbers of tests by result."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Count") -> "Count":
        return Count(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)


def is_failed(case: ElementTree.Element) -> bool:
    """Whether a test case of a JUnit file failed, in the format of ctest or pytest."""
    return case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail"


def count_junit(path: Path) -> Count:
    """Counts of a JUnit file written by ctest or pytest."""
    total = Count()
    for case in ElementTree.parse(path).iter("testcase"):
        if is_failed(case):
            total += Count(failed=1)
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            total += Count(skipped=1)
        else:
            total += Count(passed=1)
    return total


def count_file(path: Path) -> Count:
    """Counts of a JUnit file or of a file that holds `passed failed skipped`."""
    if path.suffix == ".xml":
        return count_junit(path)
    passed, failed, skipped = (int(word) for word in path.read_text().split())
    return Count(passed, failed, skipped)


def count_stage(paths: list[Path], status: int) -> Count:
    """Counts of the existing files of a stage, given its exit status."""
    total = sum((count_file(path) for path in paths if path.exists()), Count())
    failed_without_test = total.failed == 0 and (status != 0 or total == Count())
    return total + Count(failed=1) if failed_without_test else total


def failures(path: Path) -> Iterator[str]:
    """A line for each failed test of a JUnit file: its name and the first line of its message, if any."""
    for case in ElementTree.parse(path).iter("testcase"):
        if not is_failed(case):
            continue
        name = "::".join(dict.fromkeys(filter(None, (case.get("classname"), case.get("name")))))
        reasons = [element for tag in ("failure", "error") if (element := case.find(tag)) is not None]
        message = (reasons[0].get("message") or "").strip().splitlines() if reasons else []
        yield f"{name}: {message[0][:200]}" if message else name


_TEST = re.compile(r"\d+/\d+ Test: (.+)")
_REASON_FOLLOWS = re.compile(r".+:\d+: Skipped")
_SKIPPED = re.compile(r"SKIPPED (\S+): (.+)")
_PARAMETER = re.compile(r"(\.[^/ ]+)/.*")


def skips(log: str) -> Iterator[str]:
    """A line `SKIPPED name: reason` for each GoogleTest test that a log of ctest says was left out, without repetition.

    Tests that differ in their parameter only share a line, `SKIPPED [how many] name: reason`. Ranked launches, of which
    ctest knows the launch only, print these lines themselves, without tests that need other numbers of ranks
    (tests/engine/ranked/main.cpp).
    """
    seen: dict[tuple[str, str], None] = {}
    name, previous = "", ""
    for line in log.splitlines():
        if test := _TEST.fullmatch(line):
            name = test[1]
        elif skipped := _SKIPPED.fullmatch(line):
            seen[skipped[1], skipped[2]] = None
        elif _REASON_FOLLOWS.fullmatch(previous) and not name.startswith("ranked_"):
            seen[name, line] = None
        previous = line
    shared = Counter((_PARAMETER.sub(r"\1", name), reason) for name, reason in seen)
    for (name, reason), count in shared.items():
        yield f"SKIPPED {f'[{count}] ' if count > 1 else ''}{name}: {reason}"


def main() -> None:
    """Print the numbers of passed, failed and skipped tests, or the failed tests, or the skipped ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--status", type=int, default=0, help="exit status of the stage")
    parser.add_argument("--failures", action="store_true", help="print failed tests in place of the numbers")
    parser.add_argument("--skips", action="store_true", help="print the skipped tests of logs of ctest instead")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    if arguments.skips:
        for path in arguments.files:
            if path.exists():
                sys.stdout.writelines(f"{line}\n" for line in skips(path.read_text(errors="replace")))
        return
    if arguments.failures:
        for path in arguments.files:
            if path.suffix == ".xml" and path.exists():
                sys.stdout.writelines(f"{line}\n" for line in failures(path))
        return
    total = count_stage(arguments.files, arguments.status)
    sys.stdout.write(f"{total.passed} {total.failed} {total.skipped}\n")


if __name__ == "__main__":
    main()
