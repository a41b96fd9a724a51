// What stands under the charts that follow the controls, and what they say to who cannot see them.
const captions = (() => {
  function curve(shown, found, order, positions) {
    const quantity = words.quantity(shown.opened, shown.population, shown.question);
    const of = words.noun(shown) === "cell" ? "cell of the other coordinates" : "specification";
    const told = [`Each mark is the ${quantity} at one ${of}, least first; its shape and colour tell the smallest family.`];
    if (order.some((item) => rows.interval(shown, item))) {
      told.push(`Thin grey lines are ${words.level(shown)} sampling intervals: where it might lie had other rows been drawn.`);
    }
    const drawn = words.drawn(shown, order, positions);
    if (drawn) told.push(`${drawn}.`);
    return {
      quantity: `${quantity}, percentage points`,
      title: `Specification curve of ${quantity}`,
      caption: told.join(" "),
      alt: `${quantity} over ${words.specifications(shown)}: ${words.identifiedSet(shown, found)}.`,
    };
  }

  // The figure of identified sets follows the margin, also while an effect is shown above.
  function families(margin) {
    const quantity = words.quantity(margin.opened, margin.population, margin.question);
    const sets = margin.opened.families.map((family) => {
      const own = rows.view(margin.opened, margin.population, margin.question, family.specs);
      return `${words.printable(family.name)}: ${told(own)}`;
    });
    if (isRestricted(margin)) sets.push(`as pinned: ${told(margin)}`);
    return {
      quantity: `${quantity}, percentage points`,
      title: `Identified sets of ${quantity}`,
      caption:
        "Each row is a family of specifications; a larger family has no smaller identified set. A thick bar runs from the " +
        "least value to the greatest, and each mark is one value. This is specification variation alone.",
      alt: `${quantity} by family: ${sets.join("; ")}.`,
    };
  }

  function told(shown) {
    return words.identifiedSet(shown, study.identified(shown.quantity, shown.items));
  }

  function isRestricted(shown) {
    return shown.specs.length < shown.opened.size;
  }

  function over(shown) {
    return isRestricted(shown) ? `the ${words.counted(shown.specs.length, "specification")} chosen under Explore` : "the family";
  }

  function ranks(shown, rankings) {
    const names = shown.opened.data.methods.map(words.printable);
    const sets = rankings.rankSets.map((set, method) => `${names[method]} ${set.map(({ rank }) => rank).join(", ") || "none"}`);
    const whole = isRestricted(shown) ? " Sampling intervals of ranks are told of the whole family alone." : "";
    return {
      title: "Rank sets",
      caption: `A method's rank is 1 plus the number of methods strictly above it. Bars are variation over ${over(shown)}.${whole}`,
      alt: `Ranks of each method over ${over(shown)}: ${sets.join("; ")}.`,
    };
  }

  function pairs(shown, found) {
    const counts = new Map();
    for (const { relation } of found) counts.set(relation, (counts.get(relation) ?? 0) + 1);
    const told = [...counts].map(([relation, number]) => `${number} ${relation.replace("_", " ")}`);
    return {
      title: "Pair relations",
      caption:
        `How the margin of the row's method over the column's behaves over ${over(shown)}; columns are numbered as the ` +
        "rows. This is specification variation alone.",
      alt: `Relations of ${words.counted(found.length, "pair")} over ${over(shown)}: ${told.join(", ")}.`,
    };
  }

  return { curve, families, ranks, pairs };
})();
