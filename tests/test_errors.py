"""Faults say where, what was found, what was expected and the nearest known name; errors list them all."""

import pytest

from multiverse.errors import Fault, GateError, InputError, MultiverseError, Place, printable, quoted, unknown_name
from multiverse.gates import GateVerdict

AT = Place(file="study.yaml", line=3, column=14)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (Fault(where=str(AT), found="no study"), "study.yaml:3:14: no study"),
        (Fault(where="rows", found="a", expected="b"), "rows: a\n  expected b"),
        (Fault(where="rows", found="a", expected="b", nearest="c'"), "rows: a\n  expected b\n  did you mean 'c''?"),
        (Fault(where="rows", found="a", nearest="b"), "rows: a\n  did you mean 'b'?"),
        (Fault(where="a\n", found="b\x1b[1m", expected="\u202e"), "a\\n: b\\x1b[1m\n  expected \\u202e"),
    ],
)
def test_a_fault_in_words(fault: Fault, message: str) -> None:
    assert str(fault) == message


@pytest.mark.parametrize(
    ("name", "known", "message"),
    [
        ("lag", ["lags", "log", "zzz"], "expected one of 'lags', 'log', 'zzz'\n  did you mean 'lags'?"),
        ("lag", ["zzz", "yyy", "zzz"], "expected one of 'yyy', 'zzz'"),
        ("lag", [], "expected no column: none is declared"),
        (
            "n99",
            [f"n{number}" for number in range(13)],
            "expected one of 'n0', 'n1', 'n10', 'n11', 'n12', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', 'n8' and 1 more\n"
            "  did you mean 'n9'?",
        ),
    ],
)
def test_an_unknown_name_is_answered_with_the_known_ones(name: str, known: list[str], message: str) -> None:
    assert str(unknown_name(AT, "column", name, known)) == f"study.yaml:3:14: unknown column '{name}'\n  {message}"


def test_an_input_error_lists_every_fault() -> None:
    faults = [Fault(where="a", found="b"), Fault(where="c", found="d", expected="e")]
    error = InputError(iter(faults))
    assert (error.faults, str(error)) == (tuple(faults), "a: b\n\nc: d\n  expected e")
    assert (MultiverseError.exit_code, InputError.exit_code, isinstance(error, MultiverseError)) == (1, 2, True)


def test_a_gate_error_tells_what_fell_short_and_carries_every_verdict() -> None:
    few = GateVerdict(id="few", population="all", unit="rows", count=1, at_least=2)
    enough = GateVerdict(id="enough", population="all", unit="clusters", count=2, at_least=2)
    error = GateError([Fault(where="a", found="b")], verdicts=iter([few, enough]), unopened="outcomes")
    assert (error.exit_code, error.verdicts, str(error)) == (3, (few, enough), "a: b\n\nThe outcomes were not opened.")
    assert [verdict.verdict for verdict in error.verdicts] == ["NO_GO", "GO"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("R0 é 字", "'R0 é 字'"),
        ("a" * 80, f"'{'a' * 80}'"),
        ("a" * 81, f"'{'a' * 77}...'"),
        ("\n\t\x00\x7f", "'\\n\\t\\x00\\x7f'"),
        ("\u200b\ud800\U000e0001", "'\\u200b\\ud800\\U000e0001'"),
    ],
)
def test_quoted_text_hides_nothing_and_is_short(text: str, shown: str) -> None:
    assert quoted(text) == shown
    assert printable(shown) == shown


def test_places_are_ordered_as_in_a_file() -> None:
    places = [Place(file=file, line=line, column=column) for file in "ab" for line in (2, 10) for column in (3, 20)]
    assert sorted(set(places)) == places
