// The charts of the page: Vega views by chart name, as wide as their place, drawn again when it changes.
const drawing = (() => {
  const views = {};
  const initial = {};

  // Draw every figure of the page whose chart is there; `chosen` hears of clicks on marks that have a position.
  function start(charts, chosen) {
    const observer = new ResizeObserver((entries) => entries.forEach(({ target }) => resize(target)));
    for (const figure of document.querySelectorAll("figure[data-chart]")) {
      const name = figure.dataset.chart;
      const place = figure.querySelector(".drawing");
      if (!charts[name] || !place) continue;
      views[name] = open(charts[name].vega, place);
      initial[name] = charts[name];
      views[name].addEventListener("click", (_, item) => {
        if (item?.datum?.position !== undefined) chosen(name, item.datum.position);
      });
      observer.observe(place);
    }
  }

  function open(spec, place) {
    const view = new vega.View(vega.parse(spec), { renderer: "svg", container: place, hover: true });
    view.signal("outer", place.clientWidth);
    view.runAsync();
    return view;
  }

  function resize(place) {
    const name = place.closest("figure").dataset.chart;
    if (!place.clientWidth || views[name].signal("outer") === place.clientWidth) return;
    views[name].signal("outer", place.clientWidth).runAsync();
  }

  // Give a chart other rows; signals are set where the chart has them.
  function update(name, rows, signals = {}) {
    const view = views[name];
    if (!view) return;
    for (const [signal, value] of Object.entries(signals)) view.signal(signal, value);
    view.data(kind(name), rows).runAsync();
  }

  // The name of a chart's data: that of the chart, without the number of its population.
  function kind(name) {
    return name.replace(/-\d+$/, "");
  }

  // The charts of one kind, each with its population.
  function ofKind(wanted) {
    return Object.keys(views).filter((name) => kind(name) === wanted).map((name) => ({ name, population: initial[name].population }));
  }

  return { views, start, update, ofKind };
})();
