// What the explorer says beside its charts: answers, and the point that is chosen with the rows behind it.
const panels = (() => {
  const byId = (id) => document.getElementById(`explore-${id}`);

  function element(name, text, className) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  // The answers over the specifications that are left.
  function result(shown, found, rankings) {
    const answers = {
      specs: words.specifications(shown),
      set: words.identifiedSet(shown, found),
      low: words.witness(shown, found.least),
      high: words.witness(shown, found.greatest),
      relation: words.relation(shown),
      ranking: words.ranking(shown, rankings),
    };
    byId("quantity-words").textContent = words.quantity(shown.opened, shown.population, shown.question);
    for (const [id, text] of Object.entries(answers)) byId(id).textContent = text;
    byId("set").dataset.settled = found.pointIdentified;
    byId("effects").replaceChildren(...shown.population.effects.map((_, at) => element("li", effectWords(shown, at))));
    byId("ranks").replaceChildren(...shown.opened.data.methods.map((name, method) => rankLine(shown, rankings, name, method)));
  }

  function effectWords(shown, effect) {
    const own = rows.view(shown.opened, shown.population, { ...shown.question, effect }, shown.specs);
    const told = words.identifiedSet(own, study.identified(own.quantity, own.items));
    return `${words.printable(shown.population.effects[effect].id)}: ${told} (${words.cells(own)})`;
  }

  // A method, the ranks that it has somewhere, and its levels.
  function rankLine(shown, rankings, name, method) {
    const line = element("tr");
    const head = element("th", words.printable(name));
    head.scope = "row";
    const ranks = rankings.rankSets[method].map(({ rank }) => rank).join(", ") || "none";
    line.append(head, element("td", ranks), element("td", words.levels(shown, method)));
    return line;
  }

  // What is not drawn or not in the page; nothing of it that does not apply.
  function notes(texts) {
    const told = texts.filter(Boolean);
    byId("notes").replaceChildren(...told.map((text) => element("li", text)));
    byId("notes").hidden = !told.length;
  }

  function noPoint() {
    byId("point-title").textContent = "No point chosen";
    byId("point-value").textContent = "Click a point of the curve, or move to one with the arrow keys.";
    for (const id of ["choices", "point-rows"]) byId(id).replaceChildren();
    byId("point-table").hidden = true;
    byId("rows-words").textContent = "";
  }

  // The chosen item: its value, its options with words and rationale, and the rows behind it.
  function point(shown, item, told) {
    byId("point-title").textContent = words.printable(rows.itemId(shown, item)) || "the one cell";
    byId("point-value").textContent = `${told}; exactly ${words.minus(exact.text(rows.valueOf(shown, item)))}${supports(shown, item)}`;
    byId("choices").replaceChildren(...words.options(shown, item).flatMap(choice));
    const behind = evidence.behind(shown, item);
    byId("rows-words").textContent = behind.told;
    byId("point-rows").replaceChildren(...behind.lines.map(rowLine));
    byId("point-table").hidden = !behind.lines.length;
  }

  function choice({ coordinate, option, words: told, rationale }) {
    const chosen = element("dd", `${option}${told ? `: ${told}` : ""}`);
    if (rationale) chosen.append(element("div", `Why: ${rationale}`, "rationale"));
    return [element("dt", coordinate), chosen];
  }

  // How many rows each of the two methods is judged on, of a margin.
  function supports(shown, item) {
    if (shown.question.effect !== null) return "";
    const { a, b } = shown.question;
    const counts = shown.population.support_rows[shown.population.support_of[item]];
    if (counts[a] === counts[b]) return `; ${words.counted(counts[a], "row")}`;
    const [first, second] = [a, b].map((method) => words.printable(shown.opened.data.methods[method]));
    return `; ${first} on ${words.counted(counts[a], "row")}, ${second} on ${words.counted(counts[b], "row")}`;
  }

  function rowLine({ row, contribution, scores, reason }) {
    const line = element("tr");
    const head = element("th", row);
    head.scope = "row";
    line.append(head, ...[contribution, scores, reason].map((text) => element("td", text)));
    return line;
  }

  return { result, notes, noPoint, point };
})();
