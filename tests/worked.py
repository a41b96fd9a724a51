"""Two rows whose every level can be counted by hand: what a terminal object is worth, on which support (paper §6.1)."""

from collections.abc import Mapping
from pathlib import Path

from small import Content, write_small

# r1 has one object, T, terminal and not adopted; r2 has T and N, ordinary and adopted. Method a says T on both rows; b
# says nothing on r1 and N on r2. Levels of (a, b) under contract A=0, in every cell: (1, 1/2), D = 1/2. Under A=1:
#   asym, conditional: r1 has no legal family and leaves; r2 has N: (0, 1), D = -1. T = -3/2.
#   asym, baseline: on r1 b's empty answer is right: (0, 1), D = -1. T = -3/2.
#   keep, both: T stays legal on both rows: (1, 1/2), D = 1/2. T = 0.
# Own support: T(keep) - T(asym) = 3/2. On r2 alone, the only row eligible at all four, conditional: A=0 (1, 1), D = 0;
# A=1 asym D = -1, keep D = 0: 0 - (-1) = 1. Half of the change was that r1 left, not how it scored.
FILES = {
    "terminals": """\
        coordinate: terminal
        special: {column: terminal, equals: true}
        options: [{id: asym, treatment: as_declared}, {id: keep, treatment: {exempt: [adopted]}}]
        """,
    "dispositions": """\
        coordinate: disposition
        options:
          - {id: baseline, legal_present: {answered: match, empty: 0}, legal_empty: {answered: 0, empty: 1}}
          - {id: conditional, legal_present: {answered: match, empty: 0}, legal_empty: exclude}
        """,
    "families": """\
        families: {all: {}, cc: {terminal: [keep]}, part: {contract: [A0], terminal: [asym]}}
        """,
    "contracts": """\
        coordinate: contract
        predicates: {adopted: {column: adopted, equals: true}}
        factors: {A: {"0": [], "1": [adopted]}}
        id: "A{A}"
        """,
}
TABLES: Mapping[str, Content] = {
    "rows": "row_id,cluster_id,stratum\nr1,c1,s1\nr2,c2,s2\n",
    "objects": "row_id,group_id,object_id,terminal,adopted\nr1,g,T,true,false\nr2,g,T,true,false\nr2,h,N,false,true\n",
    "predictions": "row_id,method,hypothesis_id,object_id,status\nr1,a,h1,T,\nr1,b,,,\nr2,a,h1,T,\nr2,b,h1,N,\n",
}
ENDPOINTS = """\
endpoints:
  effects: [{id: adoption, pair: [a, b], factor: A, from: 0, to: 1}]
  contrasts:
    - {id: own, effect: adoption, coordinate: terminal, from: asym, to: keep}
    - {id: common, effect: adoption, coordinate: terminal, from: asym, to: keep, support: common}
    - {id: back, effect: adoption, coordinate: terminal, from: keep, to: asym, support: common}
  stratum_contrasts: [{id: strata, effect: adoption, minus: [s1, s2]}]
"""
CLASSES = "{terminal: {column: terminal, equals: true}, rest: {column: terminal, equals: false}}"
DECOMPOSITION = "  decompositions: [{id: deletion, effect: adoption, classes: %s}]\n"


def write_worked(folder: Path, *, classes: str = CLASSES, endpoints: str = ENDPOINTS) -> Path:
    """The study in a folder, its decomposition by the classes given."""
    return write_small(folder, "hypotheses", study=endpoints + DECOMPOSITION % classes, files=FILES, **TABLES)
