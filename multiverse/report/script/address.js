// The state of the explorer as the end of an address, by name, so that a view can be sent to somebody.
const address = (() => {
  const CALLED = "#explore?";

  function isState(hash) {
    return hash.startsWith(CALLED);
  }

  function written(opened, state) {
    const { axes, data, families, populations } = opened;
    const population = populations[state.population];
    const told = new URLSearchParams({ population: population.name, family: families[state.family].name });
    if (state.effect !== null) told.set("effect", population.effects[state.effect].id);
    told.set("a", data.methods[state.a]);
    told.set("b", data.methods[state.b]);
    for (const [axis, option] of Object.entries(state.pins)) told.set(axes[axis].called, axes[axis].options[option]);
    if (state.item !== null) told.set("at", itemNames(opened, state)[state.item]);
    return CALLED + told;
  }

  function itemNames(opened, state) {
    if (state.effect === null) return opened.ids;
    return opened.populations[state.population].effects[state.effect].cells.map(({ cell }) => cell);
  }

  // The state that an address tells; what it names and the study does not have stays as in `initial`.
  function read(opened, hash, initial) {
    const { axes, data, families, populations } = opened;
    const told = new URLSearchParams(hash.slice(CALLED.length));
    const next = { ...initial, pins: {} };
    const take = (field, names) => {
      const at = names.indexOf(told.get(field === "item" ? "at" : field));
      if (at >= 0) next[field] = at;
    };
    take("population", populations.map(({ name }) => name));
    take("family", families.map(({ name }) => name));
    take("a", data.methods);
    take("b", data.methods);
    const effects = populations[next.population].effects;
    take("effect", effects.map(({ id }) => id));
    if (next.effect !== null) [next.a, next.b] = [effects[next.effect].a, effects[next.effect].b];
    if (next.a === next.b) [next.a, next.b] = [initial.a, initial.b];
    axes.forEach(({ called, options }, axis) => {
      const at = options.indexOf(told.get(called));
      if (at >= 0) next.pins[axis] = at;
    });
    take("item", itemNames(opened, next));
    return next;
  }

  return { isState, written, read };
})();
