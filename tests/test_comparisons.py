"""Every comparison of a population against the plain evaluator."""

import pytest
from hypothesis import HealthCheck, given, settings

import multiverse as mv
from plain_comparisons import Quantities, compared, has_effects
from plain_study import PlainStudy
from studies import studies, write_study


@given(study=studies().filter(has_effects))
@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow])
def test_contrasts_of_a_random_study_are_the_plain_evaluators(
    tmp_path_factory: pytest.TempPathFactory, study: PlainStudy
) -> None:
    study = compared(study)
    family = max(study.families["families"])
    found = mv.audit(write_study(study, tmp_path_factory.mktemp("study")), family=family)
    for name, where in (study.study.get("populations") or {"all": {}}).items():
        want = Quantities(study, family, where).once()
        whole = {effect: cells.keys() for effect, cells in found.populations[name].effects.items()}
        comparisons, effects = found.comparisons[name], {c["id"]: c["effect"] for c in declared(study)}
        got = {
            (kind, one, key): value.value
            for kind, values in (("contrast", comparisons.contrasts), ("stratum", comparisons.stratum_contrasts))
            for one, cells in values.items()
            for key, value in cells.items()
            if {value.from_cell, value.to_cell} <= whole[effects[one]]
        }
        assert got == {key: value for key, value in want.items() if key[0] in ("contrast", "stratum")}


def declared(study: PlainStudy) -> list[dict[str, str]]:
    endpoints = study.study["endpoints"]
    return [*endpoints["contrasts"], *endpoints["stratum_contrasts"]]
