// The rows of the charts that follow the controls: pure functions of the data, a question and a set of specifications.
//
// A question is {a, b, effect}: the margin of method a over b where effect is null, else the effect at that position.
// A view is what is shown: {opened, population, question, specs, items, quantity}, items being specifications or cells.
const rows = (() => {
  const MOST_DRAWN = 600;
  const MOST_INNER = 200;

  function view(opened, population, question, specs) {
    if (question.effect === null) {
      return { opened, population, question, specs, items: specs, quantity: study.margin(population, question.a, question.b) };
    }
    const cells = population.effects[question.effect].cells;
    const quantity = study.effect(population, question.effect);
    return { opened, population, question, specs, items: study.wholeCells(opened, cells, specs), quantity };
  }

  // The items that are defined, by value, equal ones in the study's order.
  function sorted(shown) {
    const at = shown.quantity.at;
    return shown.items.filter((item) => at[item] >= 0).sort((x, y) => at[x] - at[y] || x - y);
  }

  // The positions that are drawn: all up to 600, else both ends, both sides of a change of sign, and 600 spread evenly.
  function drawn(shown, order) {
    const total = order.length;
    const all = Array.from(order.keys());
    if (total <= MOST_DRAWN) return all;
    const step = (i) => Math.floor((i * MOST_DRAWN) / total);
    const sign = (i) => Math.sign(valueOf(shown, order[i]).number);
    const edge = (i) => i === 0 || i === total - 1 || sign(i) !== sign(i - 1) || sign(i) !== sign(i + 1);
    return all.filter((i) => edge(i) || step(i) !== step(i - 1));
  }

  function valueOf(shown, item) {
    return shown.quantity.values[shown.quantity.at[item]];
  }

  // The sampling interval of an item, [lower, upper], or null.
  function interval(shown, item) {
    const { population, question } = shown;
    if (question.effect !== null) return population.effects[question.effect].cells[item].interval;
    const [a, b] = [question.a, question.b];
    const found = population.intervals[a < b ? `${a},${b}` : `${b},${a}`]?.[item] ?? null;
    return found === null || a < b ? found : [-found[1], -found[0]];
  }

  // The id of a specification or cell.
  function itemId(shown, item) {
    const { question, population, opened } = shown;
    return question.effect === null ? opened.ids[item] : population.effects[question.effect].cells[item].cell;
  }

  // The specifications of an item: itself, or both sides of a cell at every background.
  function itemSpecs(shown, item) {
    const { question, population } = shown;
    return question.effect === null ? [item] : population.effects[question.effect].cells[item].specs.flat();
  }

  // The coordinates that an item fixes: all, or of a cell all but the contract.
  function itemAxes(shown) {
    const names = shown.opened.data.coordinates;
    return [...names.keys()].filter((axis) => shown.question.effect === null || names[axis] !== "contract");
  }

  function curve(shown, order, positions, selected) {
    return positions.map((position) => {
      const item = order[position];
      const [lower, upper] = interval(shown, item) ?? [null, null];
      const value = valueOf(shown, item);
      return {
        position,
        spec: itemId(shown, item),
        value: value.number,
        exact: exact.text(value),
        lower,
        upper,
        family: innermost(shown, item),
        selected: item === selected,
      };
    });
  }

  // The smallest of the study's families that holds an item whole.
  function innermost(shown, item) {
    const specs = itemSpecs(shown, item);
    return shown.opened.families.find((family) => specs.every((spec) => family.held[spec])).name;
  }

  function matrix(shown, order, positions, selected) {
    const { coordinates, options, specs } = shown.opened.data;
    return positions.flatMap((position) => {
      const item = order[position];
      const choice = specs[itemSpecs(shown, item)[0]];
      return itemAxes(shown).map((axis) => {
        const option = options[coordinates[axis]][choice[axis]].id;
        const mark = item === selected ? { selected: true } : {};
        return { position, spec: itemId(shown, item), coordinate: coordinates[axis], option, ...mark };
      });
    });
  }

  // The identified set of each of the study's families, and of the restricted one where something is pinned.
  function families(shown, isPinned) {
    const { opened, population, question } = shown;
    const named = opened.families.map(({ name, specs }) => ({ name, specs }));
    if (isPinned) named.push({ name: "pinned", specs: shown.specs });
    return named.flatMap(({ name, specs }) => strip(name, view(opened, population, question, specs)));
  }

  function strip(family, shown) {
    const { values, least, greatest } = study.identified(shown.quantity, shown.items);
    const order = values.sort((x, y) => x.at - y.at);
    const last = order.length - 1;
    const step = (i) => Math.floor((i * MOST_INNER) / order.length);
    const kept = order.filter((_, i) => i === 0 || i === last || last < MOST_INNER || step(i) !== step(i - 1));
    return kept.map((value) => ({
      family,
      value: shown.quantity.values[value.at].number,
      exact: exact.text(shown.quantity.values[value.at]),
      specs: value.items,
      end: value === least ? "min" : value === greatest ? "max" : "inner",
    }));
  }

  function ranks(shown, found) {
    return found.rankSets.flatMap((set, method) =>
      set.map(({ rank, specs }) => ({
        method: shown.opened.data.methods[method],
        rank,
        specs,
        best: set[0].rank,
        worst: set.at(-1).rank,
        lower: null, // sampling intervals of ranks are of the whole family
        upper: null,
      })),
    );
  }

  function pairs(shown) {
    const { methods } = shown.opened.data;
    return methods.flatMap((first, a) =>
      methods.slice(a + 1).map((second, i) => {
        const signs = study.signs(shown.population, shown.specs, a, a + 1 + i);
        return { a: first, b: second, relation: study.relation(signs) ?? "undefined", ...signs };
      }),
    );
  }

  return { view, sorted, drawn, valueOf, interval, itemId, itemSpecs, itemAxes, curve, matrix, families, ranks, pairs };
})();
