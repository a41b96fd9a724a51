"""YAML that two readers could take for different things is refused, and the rest reads as everywhere."""

import re
from fractions import Fraction
from typing import TypeAlias

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from multiverse.errors import Place
from multiverse.strict_yaml import MAX_BYTES, MAX_DEPTH, Mapping, Node, Scalar, Sequence, YamlResult, read_yaml

Plain: TypeAlias = "str | bool | int | Fraction | list[Plain] | dict[str, Plain] | None"

AMBIGUOUS = "means different things to different YAML readers"
QUOTE_IT = "\n  expected it quoted, or true, false, null or a plain decimal"
EMPTY = "empty value\n  expected null, '' or a value"
CARRIAGE_RETURN = "carriage return; save with LF line ends (check git core.autocrlf)"


def read(content: str | bytes) -> YamlResult:
    return read_yaml(content.encode() if isinstance(content, str) else content, "a.yaml")


def messages(content: str | bytes) -> list[str]:
    result = read(content)
    assert result.node is None
    return [str(fault) for fault in result.faults]


def plain(node: Node) -> Plain:
    match node:
        case Scalar(value=value):
            return value
        case Sequence(items=items):
            return [plain(item) for item in items]
        case Mapping(entries=entries):
            return {str(key.value): plain(value) for key, value in entries}


def value(content: str | bytes) -> Plain:
    result = read(content)
    assert [str(fault) for fault in result.faults] == []
    assert result.node is not None
    return plain(result.node)


# The numbers, here and in ids and docstrings, are rows of the list of threats (shared/THREATS.md, part 3).
READERS_DISAGREE = [
    *("no", "No", "NO", "on", "ON", "Off", "OFF", "yes", "Yes", "True", "TRUE", "False"),  # 157
    *("NULL", "Null", "~", "nO"),
    *("1e3", "1.0e3", "1E3", "1e+3", "-1.5e-3", "1e400"),  # 159, 160
    *("12:30", "190:20:30.15", "-1:00"),  # 161
    *("014", "0o14", "0b11", "0x1F", "1_000", "-0x1f", "08", "00", "1,000"),  # 162
    *("2026-08-18", "2026-8-1", "2026-08-18 12:30:00", "2026-08-18T12:30:00.5Z", "2026-08-18t1:30:00 -05:00"),  # 163
    *(".nan", ".NaN", ".inf", "-.inf", "+.INF", "=", "<<", "3.", "+1", ".5", "+.5", "-0", "-0.0", ".", "1.2.3"),  # 164
    *("9007199254740992", "-9007199254740992", "0." + "1" * 39, ":symbol", "+_1", "._5", "-_"),
]

TEXTS = [
    *("gpt-4o", "R0T0A0", "4o-mini", "a/b", "3of5", "v1.2.3", "no.", "yes please", "nothing", "NaN", "inf"),
    *("e5", "1e", "0b12", "0o8", "0xG", "12:75", "16:9a", "2026-08", "2026-08-18-preview", "2026-08-18/a"),
    *("--", "-a", "...", "..", "../a", "_1", "1-2", "50%", "~/data", "==", "<", "a:b", "a#b", "C:\\Users", "1 2"),
    *("é", "\u0661\u0662", "\u0663.5", "ye\u017f", "\U0001f600"),  # neither other digits nor a long s count
]

NUMBERS = [
    ("0", 0),
    ("7", 7),
    ("-12", -12),
    ("9007199254740991", 2**53 - 1),
    ("-9007199254740991", 1 - 2**53),
    ("0.95", Fraction(19, 20)),
    ("-0.5", Fraction(-1, 2)),
    ("1.0", Fraction(1)),
    ("0.1", Fraction(1, 10)),
    ("9007199254740993.5", Fraction(18014398509481987, 2)),
    ("0." + "1" * 38, Fraction(int("1" * 38), 10**38)),
]


@pytest.mark.parametrize("text", READERS_DISAGREE)
def test_a_value_that_readers_disagree_on_is_refused(text: str) -> None:
    assert messages(f"k: {text}\n") == [f"a.yaml:1:4: '{text}' {AMBIGUOUS}{QUOTE_IT}"]


