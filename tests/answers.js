// What study.js says of the page's data under each of several pins, by population, in the form of tests/restricted.py.
([data, pinned]) => {
  const opened = study.open(data);
  const round = (x) => Math.round(x * 1e12) / 1e12 + 0;

  const identified = (quantity, items, name) => {
    const found = study.identified(quantity, items);
    const end = (value) => (value === null ? null : name(value.first));
    return {
      values: found.values.map((value) => [exact.text(quantity.values[value.at]), value.items, name(value.first)]),
      undefined: found.undefined,
      identified: found.pointIdentified,
      ends: [end(found.least), end(found.greatest)],
    };
  };

  const answer = (population, specs) => {
    const id = (spec) => opened.ids[spec];
    const methods = [...data.methods.keys()];
    const pairs = methods.flatMap((a) => methods.slice(a + 1).map((b) => [a, b]));
    const rankings = study.rankings(population, specs);
    const names = (group) => group.map((method) => data.methods[method]);
    return {
      specs: [...specs].map(id),
      levels: methods.map((method) => identified(study.level(population, method), specs, id)),
      margins: pairs.map(([a, b]) => identified(study.margin(population, a, b), specs, id)),
      effects: population.effects.map(({ cells }, at) =>
        identified(study.effect(population, at), study.wholeCells(opened, cells, specs), (cell) => cells[cell].cell)),
      partial: population.effects.map((effect) => study.partialCells(opened, effect, specs)),
      pairs: pairs.map(([a, b]) => {
        const signs = study.signs(population, specs, a, b);
        return { relation: study.relation(signs), signs };
      }),
      orders: rankings.orders.map(({ ranks, specs, first }) => [study.tieGroups(ranks).map(names), specs, id(first)]),
      undefined: rankings.undefined.map(id),
      rank_sets: rankings.rankSets.map((set) => set.map(({ rank }) => rank)),
      winners: names(rankings.winners),
      tau: rankings.tau && [round(rankings.tau.min), round(rankings.tau.max)],
    };
  };

  return pinned.map((pins) => {
    const chosen = Object.entries(pins).map(([name, id]) => {
      const axis = opened.axes.findIndex(({ called }) => called === name || called === `pin-${name}`);
      return [axis, opened.axes[axis]?.options.indexOf(id) ?? -1];
    });
    if (chosen.some(([, option]) => option < 0)) return null;
    const specs = study.restrict(opened, Object.fromEntries(chosen));
    if (!specs.length) return null;
    return Object.fromEntries(opened.populations.map((one) => [one.name, answer(one, specs)]));
  });
}
