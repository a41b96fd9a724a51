"""The sections on how a record stands: gates, receipts, Table 3, the words, and how to verify it all."""

from collections.abc import Iterator

from multiverse.report.blocks import Block, Command, Section, Statements, Terms, columns, numeric, table, text
from multiverse.report.history import History
from multiverse.report.sentences import name, number, prose, sentence, spec
from multiverse.report.terms import TERMS
from multiverse.report.verdict import Json
from multiverse.report.verdicts import standing


def standing_sections(record: Json, digest: str, history: History) -> Iterator[Section]:
    """The sections on how a record stands, in reading order; `digest` is the SHA-256 of its bytes."""
    yield Section(
        id="gates",
        title="Gates",
        lead="Numbers of rows or clusters that the study asks for, counted before predictions or outcomes are opened.",
        blocks=tuple(_gate_blocks(record)),
    )
    yield Section(
        id="receipts",
        title="Receipts and timeline",
        lead="What was frozen before what was read, as the study's own receipts say it.",
        blocks=tuple(_receipt_blocks(record, history)),
    )
    yield Section(
        id="record",
        title="Identification record",
        lead="The seven fields of the paper's Table 3, filled for this family.",
        blocks=tuple(_record_blocks(record, history)),
    )
    yield Section(
        id="glossary",
        title="Glossary",
        lead="One word for each idea.",
        blocks=(Terms(tuple(TERMS.items())),),
    )
    yield Section(
        id="verify",
        title="How to verify",
        lead="This report is made from record.json and the tables beside it, and from nothing else but the receipts "
        "above. The same files give the same bytes.",
        blocks=tuple(_verify_blocks(record, digest, history)),
    )


def _gate_blocks(record: Json) -> Iterator[Block]:
    if not record["gates"]:
        yield text("This study declares no gate.", tone="note")
        return
    heads = [*columns("gate", "population", "counts"), *numeric("count", "at least"), *columns("verdict")]
    rows = [
        (
            (name(one["id"]),),
            (name(one["population"]),),
            sentence(one["unit"]),
            (number(f"{one['count']:,}"),),
            (number(f"{one['at_least']:,}"),),
            sentence(one["verdict"].replace("_", " ")),
        )
        for one in record["gates"]
    ]
    yield table(sentence("Gates and their verdicts"), heads, rows, where="record.json")


def _receipt_blocks(record: Json, history: History) -> Iterator[Block]:
    if history.fault:
        where = f"receipts/{record['study']} of the folder in which the report was made"
        yield text(f"The receipts under {where} do not verify: ", prose(history.fault), ".", tone="warning")
        yield Command(f"multiverse verify {record['study']}")
        return
    if not history.run:
        yield text(
            f"No receipt that binds this record was found under receipts/{record['study']} of the folder in which the "
            "report was made.",
            tone="note",
        )
        yield text("A freeze and an audit under it give one:")
        yield Command(f"multiverse freeze {record['study']}")
        yield Command(f"multiverse audit {record['study']} --family {record['family']}")
        return
    how = "a complete run: nothing had changed since its freeze" if history.complete else "an exploratory run"
    yield text("This record is bound by ", spec(history.run), f", the receipt of {how}.")
    admissibility = record["admissibility"]
    if admissibility is not None and admissibility["reason"]:
        yield text(f"It is a {standing(record)}. The reason given: ", prose(admissibility["reason"]), ".")
    rows = [
        ((number(f"{one.seq:04d}"),), (number(one.claimed_at),), sentence(one.stage), (name(one.event),))
        for one in history.events
    ]
    heads = [*numeric("receipt"), *columns("time claimed", "stage", "event")]
    yield table(sentence("Timeline of the study, from its receipts"), heads, rows, where="receipts/", folded=False)
    yield text("The head of the chain, the SHA-256 of its last receipt: ", spec(history.head))


def _record_blocks(record: Json, history: History) -> Iterator[Block]:
    if not history.fields:
        yield text(f"None here: {history.why_none}.", tone="note")
        yield text("Of a record that a complete run under the last freeze has written, it is given by")
        yield Command(f"multiverse record {record['study']} --family {record['family']}")
        return
    for field, statements in history.fields.items():
        yield Statements(field, tuple(statements))
    yield text("Claims hold relative to the declared family alone.", tone="note")


def _verify_blocks(record: Json, digest: str, history: History) -> Iterator[Block]:
    yield text("The record that this report tells of has the SHA-256 ", spec(digest), ". In its folder:")
    yield Command("sha256sum record.json")
    if history.complete:
        yield text("The receipts, and every number of the study computed again and compared byte for byte:")
        yield Command(f"multiverse verify {record['study']} --expect-head {history.head}")
        yield Command(f"multiverse verify {record['study']} --rerun")
    yield text("The report again, where receipts/ is, DIR being the folder of the record:")
    yield Command("multiverse report DIR")
