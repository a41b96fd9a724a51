"""The families of an imported study: the harness's rule alone, what is reported, and everything that is open."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import prod

from multiverse.importers.log import Choice, Log, NamedFamily, Plain
from multiverse.specification import CoordinateName

MOST = 5_000  # specifications that are audited as every combination of options
_EVERYTHING = "every choice that the log leaves open, in every combination"
_ONE_AT_A_TIME = "every choice that the log leaves open, one coordinate at a time, and the choices that it reports"
_HARNESS = {
    True: "the harness's own rule on every choice: the number that it headlines",
    False: "the first option of every choice, as a table has no rule of its own",
}
_OTHERS = {
    True: "the harness's own rule on every other choice",
    False: "the first option of every other choice",
}


def bounded(log: Log, most: int = MOST) -> Log:
    """The log, its choices audited one coordinate at a time where their combinations are more than `most`."""
    count = prod(len(choice.options) for choice in log.choices)
    if count <= most:
        return log
    alone = [_alone(log, choice) for choice in log.choices if len(choice.options) > 1]
    settled = [
        replace(
            one,
            chosen=_harness(log) | dict(one.chosen),
            rationale=f"{one.name}, and {_OTHERS[log.has_rule]}",
        )
        for one in log.families
    ]
    note = (
        f"the choices have {count:,} combinations, more than the {most:,} that are audited in full: family audit "
        "departs from the harness on one coordinate at a time; further combinations are for families.yaml to name"
    )
    return replace(
        log,
        families=(*alone, *settled),
        audited=tuple(one.name for one in alone),
        notes=(*log.notes, note),
    )


def _alone(log: Log, choice: Choice) -> NamedFamily:
    """All options of one coordinate, and the harness's own on the others."""
    options = {choice.coordinate: tuple(option.id for option in choice.options)}
    why = f"every {choice.coordinate}, and {_OTHERS[log.has_rule]}"
    return NamedFamily(name=f"each_{choice.coordinate}", chosen=_harness(log) | options, rationale=why)


def _harness(log: Log) -> dict[CoordinateName, tuple[str, ...]]:
    return {coordinate: (option,) for coordinate, option in log.harness_options.items()}


def families_of(log: Log) -> dict[str, dict[str, Plain]]:
    """The families by name, as families.yaml declares them."""
    own: dict[str, Plain] = {choice.coordinate: [choice.harness] for choice in log.choices}
    reported = _reported(log)
    families: dict[str, dict[str, Plain]] = {
        "audit": {"rationale": _EVERYTHING},
        "harness": own | {"rationale": _HARNESS[log.has_rule]},
    }
    if reported is not None and reported != own:
        families["reported"] = reported | {"rationale": f"the choices for which {log.reporter} reports a number"}
    if log.audited:
        parts: list[Plain] = [*log.audited, *(["reported"] if "reported" in families else [])]
        families["audit"] = {"union": parts, "rationale": _ONE_AT_A_TIME}
    for family in log.families:
        families[family.name] = {name: list(options) for name, options in family.chosen.items()}
        families[family.name] |= {"rationale": family.rationale}
    return families


def _reported(log: Log) -> dict[str, Plain] | None:
    """The options that the numbers of the log are of, by coordinate."""
    if not log.headlines:
        return None
    chosen: dict[CoordinateName, dict[str, None]] = {}
    for headline in log.headlines:
        for coordinate, option in (log.harness_options | dict(headline.chosen)).items():
            chosen.setdefault(coordinate, {})[option] = None
    return {coordinate: _in_order(log.choices, coordinate, options) for coordinate, options in chosen.items()}


def _in_order(choices: Iterable[Choice], coordinate: CoordinateName, options: Mapping[str, None]) -> list[Plain]:
    listed = next(choice for choice in choices if choice.coordinate == coordinate)
    return [option.id for option in listed.options if option.id in options]
