"""One headless Chromium for all tests of a session: the one that is installed, or Playwright's own."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium_path(playwright: Playwright) -> str | None:
    """Where a Chromium is; None where there is none."""
    for found in map(shutil.which, NAMES):
        if found is not None:
            return found
    own = playwright.chromium.executable_path
    return own if Path(own).is_file() else None


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A running browser; without one the test is skipped, and fails where CI=true, as there nothing may go untested."""
    with sync_playwright() as playwright:
        path = chromium_path(playwright)
        if path is None:
            missing = f"there is no {', '.join(NAMES)} on PATH, nor Playwright's own Chromium"
            if os.environ.get("CI") == "true":
                pytest.fail(missing)
            pytest.skip(missing)
        browser = playwright.chromium.launch(executable_path=path)
        yield browser
        browser.close()
