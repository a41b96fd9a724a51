"""Which browser the tests drive."""

from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser

from browser import NAMES, chromium_path


def stub(path: str) -> Any:  # noqa: ANN401 - it stands for Playwright
    return SimpleNamespace(chromium=SimpleNamespace(executable_path=path))


def test_the_first_browser_on_path_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", {name: f"/usr/bin/{name}" for name in NAMES[1:]}.get)
    assert chromium_path(stub("/nowhere")) == f"/usr/bin/{NAMES[1]}"


def test_playwrights_own_is_taken_where_path_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", dict[str, str]().get)
    assert (chromium_path(stub(__file__)), chromium_path(stub("/nowhere"))) == (__file__, None)


def test_the_browser_has_exact_integers(chromium: Browser) -> None:
    page = chromium.new_page()
    assert page.evaluate("String(2n ** 64n + 1n)") == str(2**64 + 1)
    page.close()
