// The rows behind an item of the curve, from the tables `drivers` (a margin) and `row_audit` (an effect).
const evidence = (() => {
  // {told, lines}: a sentence, and lines {row, contribution, scores, reason}.
  function behind(shown, item) {
    return shown.question.effect === null ? ofMargin(shown, item) : ofEffect(shown, item);
  }

  function ofMargin(shown, item) {
    const { population, question, opened } = shown;
    const first = words.printable(opened.ids[0]);
    if (item === 0) return { told: "It is the first specification, from which rows of the others are told.", lines: [] };
    const { a, b } = question;
    const turned = a > b;
    const found = population.drivers[turned ? `${b},${a}` : `${a},${b}`]?.[item];
    if (!found) {
      const own = words.printable(opened.ids[item]);
      const told = `The rows behind it are not in this page, which has them for few margins of a large family: multiverse compare gives those that move the margin from ${first} to ${own}.`;
      return { told, lines: [] };
    }
    const told = `The rows that move the margin most from ${first} to this specification:`;
    return { told, lines: found.map((line) => driver(shown, turned ? turn(line) : line)) };
  }

  // The same line from the other side of the pair.
  function turn([row, contribution, reason, ...scores]) {
    const other = contribution === null ? null : exact.text(exact.negate(exact.parse(contribution)));
    return [row, other, reason, ...scores.slice(2), ...scores.slice(0, 2)];
  }

  function driver(shown, [row, contribution, reason, ...scores]) {
    const names = [shown.question.a, shown.question.b].map((method) => words.printable(shown.opened.data.methods[method]));
    const told = names.map((name, i) => `${name} ${score(scores[2 * i])} to ${score(scores[2 * i + 1])}`);
    return line(row, contribution, scores.length ? told.join(", ") : "", reason);
  }

  function score(text) {
    return text ?? "left out";
  }

  function ofEffect(shown, item) {
    const { population, question } = shown;
    const found = population.effects[question.effect].cells[item].rows;
    if (!found.length) return { told: "No row moves in this cell.", lines: [] };
    const told = "The rows that move the effect most, over all backgrounds:";
    return { told, lines: found.map(([row, contribution, reason]) => line(row, contribution, "", reason)) };
  }

  function line(row, contribution, scores, reason) {
    const moved = contribution === null ? "undefined" : `${words.minus(exact.points(exact.parse(contribution), true))} pp (${words.minus(contribution)})`;
    const told = (reason ?? "").replaceAll("_", " ").replaceAll("+", " + ");
    return { row: row === null ? "all other rows" : words.printable(row), contribution: moved, scores, reason: told };
  }

  return { behind };
})();
