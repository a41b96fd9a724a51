"""Construct the data of pooled217, elephant and matched, and write them.

    python data/reconstruction/build.py [FOLDER]

The folder is data/ where it is not given. It takes about 5 seconds on one core, and gives the same files every time
with the same versions of OR-tools and Polars.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, repeat
from pathlib import Path

import elephant
import matched
import pooled
import tables
from counts import solve
from rankings import METHODS, Answers, Group
from rows import TERMINAL, RowType, State
from tables import Row


def main() -> None:
    """Solve for row types, give them ids in order, and write the tables."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    unknown = pooled.unknown_rows()
    chosen = matched.chosen_rows(unknown)
    solver = solve(unknown.model, "pooled217 and its matched rows, the pair")
    pooled_rows = list(_pooled_rows(unknown.found(solver)))
    tables.write(folder / "pooled217", [row for _, row in pooled_rows])

    tasks = elephant.pair()
    tables.write(folder / "elephant", list(_elephant_rows(tasks, elephant.others(tasks))))

    rows = list(_matched_rows(matched.tasks(), _taken(pooled_rows, chosen.found(solver))))
    drift = [matched.DRIFT if row.cluster_id == matched.DRIFT_TASK else "exact_prompt" for row in rows]
    tables.write(folder / "matched", rows, prompt=drift)


def _expanded(counts: Mapping[RowType, int]) -> Iterator[RowType]:
    return chain.from_iterable(repeat(row, number) for row, number in counts.items())


class Dealer:
    """Deals the answers of the other methods to rows, in order within each group."""

    def __init__(self, answers: Answers) -> None:
        self.left = {
            method: {
                group: chain.from_iterable(repeat(*item) for item in counts.items()) for group, counts in by.items()
            }
            for method, by in answers.items()
        }

    def deal(self, row: RowType, group: Group) -> dict[str, State]:
        """What all seven methods answer in the next row of a group."""
        others = {method: next(by_group[group]) for method, by_group in self.left.items()}
        return others | {"pagerank": row.pagerank, "earliest": row.earliest}


def _pooled_rows(pair: pooled.Pair) -> Iterator[tuple[RowType, Row]]:
    dealer = Dealer(pooled.others(pair))
    for corpus, counts in pair.items():
        for number, row in enumerate(_expanded(counts), 1):
            name = f"{corpus.lower()}-{number:03}"
            answers = dealer.deal(row, Group(row.family, 1))
            yield row, Row(name, name, corpus, row.family, terminal=False, answers=answers)


def _elephant_rows(tasks: Mapping[elephant.Task, int], answers: Answers) -> Iterator[Row]:
    """Traces of tasks; the first single trace of the worked type has the id that section 3 gives."""
    dealer = Dealer(answers)
    worked = True
    number = 0
    for task, times in tasks.items():
        for _ in range(times):
            number += 1
            for letter, row in zip("ab", task, strict=False):
                name = f"trace-{number:03}{letter}"
                if worked and task == (elephant.WORKED,):
                    name, worked = elephant.WORKED_ID, False
                dealt = dealer.deal(row, Group(row.family, 2 // len(task)))
                yield Row(name, f"task-{number:03}", "elephant", row.family, terminal=True, answers=dealt)


def _taken(pooled_rows: Iterable[tuple[RowType, Row]], chosen: pooled.Pair) -> list[Row]:
    """The first rows of pooled217 of each type that is wanted, and last one more without a legal family."""
    left = {corpus: dict(counts) for corpus, counts in chosen.items()}
    taken, drift = [], []
    for kind, row in pooled_rows:
        if left[row.stratum].get(kind, 0):
            left[row.stratum][kind] -= 1
            taken.append(row)
        elif not row.family:
            drift.append(row)
    return [*taken, drift[0]]


def _matched_rows(tasks: Mapping[elephant.Task, int], taken: list[Row]) -> Iterator[Row]:
    """Traces and the pooled row of each task. Only the pair has figures here; the others answer as PageRank does."""
    expanded = [*chain.from_iterable(repeat(task, times) for task, times in tasks.items()), (elephant.WORKED,)]
    for number, (task, row) in enumerate(zip(expanded, taken, strict=True), 1):
        cluster = f"matched-{number:02}"
        for letter, trace in zip("ab", task, strict=False):
            answers = dict.fromkeys(METHODS, trace.pagerank)
            answers |= {"terminal_event": TERMINAL, "pagerank": trace.pagerank, "earliest": trace.earliest}
            yield Row(f"{cluster}{letter}", cluster, "elephant", trace.family, terminal=True, answers=answers)
        yield row._replace(cluster_id=cluster, stratum="pooled217")


if __name__ == "__main__":
    main()
