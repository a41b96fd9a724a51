"""requirements.lock pins what pyproject.toml asks for, and nothing in it says where from."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PINS = [(canonicalize_name(name), pin) for name, pin in re.findall(r"^([\w.-]+)==([^\s;]+)", LOCK, re.MULTILINE)]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
GROUPS = PROJECT["dependency-groups"]
ASKED = [*PROJECT["project"]["dependencies"], *(x for group in GROUPS.values() for x in group if isinstance(x, str))]


@pytest.mark.parametrize("asked", ASKED)
def test_the_lock_pins_each_dependency_within_its_range(asked: str) -> None:
    requirement = Requirement(asked)
    versions = [pin for name, pin in PINS if name == canonicalize_name(requirement.name)]
    assert versions, f"requirements.lock has no {requirement.name}: run `make lock`"
    assert all(requirement.specifier.contains(v) for v in versions), f"{versions} is not {asked}: run `make lock`"


def test_what_builds_the_package_is_in_the_lock() -> None:
    assert GROUPS["build"] == PROJECT["build-system"]["requires"]


def test_the_lock_names_no_host() -> None:
    assert [line for line in LOCK.splitlines() if "://" in line or line.startswith("-")] == []
