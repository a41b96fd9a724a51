// Answers in words. Names of the user's are shown by `printable`, as at a terminal: nothing in them hides or turns text.
const words = (() => {
  const RELATIONS = { robust_strict: "robust strict", robust_tie: "robust tie", weak: "weak", reversal: "reversal" };
  const MINUS = "\u2212";
  const MOST_NAMED = 3;
  const SHORT = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

  function printable(text) {
    return text.replace(/[\p{C}\p{Z}]/gu, (character) => (character === " " ? character : escaped(character)));
  }

  function escaped(character) {
    const code = character.codePointAt(0).toString(16);
    if (code.length <= 2) return SHORT[character] ?? `\\x${code.padStart(2, "0")}`;
    return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
  }

  function counted(number, noun) {
    return `${number.toLocaleString("en-US")} ${noun}${number === 1 ? "" : "s"}`;
  }

  function noun(shown) {
    return shown.question.effect === null ? "specification" : "cell";
  }

  // What the curve is of: a margin or an effect.
  function quantity(opened, population, question) {
    const methods = opened.data.methods.map(printable);
    if (question.effect === null) return `margin ${methods[question.a]} ${MINUS} ${methods[question.b]}`;
    const { id, a, b, factor, from, to } = population.effects[question.effect];
    return printable(`effect ${id} on ${methods[a]} ${MINUS} ${methods[b]}, ${factor} ${from} to ${to}`);
  }

  // An item option by option: "contract R0A1, terminal asym".
  function choices(shown, item) {
    const { data } = shown.opened;
    const choice = data.specs[rows.itemSpecs(shown, item)[0]];
    const named = rows.itemAxes(shown).map((axis) => {
      const name = data.coordinates[axis];
      return `${name} ${printable(data.options[name][choice[axis]].id)}`;
    });
    return named.join(", ") || "the one cell";
  }

  // The options of an item, each with its words and its rationale.
  function options(shown, item) {
    const { data } = shown.opened;
    const choice = data.specs[rows.itemSpecs(shown, item)[0]];
    return rows.itemAxes(shown).map((axis) => {
      const option = data.options[data.coordinates[axis]][choice[axis]];
      const told = [option.words, option.rationale].map((text) => printable(text ?? ""));
      return { coordinate: data.coordinates[axis], option: printable(option.id), words: told[0], rationale: told[1] };
    });
  }

  function specifications(shown) {
    const whole = shown.opened.size;
    const told = `${shown.specs.length.toLocaleString("en-US")} of ${counted(whole, "specification")}`;
    if (shown.question.effect === null) return told;
    const cells = shown.population.effects[shown.question.effect].cells.length;
    return `${told}; ${shown.items.length} of ${counted(cells, "cell")} held whole`;
  }

  // How many cells of an effect are held whole, and the first ones that are held in part.
  function cells(shown) {
    const whole = `${shown.items.length ? counted(shown.items.length, "cell") : "no cell"} held whole`;
    const partial = study.partialCells(shown.opened, shown.population.effects[shown.question.effect], shown.specs);
    if (!partial.length) return whole;
    const named = partial.slice(0, MOST_NAMED).map((cell) => printable(cell) || "the one cell");
    const more = partial.length > MOST_NAMED ? ` and ${(partial.length - MOST_NAMED).toLocaleString("en-US")} more` : "";
    return `${whole}; held in part and left out: ${named.join(", ")}${more}`;
  }

  function identifiedSet(shown, found) {
    const total = shown.items.length;
    const missing = found.undefined ? `; undefined in ${found.undefined} of ${counted(total, noun(shown))}` : "";
    if (!found.values.length) return `no value${missing}`;
    const low = points(shown, found.least), high = points(shown, found.greatest);
    if (found.pointIdentified) return `identified at ${low} pp`;
    const range = found.values.length === 1 ? `${low} pp` : `from ${low} to ${high} pp`;
    return `not identified: ${counted(found.values.length, "value")}, ${range}${missing}`;
  }

  function points(shown, value) {
    return minus(exact.points(shown.quantity.values[value.at], true));
  }

  // A figure with a minus sign, which is as wide as a plus.
  function minus(figure) {
    return figure.replace(/^-/, MINUS);
  }

  // One end of an identified set with its witness.
  function witness(shown, value) {
    if (value === null) return "none";
    const where = choices(shown, value.first);
    const how = value.items === 1 ? `this ${noun(shown)} alone` : `the first of ${counted(value.items, noun(shown))}`;
    return `${points(shown, value)} pp (${minus(exact.text(shown.quantity.values[value.at]))}) at ${where}; ${how}`;
  }

  function relation(shown) {
    const { a, b } = shown.question;
    const signs = study.signs(shown.population, shown.specs, a, b);
    const [first, second] = [a, b].map((method) => printable(shown.opened.data.methods[method]));
    const counts = [
      `${first} above in ${signs.plus}`,
      `level in ${signs.zero}`,
      `${second} above in ${signs.minus}`,
      ...(signs.undefined ? [`undefined in ${signs.undefined}`] : []),
    ];
    return `${RELATIONS[study.relation(signs)] ?? "undefined"}: ${counts.join(", ")}`;
  }

  function ranking(shown, found) {
    const names = found.winners.map((method) => printable(shown.opened.data.methods[method]));
    const missing = found.undefined.length ? `; undefined in ${counted(found.undefined.length, "specification")}` : "";
    return `${counted(found.orders.length, "weak order")}${tau(found.tau)}; can win: ${names.join(", ") || "none"}${missing}`;
  }

  function tau(found) {
    if (found === null) return "";
    if (found === undefined) return "; tau-b is not computed here over more than 200 of them, record.json has it over the whole family";
    const [low, high] = [found.min, found.max].map((end) => minus(end.toFixed(4)));
    return `; tau-b ${low}${low === high ? "" : ` to ${high}`}`;
  }

  // The identified set of a method's level, in percent.
  function levels(shown, method) {
    const quantity = study.level(shown.population, method);
    const found = study.identified(quantity, shown.specs);
    if (!found.values.length) return "no value";
    const [low, high] = [found.least, found.greatest].map((value) => exact.points(quantity.values[value.at], false));
    const missing = found.undefined ? `; undefined in ${found.undefined}` : "";
    return (found.values.length === 1 ? `${low} %` : `${low} to ${high} %`) + missing;
  }

  // The sampling interval of an item, told apart from variation over specifications.
  function interval(shown, item) {
    const found = rows.interval(shown, item);
    if (found === null) return "";
    const [low, high] = found.map((end) => minus(exact.pointsOfNumber(end, true)));
    return `${level(shown)} sampling interval [${low}, ${high}] pp`;
  }

  function level(shown) {
    return `${Math.round(100 * shown.opened.data.level)}%`;
  }

  // A point of the curve in one sentence, for who hears it.
  function point(shown, order, position) {
    const item = order[position];
    const value = minus(exact.points(rows.valueOf(shown, item), true));
    const told = `${noun(shown)} ${position + 1} of ${order.length}: ${value} pp at ${choices(shown, item)}`;
    return [told, interval(shown, item)].filter(Boolean).join("; ");
  }

  function drawn(shown, order, positions) {
    if (positions.length === order.length) return "";
    const [some, all] = [positions.length, order.length].map((number) => number.toLocaleString("en-US"));
    return `drawn: ${some} of ${all} ${noun(shown)}s, spread evenly over their order; all numbers are of all ${all}`;
  }

  // Sampling intervals that the audit has and this page has not.
  function leftOut(shown) {
    const { population, question, opened } = shown;
    const key = [question.a, question.b].sort((x, y) => x - y).join();
    if (question.effect !== null || !population.no_intervals.includes(key)) return "";
    const size = opened.data.methods.length;
    const pairs = (size * (size - 1)) / 2;
    const told = `${(pairs - population.no_intervals.length).toLocaleString("en-US")} of ${counted(pairs, "pair")}`;
    return `not in this page: the sampling intervals of this margin; it has room for those of ${told}, and tables/margins.parquet has all`;
  }

  return {
    printable,
    counted,
    cells,
    leftOut,
    quantity,
    choices,
    options,
    specifications,
    identifiedSet,
    witness,
    relation,
    ranking,
    levels,
    level,
    noun,
    minus,
    interval,
    point,
    drawn,
  };
})();
