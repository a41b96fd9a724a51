"""The table of formats, the folder that an import writes, and the commands import and export."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inspect_logs import result, sample, write_json
from multiverse import cli
from multiverse.audit import check
from multiverse.errors import InputError
from multiverse.importers import FORMATS, detect, import_log
from multiverse.importers.log import Plain
from multiverse.importers.yaml_text import block

SAMPLES = {
    "inspect": "inspect_ai", "lm-eval": "lm_eval", "swebench": "swebench", "promptfoo": "promptfoo",
    "alpaca-eval": "alpaca_eval", "openai-evals": "openai_evals", "every-eval-ever": "every_eval_ever/out_lm",
    "trec": "trec", "helm": "helm", "lighteval": "lighteval",
}  # fmt: skip
PAGE = (Path(__file__).parent.parent / "docs" / "import.md").read_text("utf-8")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.main, arguments, prog_name="multiverse")


@pytest.mark.parametrize("form", SAMPLES)
def test_each_sample_is_told_from_all_others_and_makes_a_study_without_faults(
    shared: Path, tmp_path: Path, form: str
) -> None:
    folder = shared / "samples" / SAMPLES[form]
    assert detect(folder) == (form,)
    found = import_log(form, [folder], tmp_path / "study")
    assert check(tmp_path / "study").declaration.warnings == ()  # every option has a rationale
    names = [family.name for family in found.audit.declaration.families]
    harness = found.audit.declaration.family("harness")
    assert (names[:2], len(harness.specs)) == (["audit", "harness"], 1)
    rounded = {"rounded"} if form == "trec" else set()  # ir_measures adds up doubles
    assert {one.verdict for one in found.reconciled} <= {"equal"} | rounded


@pytest.mark.parametrize("form", [form.name for form in FORMATS])
def test_the_page_on_importing_names_every_format(form: str) -> None:
    told = {"inspect": "Inspect", "lm-eval": "lm-evaluation-harness", "swebench": "SWE-bench", "promptfoo": "promptfoo"}
    told |= {"alpaca-eval": "AlpacaEval", "openai-evals": "OpenAI evals", "every-eval-ever": "Every Eval Ever"}
    told |= {"trec": "TREC", "helm": "HELM", "lighteval": "lighteval"}
    assert (f"## {told[form]}" if form in told else f"`{form}`") in PAGE
    assert told.get(form, f"`{form}`") in PAGE


def test_what_is_no_log_is_not_detected(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello")
    with pytest.raises(InputError) as caught:
        detect(tmp_path)
    listed = "; ".join(f"{form.name}: {form.files}" for form in FORMATS)
    assert str(caught.value) == f"{tmp_path}: no log of a known format\n  expected {listed}"


def test_a_folder_that_holds_something_is_refused_and_left(tmp_path: Path) -> None:
    log = write_json(tmp_path / "a.json", [sample("a", "C")])
    with pytest.raises(InputError) as caught:
        import_log("inspect", [log], tmp_path)
    assert str(caught.value) == f"{tmp_path}: the folder is not empty\n  expected a new or empty folder"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_the_working_folder_can_be_written_into_and_is_left_empty_where_the_data_is_at_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_text("row_id,method,score\n1,a,x\n")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert run("import", "csv", "../a.csv", "--into", ".").exit_code == 2
    assert list(Path().iterdir()) == []
    (tmp_path / "a.csv").write_text("row_id,method,score\n1,a,1\n")
    assert run("import", "csv", "../a.csv", "--into", ".").exit_code == 0
    assert sorted(path.name for path in Path().iterdir()) == [
        "data",
        "dispositions.yaml",
        "families.yaml",
        "study.yaml",
    ]


@pytest.mark.parametrize("form", [form.name for form in FORMATS])
def test_an_empty_folder_holds_no_log(tmp_path: Path, form: str) -> None:
    (tmp_path / "logs").mkdir()
    with pytest.raises(InputError) as caught:
        import_log(form, [tmp_path / "logs"], tmp_path / "study")
    assert str(caught.value).startswith(f"{tmp_path / 'logs'}: no such log in the folder\n  expected ")


def test_the_study_is_named_after_its_folder(tmp_path: Path) -> None:
    log = write_json(tmp_path / "a.json", [sample("a", "C")])
    assert import_log("inspect", [log], tmp_path / "my größe!").audit.declaration.name == "my_gr__e_"
    assert import_log("inspect", [log], tmp_path / "two", name="other").audit.declaration.name == "other"
    with pytest.raises(InputError) as caught:
        import_log("inspect", [log], tmp_path / "three", name="a/b")
    assert str(caught.value) == "--name: the study name 'a/b'\n  expected letters, digits, '.', '_' and '-' only"


def test_the_command_tells_what_it_wrote_and_what_reconciles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_json(Path("a.json"), [sample("a", "C"), sample("b", "I"), sample("c", "", score=None, error={})], result(0.5))
    found = run("import", "inspect", "a.json", "--into", "mine")
    assert (found.exit_code, found.stderr, found.stdout.splitlines()) == (0, "", [
        "wrote a study of Inspect 0.3.285 into mine: 3 rows, 1 method, 3 outcomes",
        "  states: answered 2, unscored 1",
        "  open: disposition 2",
        "reconciled: 1 of 1 numbers of the log",
        "  m: s accuracy 0.5 = 1/2 at inspect over everything",
        "now run:",
        "  multiverse freeze mine",
        "  multiverse audit mine --family audit",
        "  multiverse audit mine --family harness",
    ])  # fmt: skip
    for line in found.stdout.splitlines()[-3:]:
        assert run(*line.split()[1:]).exit_code == 0


def test_the_yaml_says_which_option_is_the_harness_s_own(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", [sample("a", "C"), sample("b", "N"), sample("c", "N")], result(1 / 3))
    import_log("inspect", [tmp_path / "a.json"], tmp_path / "mine")
    assert (tmp_path / "mine" / "study.yaml").read_text().splitlines()[:2] == [
        "# Imported from Inspect 0.3.285. What this log leaves open is declared as options beside this file; the "
        "harness's own",
        "# rule is one of them on each coordinate, and alone in the family `harness`.",
    ]
    assert (tmp_path / "mine" / "dispositions.yaml").read_text().splitlines() == [
        "# Disposition: what an outcome scores, by its state.",
        "# `match` is the score that the log gives.",
        "# no_answer: value N (no answer); Inspect counts it as 0 (2 outcomes).",
        "coordinate: disposition",
        "options:",
        "  - id: inspect  # the harness's own rule",
        "    rationale: to give no answer is not to be right",
        "    legal_present: {answered: match, no_answer: 0, missing: exclude}",
        "    legal_empty: exclude",
        "  - id: no_answer_dropped",
        "    rationale: an abstention is no wrong answer",
        "    legal_present: {answered: match, no_answer: exclude, missing: exclude}",
        "    legal_empty: exclude",
    ]


def test_what_is_too_wide_for_a_line_of_yaml_is_broken_into_its_parts() -> None:
    tests: list[Plain] = [{"column": "filter", "equals": name * 30} for name in ("a", "b")]
    assert block({"where": {"any": tests}, "none_left": "empty"}, "    ") == [
        "    where:",
        "      any:",
        f"        - {{column: filter, equals: {'a' * 30}}}",
        f"        - {{column: filter, equals: {'b' * 30}}}",
        "    none_left: empty",
    ]


def test_detect_prints_the_formats(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", [sample("a", "C")])
    (tmp_path / "b.csv").write_text("row_id,method,score\n1,a,1\n")
    assert run("import", "detect", str(tmp_path)).stdout == f"{tmp_path}: inspect, csv\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["inspect", "x"], "import: no --into\n  expected --into DIR, a new or empty folder\n"),
        (["csv", "x", "--into", "y", "--map", "row"], "--map: 'row'\n"
         "  expected PART=COLUMN, such as row=question_id\n"),
        (["inspect", "x", "--into", "y", "--declare", "z"], "import: --declare with another format, --name or --map\n"
         "  expected csv, parquet, jsonl alone: a declaration says it all\n"),
        (["inspect", "nowhere", "--into", "y"], "nowhere: no such file or folder\n"
         "  expected Inspect logs: .eval, or .json\n"),
        (["inspect", ".", "--into", "y", "--map", "row=x"], "--map: a mapping of columns\n"
         "  expected none: an Inspect log names its own parts\n"),
    ],
)  # fmt: skip
def test_wrong_usage_ends_with_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    found = run("import", *arguments)
    assert (found.exit_code, found.stderr) == (2, message)


def test_export_and_import_by_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_json(Path("a.json"), [sample("a", "C"), sample("b", "N")], result(0.5))
    run("import", "inspect", "a.json", "--into", "mine")
    assert run("export", "mine", "long.csv").stdout == "wrote long.csv\n"
    found = run("import", "csv", "long.csv", "--into", "again", "--declare", "mine")
    assert (found.exit_code, found.stdout.splitlines()[:2]) == (0, [
        "wrote a study of a score table under the declaration of mine into again: 2 rows, 1 method, 2 outcomes",
        "  states: answered 1, no_answer 1",
    ])  # fmt: skip
    for name in ("mine", "again"):
        run("audit", name, "--family", "audit", "--exploratory", "--out", f"out/{name}")
    assert Path("out/again/record.json").read_bytes() == Path("out/mine/record.json").read_bytes()
