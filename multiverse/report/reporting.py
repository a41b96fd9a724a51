"""The report of an audit's folder: the list of named steps, from record and tables to what is written."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from multiverse.output import Written, check_output, write_pages
from multiverse.report.charts import ChartSpec, charts
from multiverse.report.drawing import bundle, compiled, figures
from multiverse.report.findings import finding_sections
from multiverse.report.history import History, find_history
from multiverse.report.ordering import in_declared_order
from multiverse.report.page import Head, Scripts, page_html, page_markdown
from multiverse.report.page_data import controls, page_data, page_script, script_json
from multiverse.report.results import Results, as_written, read_results
from multiverse.report.standing import standing_sections
from multiverse.report.verdict import Json, Verdict
from multiverse.report.verdicts import standing, verdict_lines, verdicts
from multiverse.summary import Line, counted
from multiverse.verify import sha256


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """A report that was written."""

    folder: Path
    record: Json
    verdicts: tuple[Verdict, ...]
    written: tuple[Written, ...]
    note: str  # what is to be said of the receipts beside; often nothing

    @property
    def lines(self) -> list[Line]:
        """The verdicts as text, for a person at a terminal."""
        return list(verdict_lines(self.record))

    @property
    def entry(self) -> Json:
        """The verdicts, and the files written with their digests, as JSON."""
        named = {key: self.record[key] for key in ("study", "family", "status")}
        files = [{"path": str(self.folder / one.path), "sha256": one.sha256} for one in self.written]
        return {**named, "verdicts": [one.entry for one in self.verdicts], "written": files}


def report(folder: str | Path, *, progress: Callable[[str], None] = lambda step: None) -> Report:
    """Write report.html, report.md and figures/ into the folder of an audit, from its record and tables.

    The receipts of the study under receipts/ of the working directory are told where a run of theirs binds the record.
    Raises InputError where the folder holds no audit, or another version's, or cannot be written.
    """
    out = Path(folder)
    with as_written(out):
        progress("reading the record and its tables")
        results = read_results(out)
        check_output(out)
        record = in_declared_order(results.record, _populations(results))
        history = find_history(record, results.content)
        found = verdicts(record)
        files = _files(results, record, history, progress)
    progress("writing")
    written = write_pages(out, results.content, files)
    note = f"receipts do not verify: {history.fault}" if history.fault else ""
    return Report(folder=out, note=note, record=record, verdicts=found, written=written)


def _files(results: Results, record: Json, history: History, progress: Callable[[str], None]) -> Mapping[str, bytes]:
    """What a report consists of, by path."""
    progress("drawing the charts")
    drawn = charts(results)
    head = _head(record, results.content)
    sections = [
        *finding_sections(record, results.tables["options"], drawn),
        *standing_sections(record, head.digest, history),
    ]
    progress("laying out the page")
    data = page_data(results)
    return {
        "report.html": page_html(head, sections, drawn, controls(data), _scripts(data, drawn)),
        "report.md": page_markdown(head, sections, drawn),
        **{f"figures/{name}": content for name, content in figures(drawn).items()},
    }


def _head(record: Json, content: bytes) -> Head:
    populations = record["populations"]
    counts = f"{counted(len(record['specs']), 'specification')} of {counted(len(record['coordinates']), 'coordinate')}"
    return Head(
        study=record["study"],
        title=record["title"],
        family=record["family"],
        license=record["license"],
        counts=f"{counts}, {counted(len(populations), 'population')}",
        standing=standing(record),
        digest=sha256(content),
    )


def _populations(results: Results) -> list[str]:
    """The populations in the order declared."""
    return list(results.tables["levels"]["population"].unique(maintain_order=True))


def _scripts(data: Json, drawn: Mapping[str, ChartSpec]) -> Scripts:
    """The programs and data of the page; the explorer has one curve and one matrix, whatever the population."""
    first = data["populations"][0]["name"]
    vega = {
        name: {"vega": compiled(one), "kind": one.kind, "population": one.population, "of": one.of}
        for name, one in drawn.items()
        if one.kind not in ("curve", "matrix") or one.population == first
    }
    return Scripts(program=f"{bundle()}\n{page_script()}", data=script_json(data), vega=script_json(vega))