@pytest.mark.parametrize("text", READERS_DISAGREE)
def test_a_key_that_readers_disagree_on_is_refused(text: str) -> None:
    """Row 158: PyYAML reads the key `no` as False."""
    assert messages(f"{text}: 1\n") == [f"a.yaml:1:1: '{text}' {AMBIGUOUS}{QUOTE_IT}"]


@pytest.mark.parametrize("text", READERS_DISAGREE)
def test_quoted_it_is_text(text: str) -> None:
    assert value(f"['{text}', \"{text}\"]") == [text, text]
    assert value(f"k: |-\n  {text}\n") == {"k": text}


def test_a_long_integer_is_refused() -> None:
    """Row 172: int() raises ValueError from 4301 digits on."""
    assert messages("k: " + "1" * 5000) == [f"a.yaml:1:4: '{'1' * 77}...' {AMBIGUOUS}{QUOTE_IT}"]
    assert messages("k: 0." + "1" * 5000) == [f"a.yaml:1:4: '0.{'1' * 75}...' {AMBIGUOUS}{QUOTE_IT}"]


@pytest.mark.parametrize("text", TEXTS)
def test_other_text_needs_no_quotes(text: str) -> None:
    assert value(f"k: {text}\n") == {"k": text}


@pytest.mark.parametrize(("text", "number"), NUMBERS)
def test_plain_decimals_are_exact(text: str, number: int | Fraction) -> None:
    found = value(text)
    assert (type(found), found) == (type(number), number)


