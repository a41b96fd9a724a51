// The controls of the page: a question and pins in, numbers and rows for the charts out. All text is set as text.
const explore = (() => {
  const byId = (id) => document.getElementById(`explore-${id}`);
  const json = (id) => JSON.parse(document.getElementById(id)?.textContent ?? "{}");

  let opened, state, shown, order, positions, found, rankings;

  function start() {
    opened = study.open(json("data"));
    state = initialState();
    const isSent = address.isState(location.hash);
    if (isSent) state = address.read(opened, location.hash, state);
    const chosen = (kind, position) => ["curve", "matrix"].includes(kind) && choose(order[position]);
    const drawn = drawing.start(json("vega"), chosen);
    window.multiverse = { data: opened.data, state, charts: drawing.views, drawn }; // `drawn`: when all that is asked is drawn
    if (!byId("controls")) return;
    listen();
    setControls();
    answer();
    if (!isSent) return; // the charts come with the rows and words of the state that is shown first
    window.multiverse.drawn = drawn.then(() => drawAll());
    document.getElementById("explore").scrollIntoView();
  }

  // State: positions of names; `pins` by axis, `item` a specification or cell or null.

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
      if (address.isState(location.hash)) set(address.read(opened, location.hash, initialState()));
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
    for (const select of pinSelects()) if (select.value !== "") next.pins[select.dataset.pin] = Number(select.value);
    if (next.effect === state.effect) next.item = state.item;
    set(next);
  }

  function pinSelects() {
    return [...document.querySelectorAll("#explore select[data-pin]")];
  }

  function set(next) {
    Object.assign(state, next);
    setControls();
    answer();
    window.multiverse.drawn = drawAll();
    byId("said").textContent = `${byId("specs").textContent}; ${byId("set").textContent}`;
    history.replaceState(null, "", address.written(opened, state));
  }

  function setControls() {
    byId("population").value = state.population;
    byId("family").value = state.family;
    byId("quantity").value = state.effect ?? "margin";
    byId("a").value = state.a;
    byId("b").value = state.b;
    for (const select of pinSelects()) select.value = state.pins[select.dataset.pin] ?? "";
  }

  // The answers in numbers and words.
  function answer() {
    const population = opened.populations[state.population];
    const question = { a: state.a, b: state.b, effect: state.effect };
    shown = rows.view(opened, population, question, study.restrict(opened, state.pins, state.family));
    order = rows.sorted(shown);
    positions = rows.drawn(shown, order);
    rankings = study.rankings(population, shown.specs);
    if (!order.includes(state.item)) state.item = null;
    found = study.identified(shown.quantity, shown.items);
    panels.result(shown, found, rankings);
    panels.notes([words.drawn(shown, order, positions), words.leftOut(shown)]);
    updatePoint();
  }

  // The same in charts.
  function drawAll() {
    const margin = rows.view(opened, shown.population, { ...shown.question, effect: null }, shown.specs);
    const pairs = rows.pairs(shown);
    return Promise.all([
      drawCurve(captions.curve(shown, found, order, positions)),
      draw("families", rows.families(margin, isRestricted()), captions.families(margin)),
      draw("ranks", isRestricted() ? rows.ranks(shown, rankings) : null, captions.ranks(shown, rankings)),
      draw("pairs", pairs, captions.pairs(shown, pairs)),
    ]);
  }

  // Charts that stand once for each population: that of the one shown, as it came where there are no records.
  function draw(kind, records, told) {
    const name = drawing.named(kind, shown.population.name);
    return drawing.update(name, records ?? drawing.whole(name), told);
  }

  function isRestricted() {
    return shown.specs.length < opened.size;
  }

  // The curve and the matrix under it, which both mark the chosen point.
  function drawCurve(told) {
    return Promise.all([
      drawing.update(drawing.named("curve", null), rows.curve(shown, order, positions, state.item), told),
      drawing.update(drawing.named("matrix", null), rows.matrix(shown, order, positions, state.item)),
    ]);
  }

  // One point of the curve

  function choose(item) {
    if (item === undefined) return;
    state.item = item;
    window.multiverse.drawn = drawCurve();
    updatePoint();
    byId("said").textContent = words.point(shown, order, order.indexOf(item));
    history.replaceState(null, "", address.written(opened, state));
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

  return { start };
})();

explore.start();
