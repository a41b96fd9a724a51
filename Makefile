# Everything runs from .venv, which each target makes first when it is missing, half made, or older than what it is made from.

PYTHON ?= python3
STUDY ?= elephant
FAMILY ?=
OUT ?=
ARGS ?=
UV ?= uv

# Values reach the recipes as environment variables, taken literally: neither make nor the shell runs what is in them.
override PYTHON := $(value PYTHON)
override STUDY := $(value STUDY)
override FAMILY := $(value FAMILY)
override OUT := $(value OUT)
override ARGS := $(value ARGS)
override UV := $(value UV)
export PYTHON STUDY FAMILY OUT ARGS UV

# The stamp is written last and names the folder, so that a .venv cut short, or copied along with its folder, is made anew.
STAMP := .venv/.complete
STALE := $(shell [ -x .venv/bin/python ] && [ "$$(cat $(STAMP) 2>/dev/null)" = "$$(pwd -P)" ] || echo stale)

.PHONY: help check freeze gate audit report reports archive verify test lint bench lock clean family-given stale

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' Makefile
	@printf '%s\n' '' 'STUDY=elephant  FAMILY=name  OUT=place  ARGS="more options"  PYTHON=python3'

check: $(STAMP) ## check the declaration of STUDY
	@set -f; .venv/bin/multiverse check "$$STUDY" $$ARGS

freeze: $(STAMP) ## freeze STUDY, before its outcomes are looked at
	@set -f; .venv/bin/multiverse freeze "$$STUDY" $$ARGS

gate: $(STAMP) ## judge the gates of STUDY
	@set -f; .venv/bin/multiverse gate "$$STUDY" $$ARGS

# A study is frozen by its owner. Two kinds are not: the quickstart is frozen here, as what it is, with its outcomes in the
# tutorial; and the reconstruction comes with its receipts, so that what they bind is computed again and compared.
audit: family-given $(STAMP) ## audit STUDY over FAMILY
	@[ "$$STUDY" != quickstart ] || [ -e receipts/quickstart/0001-freeze.json ] || { \
	  echo 'make audit: freezing the example first; its receipt says that its outcomes were seen, and stays out of git' >&2; \
	  .venv/bin/multiverse freeze quickstart --data-stage after_analysis --outcome-custody public >/dev/null; }
	@set -f; case "$$STUDY" in elephant|elephant_v1|matched|pooled217) again=--reproduce;; *) again=;; esac; \
	.venv/bin/multiverse audit "$$STUDY" --family "$$FAMILY" $$again $$ARGS; code=$$?; \
	[ "$$STUDY $$code" != 'quickstart 4' ] || printf '%s\n' '' \
	  'make audit: something above is not as it was when the example was frozen here' \
	  '  rm -r receipts/quickstart    and the next make audit freezes it as it is now' >&2; \
	exit $$code

report: $(STAMP) ## write a report into OUT, the folder of an audit (results/STUDY/FAMILY, audited first)
	@set -f; [ -n "$$OUT$$FAMILY" ] || { printf '%s\n' 'make report: needs a family, or OUT, the folder of an audit' '' \
	  '  make report FAMILY=name [STUDY=elephant]' '  make report OUT=results/elephant/audit' >&2; exit 2; }; \
	[ -n "$$OUT" ] || { OUT=results/$$(basename -- "$$STUDY")/$$FAMILY; \
	  [ -e "$$OUT/record.json" ] || ARGS= $(MAKE) --no-print-directory audit ARGS= >/dev/null || exit; }; \
	.venv/bin/multiverse report "$$OUT" $$ARGS

# The last two are shared, and lie beside the repository only where the project is developed.
reports: $(STAMP) ## write the reports of the studies of this repository, into results/
	@failed=; \
	for study in quickstart elephant pooled217; do \
	  $(MAKE) --no-print-directory report STUDY=$$study FAMILY=audit OUT= ARGS= | grep '^wrote' || failed=1; \
	done; \
	for study in failures mmlu_pro; do \
	  specs=../shared/real/$$study; out=results/$$study/audit; \
	  [ -d $$specs ] || { echo "make reports: $$study is left out: there is no $$specs" >&2; continue; }; \
	  [ -e $$out/record.json ] || .venv/bin/multiverse audit $$specs --family audit --exploratory --out $$out >/dev/null || failed=1; \
	  .venv/bin/multiverse report $$out | grep '^wrote' || failed=1; \
	done; \
	[ -z "$$failed" ]