def test_constants() -> None:
    assert value("[true, false, null]") == [True, False, None]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param("k:\n", f"1:3: {EMPTY}", id="164 mapping"),
        pytest.param("- \n- a\n", f"1:2: {EMPTY}", id="164 sequence"),
        pytest.param("{a}", f"1:3: {EMPTY}", id="164 flow"),
        pytest.param("?\n: 1\n", f"1:2: {EMPTY}", id="164 key"),
        pytest.param("---\n", f"2:1: {EMPTY}", id="164 document"),
        pytest.param("%YAML 1.1\n---\nk: 'no'\n", "1:1: directives are not allowed", id="165 YAML 1.1"),
        pytest.param("%YAML 1.2\n---\nk: 'no'\n", "1:1: directives are not allowed", id="165 YAML 1.2"),
        pytest.param("# c\n%TAG ! !a\n--- b\n", "2:1: directives are not allowed", id="165 TAG"),
        pytest.param("%X\n--- b\n", "1:1: directives are not allowed", id="165 unknown"),
        pytest.param(f"%YAML 1.{'9' * 5000}\n--- b\n", "1:1: directives are not allowed", id="165 long"),
        pytest.param("a: 1\na: 2\n", "2:1: duplicate key 'a', first at line 1", id="166"),
        pytest.param('{a: 1, "\\x61": 2}', "1:8: duplicate key 'a', first at line 1", id="166 flow"),
        pytest.param("1: a\n", "1:1: mapping keys must be strings: quote 1", id="167 integer"),
        pytest.param("1.0: a\n", "1:1: mapping keys must be strings: quote 1.0", id="167 decimal"),
        pytest.param("true: a\n", "1:1: mapping keys must be strings: quote true", id="167 truth"),
        pytest.param("null: a\n", "1:1: mapping keys must be strings: quote null", id="167 null"),
        pytest.param("? [a]\n: b\n", "1:3: mapping keys must be strings, not a sequence", id="167 sequence"),
        pytest.param("{{a: b}: c}", "1:2: mapping keys must be strings, not a mapping", id="167 mapping"),
        pytest.param("a: &x 1\n", "1:4: anchors are not allowed", id="168 anchor"),
        pytest.param("&x a: 1\n", "1:1: anchors are not allowed", id="168 key"),
        pytest.param("a: *x\n", "1:4: anchors are not allowed", id="168 alias"),
        pytest.param("*x : 1\n", "1:1: anchors are not allowed", id="168 alias as key"),
        pytest.param("[" * 2000, f"1:{MAX_DEPTH + 1}: nested too deeply", id="171 flow sequence"),
        pytest.param("{a: " * 2000, f"1:{4 * MAX_DEPTH + 1}: nested too deeply", id="171 flow mapping"),
        pytest.param("- " * 2000, f"1:{2 * MAX_DEPTH + 1}: nested too deeply", id="171 block sequence"),
        pytest.param("k: !!python/object/apply:os.system [ls]", "1:4: tags are not allowed", id="173 apply"),
        pytest.param("k: !!binary aGk=\n", "1:4: tags are not allowed", id="173 binary"),
        pytest.param("k: !!set {a: null}\n", "1:4: tags are not allowed", id="173 set"),
        pytest.param("k: !foo no\n", "1:4: tags are not allowed", id="173 local"),
        pytest.param("k: ! no\n", "1:4: tags are not allowed", id="173 non-specific"),
        pytest.param("k: !<tag:yaml.org,2002:str> a\n", "1:4: tags are not allowed", id="173 verbatim"),
        pytest.param("k: !e!foo a\n", "1:4: tags are not allowed", id="173 unknown handle"),
        pytest.param("!!str k: a\n", "1:1: tags are not allowed", id="173 key"),
        pytest.param("a: 1\n---\nb: 1\n", "2:1: more than one document", id="174"),
        pytest.param(b"\xef\xbb\xbfa: 1\n", "1:1: byte-order mark; save as plain UTF-8", id="175 UTF-8"),
        pytest.param("a: 1".encode("utf-16"), "1:1: byte-order mark; save as plain UTF-8", id="175 UTF-16"),
        pytest.param(b"\xfe\xff\0a", "1:1: byte-order mark; save as plain UTF-8", id="175 UTF-16, big end first"),
        pytest.param(b"\0\0\xfe\xff\0\0\0a", "1:1: byte-order mark; save as plain UTF-8", id="175 UTF-32"),
        pytest.param("[1]".encode("utf-16-le"), "1:2: control or invisible character U+0000", id="175 no mark"),
        pytest.param("[\ufeff]", "1:2: control or invisible character U+FEFF", id="175 inside"),
        pytest.param(b"k: \xe9\n", "1:4: not UTF-8 at byte 3", id="176"),
        pytest.param(b"k: \xc3\xa9\nj: \xc3\xa9\xff\n", "2:5: not UTF-8 at byte 11", id="176 line 2"),
        pytest.param(b"k: \xed\xa0\x80\n", "1:4: not UTF-8 at byte 3", id="176 surrogate"),
        pytest.param("a: 1\r\nb: 2\r\n", f"1:5: {CARRIAGE_RETURN}", id="177"),
        pytest.param("a: 1\rb: 2\r", f"1:5: {CARRIAGE_RETURN}", id="177 alone"),
        pytest.param("a: b\u0085\n", "1:5: control or invisible character U+0085", id="178 NEL"),
        pytest.param("a: 'b\u2028'\n", "1:6: control or invisible character U+2028", id="178 line separator"),
        pytest.param("a: 'b\u2029'\n", "1:6: control or invisible character U+2029", id="178 paragraph separator"),
        pytest.param("# \u202e\na: 1\n", "1:3: control or invisible character U+202E", id="179 raw"),
        pytest.param('a: "\\u202E"\n', "1:4: escape gives control or invisible character U+202E", id="179 escape"),
        pytest.param("\u200bk: 1\n", "1:1: control or invisible character U+200B", id="179 zero width"),
        pytest.param("k: \x7f\n", "1:4: control or invisible character U+007F", id="179 DEL"),
        pytest.param("k: \ufdd0\n", "1:4: control or invisible character U+FDD0", id="179 noncharacter"),
        pytest.param("k: \U0001ffff\n", "1:4: control or invisible character U+1FFFF", id="179 far noncharacter"),
        pytest.param('"\\0": 1\n', "1:1: escape gives control or invisible character U+0000", id="179 key"),
        pytest.param('a: "\\r"\n', "1:4: escape gives control or invisible character U+000D", id="177 escape"),
        pytest.param('a: "\\N"\n', "1:4: escape gives control or invisible character U+0085", id="178 escape"),
        pytest.param('a: "\\ud800"\n', "1:4: escape gives control or invisible character U+D800", id="180"),
        pytest.param('a: "\\U00110000"\n', "1:7: escape beyond U+10FFFF", id="180 beyond Unicode"),
        pytest.param('a: "\\UFFFFFFFF"\n', "1:7: escape beyond U+10FFFF", id="180 beyond C int"),
        pytest.param("e\u0301: 1\n", "1:1: key is not NFC-normalised", id="181"),
        pytest.param("", "1:1: no document\n  expected one document", id="empty"),
        pytest.param("\n# a comment\n", "1:1: no document\n  expected one document", id="comments"),
        pytest.param("#" * (MAX_BYTES + 1), "1:1: file of 4194305 bytes\n  expected at most 4194304 bytes", id="large"),
        pytest.param("a: [1\n", "2:1: expected ',' or ']', but got '<stream end>'", id="syntax: flow"),
        pytest.param("a: b: c\n", "1:5: mapping values are not allowed here", id="syntax: nested value"),
        pytest.param("a:\n\t- b\n", "2:1: found character '\\t' that cannot start any token", id="syntax: tab"),
        pytest.param("a: 'b\n", "2:1: found unexpected end of stream", id="syntax: quote"),
    ],
)
def test_refused_with_its_place(content: str | bytes, message: str) -> None:
    assert messages(content) == [f"a.yaml:{message}"]


