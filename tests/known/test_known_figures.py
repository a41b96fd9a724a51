"""Every figure of the paper that the reconstruction meets, against the paper's number."""

import pytest
from audits import audited
from figures import FIGURES, Figure


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_a_published_figure(figure: Figure) -> None:
    """One that is said to be unmet is so: a figure that comes to be met has to lose its reason."""
    value = figure.read(audited(figure.study, figure.family))
    verdict = figure.verdict(value)
    assert (verdict == "unmet") == (figure.unmet is not None), f"{figure.found(value)}, published {figure.shown}"


def test_names_are_unique() -> None:
    assert len({figure.name for figure in FIGURES}) == len(FIGURES)
