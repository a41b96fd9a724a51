// The controls of the page: a question and pins in, numbers and rows for the charts out. All text is set as text.
const explore = (() => {
  const CALLED = "#explore?";
  const byId = (id) => document.getElementById(`explore-${id}`);
  const json = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "{}");

  let opened, state, shown, order, positions, found, rankings;

  function start() {
    opened = study.open(json("data"));
    state = fromHash() ?? initialState();
    window.multiverse = { data: opened.data, state, charts: drawing.views };
    const drawn = drawing.start(json("vega"), (kind, position) => ["curve", "matrix"].includes(kind) && choose(order[position]));
    if (!byId("controls")) return;
    listen();
    setControls();
    update();
    drawn.then(() => updateCharts());
    if (location.hash.startsWith(CALLED)) document.getElementById("explore").scrollIntoView();
  }

  // State: positions of names; `pins` by coordinate, `item` a specification or cell or null.

  function initialState() {
    const question = startQuestion(opened.populations[0]);
    return { population: 0, family: opened.families.length - 1, ...question, pins: {}, item: null };
  }

  // The pair of the first effect, else the first pair that reverses, else one that ties somewhere, else the first.
  function startQuestion(population) {
    if (population.effects.length) return { effect: null, a: population.effects[0].a, b: population.effects[0].b };
    const specs = study.restrict(opened, {});
    const pairs = allPairs(opened.data.methods.length);
    const relations = pairs.map(([a, b]) => study.relation(study.signs(population, specs, a, b)));
    const wanted = ["reversal", "weak"].map((name) => relations.indexOf(name)).find((at) => at >= 0) ?? 0;
    const [a, b] = pairs[wanted] ?? [0, 0];
    return { effect: null, a, b };
  }

  function allPairs(size) {
    const numbers = [...Array(size).keys()];
    return numbers.flatMap((a) => numbers.slice(a + 1).map((b) => [a, b]));
  }

  function listen() {
    byId("controls").addEventListener("change", readControls);
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    byId("reset").addEventListener("click", () => set(initialState()));
    byId("at").addEventListener("input", () => choose(order[positions[byId("at").value]]));
    byId("at").addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      choose(order[positions[byId("at").value]]);
      byId("point").focus();
    });
    addEventListener("hashchange", () => {
      const next = fromHash();
      if (next) set(next);
    });
  }

  // Take over what was changed: a method chosen asks for its margin, and never for that of a method with itself.
  function readControls({ target }) {
    const next = { ...state, item: null };
    next.population = Number(byId("population").value);
    next.family = Number(byId("family").value);
    const [a, b] = [Number(byId("a").value), Number(byId("b").value)];
    const isMethod = target === byId("a") || target === byId("b");
    const quantity = isMethod ? "margin" : byId("quantity").value;
    next.effect = quantity === "margin" ? null : Number(quantity);
    const effect = opened.populations[next.population].effects[next.effect];
    [next.a, next.b] = effect ? [effect.a, effect.b] : [a, b];
    if (next.a === next.b) [next.a, next.b] = target === byId("a") ? [a, state.a] : [state.b, b];
    next.pins = {};
    for (const select of pinSelects()) if (select.value !== "") next.pins[coordinate(select)] = Number(select.value);
    if (next.effect === state.effect) next.item = state.item;
    set(next);
  }

  function pinSelects() {
    return [...document.querySelectorAll("#explore select[data-pin]")];
  }

  function coordinate(select) {
    return opened.data.coordinates[Number(select.dataset.pin)];
  }

  function set(next) {
    Object.assign(state, next);
    setControls();
    update();
    byId("said").textContent = `${byId("specs").textContent}; ${byId("set").textContent}`;
    history.replaceState(null, "", toHash());
  }

  function setControls() {
    byId("population").value = state.population;
    byId("family").value = state.family;
    byId("quantity").value = state.effect ?? "margin";
    byId("a").value = state.a;
    byId("b").value = state.b;
    for (const select of pinSelects()) select.value = state.pins[coordinate(select)] ?? "";
  }

  function update() {
    const population = opened.populations[state.population];
    const question = { a: state.a, b: state.b, effect: state.effect };
    shown = rows.view(opened, population, question, study.restrict(opened, state.pins, state.family));
    order = rows.sorted(shown);
    positions = rows.drawn(shown, order);
    rankings = study.rankings(population, shown.specs);
    if (!order.includes(state.item)) state.item = null;
    found = study.identified(shown.quantity, shown.items);
    panels.result(shown, found, rankings);
    panels.drawn(words.drawn(shown, order, positions));
    updateCharts();
    updatePoint();
  }

  function updateCharts() {
    drawCurve(captions.curve(shown, found, order, positions));
    drawing.update(drawing.named("matrix", null), rows.matrix(shown, order, positions));
    const margin = rows.view(opened, shown.population, { ...shown.question, effect: null }, shown.specs);
    const pairs = rows.pairs(shown);
    draw("families", rows.families(margin, shown.specs.length < opened.size), captions.families(margin));
    draw("ranks", rows.ranks(shown, rankings), captions.ranks(shown, rankings));
    draw("pairs", pairs, captions.pairs(shown, pairs));
  }

  // Charts that stand once for each population: that of the one shown.
  function draw(kind, records, told) {
    drawing.update(drawing.named(kind, shown.population.name), records, told);
  }

  function drawCurve(told) {
    drawing.update(drawing.named("curve", null), rows.curve(shown, order, positions, state.item), told);
  }

  // One point of the curve

  function choose(item) {
    if (item === undefined) return;
    state.item = item;
    drawCurve();
    updatePoint();
    byId("said").textContent = words.point(shown, order, order.indexOf(item));
    history.replaceState(null, "", toHash());
  }

  function updatePoint() {
    const at = byId("at");
    at.max = Math.max(positions.length - 1, 0);
    at.disabled = !positions.length;
    if (state.item === null) {
      at.value = 0;
      at.setAttribute("aria-valuetext", "none chosen");
      panels.noPoint();
      return;
    }
    const position = order.indexOf(state.item);
    at.value = nearest(position);
    at.setAttribute("aria-valuetext", words.point(shown, order, position));
    panels.point(shown, state.item, words.point(shown, order, position));
  }

  // The drawn point at or before a position.
  function nearest(position) {
    return Math.max(positions.findLastIndex((drawn) => drawn <= position), 0);
  }

  // The state in the address: what is not as it starts, by name.

  function toHash() {
    const { data, families, populations } = opened;
    const told = new URLSearchParams();
    const population = populations[state.population];
    told.set("population", population.name);
    told.set("family", families[state.family].name);
    if (state.effect !== null) told.set("effect", population.effects[state.effect].id);
    told.set("a", data.methods[state.a]);
    told.set("b", data.methods[state.b]);
    for (const [name, option] of Object.entries(state.pins)) told.set(`pin-${name}`, data.options[name][option].id);
    if (state.item !== null) told.set("at", rows.itemId(shown, state.item));
    return CALLED + told;
  }

  // The state of an address; names that the study does not have are left as they start. Null where it holds no state.
  function fromHash() {
    if (!location.hash.startsWith(CALLED)) return null;
    const told = new URLSearchParams(location.hash.slice(CALLED.length));
    const next = initialState();
    const position = (list, name, key) => list.findIndex((one) => (key ? one[key] : one) === told.get(name));
    const take = (field, at) => at >= 0 && Object.assign(next, { [field]: at });
    const { data, families, populations } = opened;
    take("population", position(populations, "population", "name"));
    take("family", position(families, "family", "name"));
    const effects = populations[next.population].effects;
    take("a", position(data.methods, "a"));
    take("b", position(data.methods, "b"));
    take("effect", position(effects, "effect", "id"));
    if (next.effect !== null) Object.assign(next, { a: effects[next.effect].a, b: effects[next.effect].b });
    for (const name of data.coordinates) {
      const option = position(data.options[name], `pin-${name}`, "id");
      if (option >= 0) next.pins[name] = option;
    }
    const items = next.effect === null ? opened.ids : effects[next.effect].cells.map(({ cell }) => cell);
    take("item", items.indexOf(told.get("at")));
    return next.a === next.b ? initialState() : next;
  }

  return { start };
})();

explore.start();