def test_keys_do_not_nest_deeper_than_values() -> None:
    """Row 171; `? ` opens a mapping, whose key the next one is."""
    keys = [f"a.yaml:1:{2 * n + 1}: mapping keys must be strings, not a mapping" for n in range(1, MAX_DEPTH + 1)]
    assert messages("? " * 2000) == [*keys, f"a.yaml:1:{2 * MAX_DEPTH + 1}: nested too deeply"]


def test_billion_laughs_is_read_in_one_pass() -> None:
    """Rows 169 and 168: what an alias stands for is never looked up."""
    lines = ["l0: &l0 [lol, lol]", *(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 10))]
    found = messages("\n".join(lines))
    assert len(found) == 10 + 9 * 9
    assert {message.partition(": ")[2] for message in found} == {"anchors are not allowed"}


def test_a_merge_key_is_refused() -> None:
    """Row 170: chains of merges took ruamel.yaml 11.5 s."""
    assert messages("a: &x {b: 1}\nc:\n  <<: *x\n") == [
        "a.yaml:1:4: anchors are not allowed",
        f"a.yaml:3:3: '<<' {AMBIGUOUS}{QUOTE_IT}",
        "a.yaml:3:7: anchors are not allowed",
    ]


def test_all_faults_of_a_tree_are_listed_in_order() -> None:
    content = 'a: no\nb: [014, &x !t c, "\\u200B"]\na: 1\n? [yes]\n: d\n2: {e: , e: on}\nf: [\n'
    assert messages(content) == [
        f"a.yaml:1:4: 'no' {AMBIGUOUS}{QUOTE_IT}",
        f"a.yaml:2:5: '014' {AMBIGUOUS}{QUOTE_IT}",
        "a.yaml:2:10: anchors are not allowed",
        "a.yaml:2:10: tags are not allowed",
        "a.yaml:2:19: escape gives control or invisible character U+200B",
        "a.yaml:3:1: duplicate key 'a', first at line 1",
        "a.yaml:4:3: mapping keys must be strings, not a sequence",
        f"a.yaml:4:4: 'yes' {AMBIGUOUS}{QUOTE_IT}",
        "a.yaml:6:1: mapping keys must be strings: quote 2",
        f"a.yaml:6:7: {EMPTY}",
        "a.yaml:6:10: duplicate key 'e', first at line 6",
        f"a.yaml:6:13: 'on' {AMBIGUOUS}{QUOTE_IT}",
        "a.yaml:8:1: expected the node content, but found '<stream end>'",
    ]


def test_hidden_characters_are_listed_once_a_line_and_carriage_returns_once() -> None:
    assert messages("\u200bab\u202e\u200b: 1\r\nk: \u200b\r\n") == [
        "a.yaml:1:1: control or invisible character U+200B",
        "a.yaml:1:4: control or invisible character U+202E",
        f"a.yaml:1:9: {CARRIAGE_RETURN}",
        "a.yaml:2:4: control or invisible character U+200B",
    ]


