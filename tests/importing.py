"""What tests of importers ask of an imported study."""

from pathlib import Path

import pytest

from multiverse.errors import InputError
from multiverse.importers import Imported, import_log


def states(found: Imported) -> dict[str, int]:
    """The outcomes in each state."""
    return dict(sorted(found.log.outcomes.group_by("status").len().iter_rows()))


def options(found: Imported, coordinate: str) -> list[str]:
    return [option.id for c in found.log.choices if c.coordinate == coordinate for option in c.options]


def level(found: Imported, spec: str, method: str, population: str = "everything") -> tuple[str | None, int]:
    """A level and its support."""
    columns = ("population", "spec", "method", "exact", "support")
    for one in found.audit.levels.select(columns).iter_rows():
        if one[:3] == (population, spec, method):
            return one[3], one[4]
    raise AssertionError(f"no {spec} among {found.audit.levels['spec'].unique().sort().to_list()}")


def verdicts(found: Imported) -> list[tuple[str, str, str, str]]:
    """Each number of the log, and what the study makes of it."""
    return [(one.headline.method, one.headline.name, str(one.level), one.verdict) for one in found.reconciled]


def refusal(form: str, folder: Path, *sources: Path) -> str:
    """The message with which logs are refused, nothing being written."""
    with pytest.raises(InputError) as caught:
        import_log(form, sources, folder / "study")
    assert not (folder / "study").exists()
    return str(caught.value).replace(f"{folder}/", "")
