"""The report laid out: one self-contained page, and the same in Markdown, by Jinja2 templates."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias

from jinja2 import DictLoader, Environment, StrictUndefined

from multiverse.errors import printable
from multiverse.report.blocks import Section
from multiverse.report.sentences import Kind, Sentence, plain

if TYPE_CHECKING:
    from multiverse.report.charts import ChartSpec

Json: TypeAlias = dict[str, Any]

_SPECIAL = re.compile(r"([\\`*_{}\[\]()<>#|~&!$:@])")
_OWN_SPECIAL = re.compile(r"([\\`*_\[\]<>#|])")
_MINUS = re.compile(r"(?<![\w/])-(?=\d)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Head:
    """What stands above the sections."""

    study: str
    title: str
    family: str
    license: str
    counts: str
    standing: str
    digest: str  # of record.json


@dataclass(frozen=True, kw_only=True, slots=True)
class Scripts:
    """What the page computes with, each safe inside a script element."""

    program: str
    data: str  # JSON
    vega: str  # JSON: the compiled charts by name


def page_html(
    head: Head, sections: Sequence[Section], charts: "Mapping[str, ChartSpec]", controls: Json, scripts: Scripts
) -> bytes:
    """The whole page: no file and no network beside it; what users wrote is text, never markup."""
    template = _environment(autoescape=True).get_template("report.html.j2")
    style = _source("style.css")
    return template.render(
        head=head, sections=sections, charts=charts, controls=controls, scripts=scripts, style=style
    ).encode()


def page_markdown(head: Head, sections: Sequence[Section], charts: "Mapping[str, ChartSpec]") -> bytes:
    """The same as Markdown, with the figures in files beside it."""
    template = _environment(autoescape=False).get_template("report.md.j2")
    text = template.render(head=head, sections=sections, charts=charts)
    return (re.sub(r"\n{3,}", "\n\n", text).strip() + "\n").encode()


def _source(name: str) -> str:
    return (files("multiverse.report") / "templates" / name).read_text("utf-8")


@cache
def _environment(*, autoescape: bool) -> Environment:
    names = [path.name for path in (files("multiverse.report") / "templates").iterdir()]
    environment = Environment(
        loader=DictLoader({name: _source(name) for name in names if name.endswith(".j2")}),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "visible": printable,
        "prose": prose,
        "minus": _minus,
        "line": plain,
        "escaped": escaped,
        "own": _own,
        "told": _told,
    }
    return environment


def prose(text: str) -> str:
    """Running text on one line; what cannot be printed is escaped."""
    return printable(" ".join(text.split()))


def _minus(text: str) -> str:
    """Figures with a minus sign, which is as wide as a plus."""
    return _MINUS.sub("\N{MINUS SIGN}", printable(text))


def escaped(text: str) -> str:
    """Text as Markdown that shows it as it is."""
    return _SPECIAL.sub(r"\\\1", printable(text))


def _told(sentence: Sentence) -> str:
    """A sentence as Markdown."""
    return "".join(_WORDS[word.kind](word.text) for word in sentence)


def _own(text: str) -> str:
    """Text of the report's own as Markdown."""
    return _OWN_SPECIAL.sub(r"\\\1", printable(text))


_WORDS: Mapping[Kind, Callable[[str], str]] = {"text": _own, "number": _minus, "name": escaped, "spec": escaped}