def test_every_node_has_its_place() -> None:
    def at(line: int, column: int) -> Place:
        return Place(file="a.yaml", line=line, column=column)

    inner = Mapping(
        place=at(2, 5),
        entries=((Scalar(place=at(2, 5), value="b"), Scalar(place=at(2, 8), value=Fraction(1, 2))),),
    )
    items = Sequence(place=at(2, 3), items=(inner, Scalar(place=at(3, 5), value="c")))
    root = Mapping(place=at(1, 1), entries=((Scalar(place=at(1, 1), value="é"), items),))
    assert read("é:\n  - b: 0.5\n  - c\n") == YamlResult(node=root, faults=())


@pytest.mark.parametrize(
    "content", ["--- {a: [b, 1]}\n...\n", "a:\n- b\n- 1\n", "? a\n: - 'b'\n  - 1\n", "a: [\n  b,\n  1]"]
)
def test_layout_does_not_matter(content: str) -> None:
    assert value(content) == {"a": ["b", 1]}


def test_line_ends_and_tabs_are_allowed_inside_text() -> None:
    assert value('{"a\\nb": "c\\td", e: "f\tg"}') == {"a\nb": "c\td", "e": "f\tg"}
    assert value("k: |\n  a\n  \tb\n") == {"k": "a\n\tb\n"}


def test_the_limits_themselves_are_allowed() -> None:
    assert read("[" * MAX_DEPTH + "]" * MAX_DEPTH).faults == ()
    assert value(b"a " + b"#" * (MAX_BYTES - 2)) == "a"


# YAML 1.2.2, section 10.3.2.
CORE_SCHEMA = re.compile(
    r"null|Null|NULL|~|true|True|TRUE|false|False|FALSE|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
    r"|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?(\.inf|\.Inf|\.INF)|\.nan|\.NaN|\.NAN"
)


@given(st.text(alphabet="01789.,:+-_eExXobnayfulsNOT~=<Z /", min_size=1, max_size=12))
@example("1:2")
@example("2001-01-01")
def test_accepted_text_is_text_and_accepted_numbers_are_numbers_to_others(text: str) -> None:
    """The law of row 157, against PyYAML's YAML 1.1 and the core schema of YAML 1.2."""
    node = read(text).node
    if not isinstance(node, Scalar):
        return
    other = yaml.safe_load(text)
    if isinstance(node.value, str):
        assert (other, CORE_SCHEMA.fullmatch(node.value)) == (node.value, None)
    else:
        ours = float(node.value) if isinstance(node.value, Fraction) else node.value
        assert (other, bool(CORE_SCHEMA.fullmatch(text.strip()))) == (ours, True)


SMALL = b"# c\na: [1, 0.5, 'no', \"\\n\"]\nb:\n  - {c: true, d: null}\n  - |\n    text\n  - e f\n"
PIECES = [
    *(b"\n", b"\r", b"\t", b" ", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\\U00110000", b"\\ud800", b"\\x"),
    *(b"[", b"]", b"{", b"}", b",", b": ", b"? ", b"- ", b"&x ", b"*x ", b"!t ", b"!!str ", b"%YAML 1.1\n", b"---\n"),
    *(b"...\n", b"'", b'"', b"|\n", b">-\n", b"# ", b"@", b"`", b"<<: ", b"1e3", b"no", b"a: 1\n", b"[" * 40),
]
edits = st.lists(st.tuples(st.integers(0, len(SMALL)), st.integers(0, 5), st.sampled_from(PIECES)), max_size=6)


def assert_node_or_faults(content: bytes) -> None:
    result = read(content)
    assert (result.node is None) == (result.faults != ())
    places = [tuple(map(int, fault.where.split(":")[1:])) for fault in result.faults]
    assert places == sorted(places)


@given(st.binary(max_size=60))
def test_no_bytes_make_it_raise(content: bytes) -> None:
    assert_node_or_faults(content)


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_no_pieces_make_it_raise(pieces: list[bytes]) -> None:
    assert_node_or_faults(b"".join(pieces))


@given(edits)
def test_no_edit_makes_it_raise(changes: list[tuple[int, int, bytes]]) -> None:
    content = SMALL
    for start, removed, piece in changes:
        content = content[:start] + piece + content[start + removed :]
    assert_node_or_faults(content)
