"""The words of a report are those of the glossary."""

import re

from multiverse.report.terms import TERMS
from pages import ROOT


def test_every_term_is_defined_as_in_the_glossary() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    entries = re.findall(r"^- \*\*(.+?)\*\*(?: \([^)]*\))?: (.*?)(?=^- |^$|\Z)", page, re.MULTILINE | re.DOTALL)
    glossary = {term: " ".join(re.sub(r"[*`]", "", text).split()) for term, text in entries}
    assert len(TERMS) > 40
    assert {term: glossary.get(term) for term in TERMS} == TERMS