archive: $(STAMP) ## write all of STUDY into one archive, OUT (results/STUDY.zip)
	@set -f; [ -n "$$OUT" ] || { OUT=results/$$(basename -- "$$STUDY").zip; mkdir -p results; }; \
	.venv/bin/multiverse archive "$$STUDY" "$$OUT" $$ARGS

verify: $(STAMP) ## verify the archive OUT, or the receipts of STUDY
	@set -f; .venv/bin/multiverse verify "$${OUT:-$$STUDY}" $$ARGS

test: $(STAMP) ## run the tests
	@set -f; .venv/bin/python -m pytest $$ARGS

lint: $(STAMP) ## ruff, formatting, types
	@failed=; \
	.venv/bin/ruff check --quiet . || failed=1; \
	.venv/bin/ruff format --check . || { failed=1; echo 'make lint: `.venv/bin/ruff format .` formats them' >&2; }; \
	.venv/bin/mypy || failed=1; \
	[ -z "$$failed" ]

bench: $(STAMP) ## run the benchmarks, bench/bench_*.py
	@set -f; ran=; \
	for file in $(sort $(wildcard bench/bench_*.py)); do ran=1; .venv/bin/python "$$file" $$ARGS || exit; done; \
	[ -n "$$ran" ] || echo 'make bench: there is no bench/bench_*.py yet'

lock: ## resolve requirements.lock anew, keeping its pins (ARGS=--upgrade: the newest)
	@command -v "$$UV" >/dev/null || { echo 'make lock: needs uv (`pip install uv`); make lock UV=path/to/uv names another' >&2; exit 1; }
	@set -f; "$$UV" pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --custom-compile-command 'make lock' --quiet --output-file requirements.lock $$ARGS

clean: ## remove .venv, caches and builds; results/ stays
	@rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find multiverse tests bench -type d -name __pycache__ -prune -exec rm -rf {} +

family-given:
	@[ -n "$$FAMILY" ] || { printf '%s\n' \
	  'make audit: needs a family, one of those in specs/STUDY/families.yaml' \
	  '' \
	  '  make audit FAMILY=name [STUDY=elephant] [ARGS="more options"]' >&2; exit 2; }

$(STAMP): requirements.lock pyproject.toml $(STALE)
	@version=$$("$$PYTHON" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])') || { printf '%s\n' \
	  "make: '$$PYTHON' does not run; multiverse needs Python 3.11 or newer" \
	  '  make PYTHON=path/to/python names another' >&2; exit 1; }; \
	"$$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { printf '%s\n' \
	  "make: '$$PYTHON' is Python $$version; multiverse needs 3.11 or newer" \
	  '  make PYTHON=path/to/python names another' >&2; exit 1; }; \
	echo "make: setting up .venv with Python $$version (the first time takes a minute)" >&2
	@rm -rf .venv
	@"$$PYTHON" -m venv .venv || { printf '%s\n' \
	  "make: '$$PYTHON' could not make .venv; its message is above" \
	  '  on Debian and Ubuntu the package python3-venv is needed' >&2; exit 1; }
	@pip='.venv/bin/python -m pip --disable-pip-version-check --no-input --quiet'; \
	{ $$pip install --require-hashes -r requirements.lock && $$pip install --no-deps --no-build-isolation -e .; } \
	  >.venv/pip.log 2>&1 || { tail -n 40 .venv/pip.log >&2; printf '%s\n' \
	  '' \
	  'make: pip could not install multiverse and what requirements.lock names; the end of .venv/pip.log is above' \
	  '  the first run needs a package index that pip can reach; after that no connection is needed' \
	  '  the same command starts again from the beginning' >&2; exit 1; }
	@pwd -P > $(STAMP)
