"""Hypothesis strategies for small valid studies."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations, product
from typing import Any, Literal

from hypothesis import strategies as st

from plain import PlainStudy, effect_backgrounds, effect_cells
from plain_scores import methods, read_pairs
from plain_study import contract_options, coordinate_options, family_specs, keys
from study_files import write_study
from study_tables import (
    OBJECT_COLUMNS,
    RECORD_COLUMNS,
    ROW_COLUMNS,
    Draw,
    File,
    answers,
    leaf,
    outcomes,
    predicates,
    subset,
    substrate,
)

__all__ = ["gated", "studies", "write_study"]

Kind = Literal["hypotheses", "scores"]
PREDICATES = ("localizable", "recorded", "timely", "chosen")
RATIONALE = "declared before any outcome was read"
MOST_SPECS = 72


def studies(kind: Kind | None = None) -> st.SearchStrategy[PlainStudy]:
    """Small valid studies of one kind, or of both."""
    return st.sampled_from(["hypotheses", "scores"] if kind is None else [kind]).flatmap(_study)


@st.composite
def _study(draw: Draw, kind: str) -> PlainStudy:
    bare = draw(substrate(kind))
    attributes = OBJECT_COLUMNS if kind == "hypotheses" else ROW_COLUMNS
    contracts = draw(_contracts(attributes)) if draw(st.integers(0, 5)) else None
    sizes = draw(_sizes(0 if contracts is None else len(contract_options(contracts))))
    columns = (*RECORD_COLUMNS, "epoch") if kind == "scores" and draw(st.booleans()) else RECORD_COLUMNS
    bare = replace(bare, contracts=contracts, readings=draw(_readings(columns, sizes["reading"])))
    bare = replace(bare, **draw(outcomes(bare, columns) if kind == "scores" else answers(bare)))
    bare = replace(
        bare,
        dispositions=draw(_dispositions(bare, sizes["disposition"])),
        terminals=draw(_terminals(bare, sizes["terminal"])),
        scorings=draw(_scorings(kind, sizes["scoring"])),
        aggregations=draw(_aggregations(bare, sizes["aggregation"])),
    )
    bare = replace(bare, families=draw(_families(bare)))
    bare = replace(bare, study=draw(_choices(bare)))
    return replace(bare, study={**bare.study, **draw(_endpoints(bare))})


@st.composite
def _sizes(draw: Draw, contracts: int) -> dict[str, int]:
    """How many options each other coordinate gets (0: no file), so that the product stays small."""
    room = MOST_SPECS // max(contracts, 1)
    sizes = {}
    for name in draw(st.permutations(["disposition", "terminal", "reading", "scoring", "aggregation"])):
        sizes[name] = draw(st.integers(1 if name == "disposition" else 0, min(room, 4 if name == "scoring" else 3)))
        room //= max(sizes[name], 1)
    return sizes


@st.composite
def _reasoned(draw: Draw, file: File) -> File:
    """The file with a rationale of its own, or one for each of its options."""
    if draw(st.booleans()):
        return {**file, "rationale": RATIONALE}
    return {**file, "options": [{**option, "rationale": RATIONALE} for option in file["options"]]}


@st.composite
def _contracts(draw: Draw, columns: tuple[str, ...]) -> File:
    """A factorial, a plain list, or both."""
    names = PREDICATES[: draw(st.integers(1, 4))]
    file: File = {"coordinate": "contract", "predicates": {name: draw(predicates(columns)) for name in names}}
    if draw(st.booleans()):
        file["always"] = draw(subset(names))
    shape = draw(st.sampled_from(["factors", "options", "both"]))
    if shape == "options":
        return draw(_reasoned(file | {"options": draw(_plain_options(names, {}))}))
    factors = draw(_factors(names))
    template = "".join(f"{name}{{{name}}}" for name in factors)
    file |= {"factors": factors, "id": draw(st.sampled_from(["", "c-"])) + template}
    if shape == "both":
        file["options"] = draw(_plain_options(names, factors))
    return {**file, "rationale": RATIONALE}


@st.composite
def _factors(draw: Draw, names: Sequence[str]) -> File:
    """One to three factors of two or three levels, at most nine contracts in all."""
    sizes = draw(st.sampled_from([(2,), (3,), (2, 2), (2, 3), (3, 2), (3, 3), (2, 2, 2)]))
    levels = draw(st.sampled_from([("0", "1", "2"), ("lax", "strict", "full")]))
    factors = draw(st.permutations(["R", "T", "A"]))[: len(sizes)]
    return {
        factor: {level: draw(subset(names, least=min(number, 1))) for number, level in enumerate(levels[:size])}
        for factor, size in zip(factors, sizes, strict=True)
    }


@st.composite
def _plain_options(draw: Draw, names: Sequence[str], factors: File) -> list[File]:
    """Plain contracts; with levels of their own, each choice once, or without any."""
    chosen: list[dict[str, str]]
    if factors:
        last = [*factors][-1]
        first = {factor: next(iter(levels)) for factor, levels in factors.items()}
        chosen = draw(st.lists(st.sampled_from([{**first, last: "extra"}]), max_size=1))
    else:
        full = [{"A": a, "R": r} for a, r in product("012", "01")]
        chosen = draw(st.lists(st.sampled_from(full), max_size=5, unique_by=str))
    bare = draw(st.integers(0 if chosen else 1, 2))
    ids = draw(st.permutations(["no", "014", "1e3", "plain", "null", "strict-2", "p.7"]))
    options = [{"id": name, "require": draw(subset(names))} for name in ids[: len(chosen) + bare]]
    return [
        {**option, "levels": chosen[number]} if number < len(chosen) else option
        for number, option in enumerate(options)
    ]


@st.composite
def _readings(draw: Draw, columns: tuple[str, ...], size: int) -> File | None:
    """Readings over the recorded attributes; some keep all, some call what they emptied empty."""
    options = []
    for name in ["any_answer", "final_only", "later"][:size]:
        where = draw(st.one_of(st.just({}), *[predicates(columns)] * 3))
        options.append({"id": name, "where": where} | draw(st.sampled_from([{}, {"none_left": "empty"}])))
    return {"coordinate": "reading", "options": options} if size else None


@st.composite
def _dispositions(draw: Draw, study: PlainStudy, size: int) -> File:
    """Dispositions that declare every state that can occur, and at times one that does not."""
    readings = [None] if study.readings is None else study.readings["options"]
    extra = st.sets(st.sampled_from(["missing", "unheard"]))
    repeats = [repeat for reading in readings for pair in read_pairs(study, reading).values() for repeat in pair]
    states = sorted({repeat.state for repeat in repeats} | {"answered", "empty"} | draw(extra))
    entries = st.sampled_from([0, 0, 0, 0, 1, 1, 0.5, 0.1, 0.3, "exclude"])
    options = []
    for name in ["baseline", "conservative", "conditional"][:size]:
        present = {state: draw(entries) for state in states}
        present["answered"] = draw(st.sampled_from(["match"] * 10 + [1, "exclude"]))
        empty = draw(st.fixed_dictionaries(dict.fromkeys(states, entries))) if draw(st.integers(0, 3)) else "exclude"
        options.append({"id": name, "legal_present": present, "legal_empty": empty})
    return draw(_reasoned({"coordinate": "disposition", "options": options}))


@st.composite
def _terminals(draw: Draw, study: PlainStudy, size: int) -> File | None:
    """Terminal treatments; exemptions only where there are predicates to be exempt from."""
    if not size:
        return None
    kinds: list[tuple[str, st.SearchStrategy[Any]]]
    kinds = [("asym", st.just("as_declared")), ("exclude_both", st.just("never_legal"))]
    if study.contracts is not None:
        exempt = subset([*study.contracts["predicates"]], least=1)
        kinds.append(("keep_both", st.builds(lambda names: {"exempt": names}, exempt)))
    order = draw(st.permutations(kinds))[:size]
    options = [{"id": name, "treatment": draw(treatment)} for name, treatment in order]
    columns = ROW_COLUMNS if study.objects is None else OBJECT_COLUMNS
    file = {"coordinate": "terminal", "special": draw(leaf(columns)), "options": options}
    return draw(_reasoned(file))


@st.composite
def _scorings(draw: Draw, kind: str, size: int) -> File | None:
    """Set likenesses, or score columns with thresholds and repeats rules."""
    if not size:
        return None
    if kind == "hypotheses":
        rules = draw(st.permutations(["exact", "overlap", "jaccard", "dice"]))[:size]
        return {"coordinate": "scoring", "options": [{"id": f"by_{rule}", "rule": rule} for rule in rules]}
    options: list[File] = []
    for number in range(size):
        repeats, more = draw(_repeats())
        thresholds: list[File] = [{"at_least": 0.5}, {"at_least": 0.3}, {"at_least": 1}]
        is_counted = repeats == "majority" or isinstance(repeats, dict)
        limit = draw(st.sampled_from(thresholds if is_counted else [{}, *thresholds]))
        rounding: list[File] = [{}, {}, {"decimals": 1}, {"decimals": 0, "rounding": "half_up"}]
        column = {"column": draw(st.sampled_from(["score", "score", "strict"]))} | draw(st.sampled_from(rounding))
        options.append({"id": f"s{number}", "rule": "column", **column, **limit, "repeats": repeats, **more})
    return {"coordinate": "scoring", "options": options}


@st.composite
def _repeats(draw: Draw) -> tuple[Any, File]:
    """A rule for repeats, and the keys that go with it."""
    if draw(st.booleans()):
        return draw(st.sampled_from(["mean", "max", "min", "majority", "first", "median"])), {}
    if draw(st.booleans()):
        return "mode", draw(st.sampled_from([{}, *({"ties": ties} for ties in ("first", "lowest", "highest"))]))
    rule, asked = draw(st.sampled_from(["at_least", "pass_at", "pass_all"])), draw(st.integers(1, 3))
    fewer: list[File] = [{}, {"fewer": "exclude"}, {"fewer": "clamp"}, {"fewer": 0}, {"fewer": 1}, {"fewer": 0.3}]
    return {rule: asked}, draw(st.sampled_from(fewer))


def _rules(study: PlainStudy) -> list[str]:
    """The aggregations that the rows have the columns for."""
    rules = ["row_mean", "cluster_mean"]
    return [*rules, "stratum_mean"] if keys(study).stratum in study.rows[0] else rules


@st.composite
def _aggregations(draw: Draw, study: PlainStudy, size: int) -> File | None:
    """Some of the aggregations in any order, some with weights, a support of their own or win shares."""
    rules = draw(st.permutations([*_rules(study), "group_mean", "auc"]))[:size]
    options = [{"id": rule, "rule": rule, **draw(_more(rule, study))} for rule in rules]
    return {"coordinate": "aggregation", "options": options} if size else None


@st.composite
def _more(draw: Draw, rule: str, study: PlainStudy) -> File:
    """What an aggregation has beside its rule."""
    found: File = {"support": draw(st.sampled_from(["common", "complete", "own"]))} if draw(st.booleans()) else {}
    groups = ["category", *({keys(study).cluster, keys(study).stratum} & {*study.rows[0]})]
    if rule == "auc":
        within = {"within": draw(st.sampled_from(groups))}
        pool = draw(st.sampled_from([{}, {"pool": "pairs"}, {"pool": "groups"}]))
        return found | {"label": "positive"} | draw(st.sampled_from([{}, within])) | pool
    if rule == "group_mean":
        found["by"] = draw(st.sampled_from(groups))
        if found["by"] == "category" and draw(st.booleans()):
            found["group_weight"] = "category_weight"
    found |= {"of": "win_share"} if draw(st.integers(0, 3)) == 0 else {}
    return found | ({"weight": "importance"} if draw(st.integers(0, 2)) == 0 else {})


# Families, populations, endpoints


@st.composite
def _families(draw: Draw, study: PlainStudy) -> File:
    """One to three products, whole or partial, and at times a union of some, and a union of that."""
    families: dict[str, File] = {}
    for number in range(draw(st.sampled_from([2, 3, 1]))):
        whole = draw(st.integers(0, 3)) == 0 if number else draw(st.booleans())
        families[f"f{number}"] = {} if whole else draw(_product(coordinate_options(study)))
    if draw(st.booleans()):
        families["audit"] = {"union": draw(subset([*families], least=1))}
        families |= draw(st.sampled_from([{}, {"wide": {"union": ["audit", "f0"]}}]))
    if draw(st.booleans()):
        return {"license": "a random study", "rationale": RATIONALE, "families": families}
    reasoned = {name: {**family, "rationale": RATIONALE} for name, family in families.items()}
    return {"license": "a random study", "families": reasoned}


def _product(options: Mapping[str, Mapping[str, Any]]) -> st.SearchStrategy[File]:
    """A choice on some of the coordinates, all or some options in any order."""
    choices: dict[str, st.SearchStrategy[Any]] = {
        name: st.just("all") | subset([*declared], least=1) for name, declared in options.items()
    }
    return st.fixed_dictionaries({}, optional=choices)


@st.composite
def _choices(draw: Draw, study: PlainStudy) -> File:
    """study.yaml with its methods, populations, aggregation and resampling."""
    file: File = dict(study.study)
    if draw(st.booleans()):
        file["methods"] = "all"
    if draw(st.integers(0, 5)) == 5:
        file["methods"] = draw(subset(methods(study), least=1))
    if draw(st.booleans()):
        wheres: st.SearchStrategy[File] = st.just({}) | predicates(ROW_COLUMNS)
        if "stratum" in study.rows[0]:
            wheres |= st.just({"column": "stratum", "equals": "s0"})
        names = ["everything", "some"][: draw(st.integers(1, 2))]
        file["populations"] = {name: draw(wheres) for name in names}
    if study.aggregations is None and draw(st.booleans()):
        file["aggregation"] = draw(st.sampled_from(_rules(study)))
    file["resampling"] = {"unit": "cluster", "draws": 20, "seed": draw(st.integers(0, 99)), "level": 0.95}
    return file


@st.composite
def _endpoints(draw: Draw, study: PlainStudy) -> File:
    """Up to two effects, each held whole by some family."""
    pairs = [[*pair] for pair in permutations(methods(study), 2)]
    possible = _contrasts(study) if pairs else []
    if not possible:
        return draw(st.sampled_from([{}, {"endpoints": {}}, {"endpoints": {"effects": []}}]))
    effects = []
    for number in range(draw(st.integers(1, 2))):
        factor, before, after = draw(st.sampled_from(possible))
        levels = {"from": draw(_bare(before)), "to": draw(_bare(after))}
        effects.append({"id": f"effect_{number}", "pair": draw(st.sampled_from(pairs)), "factor": factor, **levels})
    return {"endpoints": {"effects": effects}}


def _changes(study: PlainStudy) -> list[tuple[str, str, str]]:
    """Every (factor, from, to) that has a background."""
    levels: dict[str, set[str]] = {}
    for option in ({} if study.contracts is None else contract_options(study.contracts)).values():
        for factor, chosen in option["levels"].items():
            levels.setdefault(factor, set()).add(chosen)
    triples = [(name, *pair) for name, found in sorted(levels.items()) for pair in permutations(sorted(found), 2)]
    return [triple for triple in triples if effect_backgrounds(study, _change(triple))]


def _change(triple: tuple[str, str, str]) -> File:
    return dict(zip(("factor", "from", "to"), triple, strict=True))


def _contrasts(study: PlainStudy) -> list[tuple[str, str, str]]:
    """Every (factor, from, to) that some family holds whole at some cell."""
    families = [family_specs(study, family) for family in study.families["families"]]
    changes = _changes(study)
    return [one for one in changes if any(effect_cells(study, _change(one), specs)[0] for specs in families)]


@st.composite
def gated(draw: Draw, study: PlainStudy) -> PlainStudy:
    """The study with one to four gates, or none where its contracts make no change."""
    changes = _changes(study)
    gates = [draw(_gate(study, changes, f"g{number}")) for number in range(draw(st.integers(1, 4)) if changes else 0)]
    return replace(study, study={**study.study, "gates": gates})


@st.composite
def _gate(draw: Draw, study: PlainStudy, changes: Sequence[tuple[str, str, str]], name: str) -> File:
    tests = draw(subset(["family_unchanged", "family_nonempty", "family_collapses"], least=1))
    gate: File = {"id": name, "where": {test: draw(_condition(changes)) for test in tests[:2]}}
    named = {
        "population": [*(study.study.get("populations") or {"all": {}})],
        "terminal": [] if study.terminals is None else [option["id"] for option in study.terminals["options"]],
    }
    for key, known in named.items():
        is_named = draw(st.booleans())
        if len(known) > 1 or (known and is_named):
            gate[key] = draw(st.sampled_from(known))
    return {**gate, "count": draw(st.sampled_from(["rows", "clusters"])), "at_least": draw(st.integers(0, 4))}


@st.composite
def _condition(draw: Draw, changes: Sequence[tuple[str, str, str]]) -> File:
    factor, before, after = draw(st.sampled_from(changes))
    background = draw(st.sampled_from([{}, {"background": "every"}, {"background": "any"}]))
    return {"factor": factor, "from": draw(_bare(before)), "to": draw(_bare(after)), **background}


def _bare(level: str) -> st.SearchStrategy[Any]:
    """A level as text; 0 and 1 also as bare integers."""
    return st.sampled_from([level, int(level)]) if level in ("0", "1") else st.just(level)
