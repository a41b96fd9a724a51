"""The words that a report uses, as docs/glossary.md defines them: the pages of docs/ are not installed."""

import re

_TEXT = """\
study: a folder of YAML files that declares all of the above.
row: one artifact that is evaluated: a trace, a question, a document.
cluster: the rows of one task; without a cluster column every row is its own.
population: a named filter of rows; every conclusion is reported for each population apart.
method: what is compared: a model, a rule, an annotator. Its answers are recorded before the audit and never
  computed by it.
state: what kind of record a method left on a row: answered, empty (it answered nothing), missing (no record), or a
  label of the data's own such as timeout.
coordinate: one choice that an evaluator makes: contract, disposition, terminal, reading, scoring, aggregation.
option: one of the declared answers to a coordinate.
specification: one option of each coordinate; its id joins theirs, as in R0A1/baseline/asym.
family: a declared set of specifications.
contract: the predicates that an object must satisfy to be legal.
factor: a part of the contract that is varied by itself.
legal: of an object, that it satisfies the contract under the terminal treatment; of a group, that all its objects
  do.
disposition: what each state scores, by whether the row's legal family is empty.
eligible: of a row, for a method and a specification, that the disposition does not exclude it from the denominator.
support: the eligible rows.
terminal treatment: whether special objects are read like any other, exempt from named predicates, or never legal.
reading: which of the recorded predictions or outcomes count.
scoring: how a prediction is matched with the legal family, or which score column is read and how repeats are
  combined.
aggregation: how the scores of rows become a level.
common support: the rows on which all methods compared are eligible; of an aggregation, all methods of the study.
endpoint: a quantity computed at a specification: a level, a margin, an effect or a ranking.
level: the aggregated score of a method at a specification.
margin: the level of one method minus that of another.
effect: how far a margin moves when a factor goes from one factor level to another, averaged over backgrounds.
background: the factor levels of the other factors, held the same on both sides of an effect.
cell: the options of all coordinates but the contract; an effect has one value in each. A family holds a cell whole
  when it has both sides at every background, and otherwise in part.
ranking: the methods by level, best first; a method's rank is 1 plus the number of methods strictly above it.
weak order: a ranking with its ties, as a list of tie groups.
pair relation: how a margin's sign behaves over a family: robust strict (always the same side), robust tie (always
  zero), weak (zero and one side), reversal (both sides).
tau-b: Kendall's rank correlation between the levels of two specifications; 1 is agreement, -1 the opposite order.
rank set: the ranks that a method has somewhere in a family.
winner set: the methods that rank first somewhere in a family.
undefined: of an endpoint at a specification, that no eligible row is left to compute it from. It is counted, and is
  never 0.
identified set: the values that an endpoint takes over a family.
identified: of an endpoint over a family, that its identified set is one value and it is nowhere undefined. Always
  relative to the family: a larger family has no smaller identified set.
witness: a specification that gives a value of an identified set; two with different values prove that it is not one
  value.
license: the inference that a study's families are to allow, in words.
rationale: why an option or a family is declared, in words and without regard to what it scores.
gate: a number of rows or clusters that a study asks for, counted by what contracts do to legal families, before its
  predictions or outcomes are opened.
exact: a rational number computed without rounding; 0, ties and single values are meant literally.
audit: the computation of every endpoint at every specification, and of the identified sets over one family.
record: the file that an audit writes, record.json, with tables beside it.
freeze: the receipt that fixes what a study is before its answers are read: spec files, families, data, seeds, code,
  libraries.
receipt: a small file that binds other files by their digests and says what happened: a freeze, a gate, a run or a
  correction.
digest: the SHA-256 of the bytes of a file; other bytes have another.
chain: the receipts of one study in order, each with the digest of the one before.
head: the digest of the last receipt of a chain.
run: an audit with its receipt: complete under a freeze with nothing changed since, otherwise exploratory.
identification record: the seven fields of the paper's Table 3, filled for one family.
status: of a record, frozen from a complete run, otherwise exploratory.
exploratory: of a run and its record, without a freeze or beside changes since it.
sampling uncertainty: how far a value would move had other rows been drawn. A second axis, never part of an
  identified set.
"""

TERMS = {
    term: " ".join(definition.split())
    for term, definition in re.findall(r"^(\S.*?): (.*?)(?=^\S|\Z)", _TEXT, re.MULTILINE | re.DOTALL)
}
