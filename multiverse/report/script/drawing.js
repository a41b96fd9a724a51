// The charts of the page: Vega views by chart name, as wide as their place, drawn again when it changes.
const drawing = (() => {
  const views = {};
  const charts = {};
  // Tooltips are Vega's own, the title of the drawing: plain text. Logged are errors alone: it warns of a chart without rows.
  const HOW = { mode: "vega", renderer: "svg", actions: false, tooltip: false, defaultStyle: false, logLevel: 1 };

  // Draw every figure of the page whose chart is given; `chosen` hears of clicks on marks that have a position.
  async function start(given, chosen) {
    const observer = new ResizeObserver((entries) => entries.forEach(({ target }) => resize(target)));
    for (const figure of document.querySelectorAll("figure[data-chart]")) {
      const name = figure.dataset.chart;
      const place = figure.querySelector(".drawing");
      if (!given[name] || !place) continue;
      charts[name] = given[name];
      charts[name].rows = structuredClone(given[name].vega.data.find((data) => data.name === given[name].kind)?.values ?? []);
      views[name] = await open(given[name].vega, place);
      views[name].addEventListener("click", (_, item) => {
        if (item?.datum?.position !== undefined) chosen(given[name].kind, item.datum.position);
      });
      observer.observe(place);
    }
  }

  // A view takes its place over as a document of its own; it is a picture, with the words that stand there.
  async function open(spec, place) {
    const told = ["role", "aria-label"].map((name) => [name, place.getAttribute(name)]);
    spec.signals.find((signal) => signal.name === "outer").value = place.clientWidth;
    const { view } = await vegaEmbed(place, spec, HOW);
    place.removeAttribute("aria-roledescription");
    place.querySelector("svg").setAttribute("aria-hidden", "true");
    for (const [name, text] of told) place.setAttribute(name, text);
    return view;
  }

  function resize(place) {
    const view = views[place.closest("figure").dataset.chart];
    if (place.clientWidth && view.signal("outer") !== place.clientWidth) view.signal("outer", place.clientWidth).runAsync();
  }

  // The name of the chart of a kind for a population; undefined where the page has none.
  function named(kind, population) {
    return Object.keys(charts).find((name) => {
      const one = charts[name];
      return one.kind === kind && one.of === "" && (population === null || one.population === population);
    });
  }

  // Give a chart other rows, and its figure the words that go with them: {title, caption, alt, quantity}.
  async function update(name, rows, told = {}) {
    const view = views[name];
    if (!view) return;
    if (told.quantity) view.signal("quantity", told.quantity);
    view.data(charts[name].kind, rows);
    const figure = document.querySelector(`figure[data-chart="${CSS.escape(name)}"]`);
    if (told.title) describe(figure.querySelector("figcaption"), told);
    if (told.alt) figure.querySelector(".drawing").setAttribute("aria-label", told.alt);
    await view.runAsync();
  }

  function describe(caption, { title, caption: text }) {
    const strong = document.createElement("strong");
    strong.textContent = `${title}.`;
    caption.replaceChildren(strong, ` ${text}`);
  }

  // The rows that a chart comes with: those of the whole family.
  function whole(name) {
    return structuredClone(charts[name]?.rows ?? []);
  }

  return { views, start, named, update, whole };
})();
