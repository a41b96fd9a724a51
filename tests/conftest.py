"""What every test shares: Hypothesis profiles, the folder of outside checks, and a browser."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

from browser import chromium

__all__ = ["chromium", "shared"]

ROOT = Path(__file__).resolve().parent.parent

settings.register_profile("dev", max_examples=50, derandomize=True, database=None, deadline=None)
settings.register_profile("deep", max_examples=5000, deadline=None, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or "dev")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder shared/ beside the repository: conformance studies and samples that a clone alone does not have."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"there is no {folder}: it lies beside the repository only where the project is developed")
    return folder
