// What a restricted set of specifications says, from the data of the page alone: levels, margins and effects as quantities,
// their identified sets, rankings and pair relations. Everything is what an audit of that family gives.
//
// A quantity is {values, at}: its distinct exact values, ascending, and for each specification (of an effect: each cell)
// the position of its value among them, -1 where it is undefined. So values compare, tie and count by position.
const study = (() => {
  const UNDEFINED = -1;
  const TAU_ORDERS = 200; // tau-b compares every two weak orders: of more it is not computed here

  // The data with what every question needs: doubles and rationals once, positions as typed arrays.
  function open(data) {
    const size = data.specs.length;
    const ids = data.specs.map((choice) => specId(data, choice));
    const families = data.families.map((family) => openFamily(family, size));
    return { data, size, ids, axes: axes(data), families, populations: data.populations.map(openPopulation) };
  }

  // What may be pinned, {name, called, options, at}: each coordinate, then each factor of the contracts by its levels; `at`
  // is the position of each specification's option, -1 for none, and `called` the name in an address.
  function axes(data) {
    const coordinates = data.coordinates.map((name, axis) => {
      const options = data.options[name].map(({ id }) => id);
      return { name, called: `pin-${name}`, options, at: data.specs.map((choice) => choice[axis]) };
    });
    const contract = data.coordinates.indexOf("contract");
    const factors = data.factors.map(({ name, levels, of }) => {
      return { name, called: `level-${name}`, options: levels, at: data.specs.map((choice) => of[choice[contract]]) };
    });
    return [...coordinates, ...factors];
  }

  function openFamily(family, size) {
    const held = new Uint8Array(size);
    for (const spec of family.specs) held[spec] = 1;
    return { name: family.name, specs: Int32Array.from(family.specs), held };
  }

  // The id of a specification, or of its cell, without the contract's `left` axis.
  function specId(data, choice, left = -1) {
    const ids = choice.map((option, axis) => data.options[data.coordinates[axis]][option].id);
    return ids.filter((_, axis) => axis !== left).join("/");
  }

  function openPopulation(one) {
    const rows = one.level_rows.map((row) => Int32Array.from(row));
    return {
      ...one,
      values: one.values.map(exact.parse),
      rows,
      rowOf: Int32Array.from(one.level_of),
      ...distinctOrders(rows),
      levels: [],
      margins: new Map(),
      parsedEffects: new Map(),
    };
  }

  // The distinct weak orders, each as the ranks of all methods, and which of them each row has, -1 where it has none.
  function distinctOrders(rows) {
    const places = new Map();
    const orders = [];
    const orderOf = Int32Array.from(rows, (row) => {
      const ranks = competitionRanks(row);
      if (ranks === null) return UNDEFINED;
      const key = ranks.join();
      if (!places.has(key)) places.set(key, orders.push(ranks) - 1);
      return places.get(key);
    });
    return { orders, orderOf };
  }

  // The specifications of a family with every pinned option and level, in the study's order.
  // `pins`: position of an axis to position of its option.
  function restrict(opened, pins, family = null) {
    const pinned = Object.entries(pins).map(([axis, option]) => [opened.axes[axis].at, option]);
    const within = family === null ? Int32Array.from({ length: opened.size }, (_, i) => i) : opened.families[family].specs;
    return within.filter((spec) => pinned.every(([at, option]) => at[spec] === option));
  }

  // Quantities

  function level(population, method) {
    population.levels[method] ??= { values: population.values, at: bySpec(population, population.rows.map((row) => row[method])) };
    return population.levels[method];
  }

  // Positions by level row, as positions by specification.
  function bySpec(population, positions) {
    const found = new Int32Array(population.rowOf.length);
    for (let spec = 0; spec < found.length; spec++) found[spec] = positions[population.rowOf[spec]];
    return found;
  }

  // The margin of method a over method b.
  function margin(population, a, b) {
    const key = `${a},${b}`;
    if (!population.margins.has(key)) population.margins.set(key, newMargin(population, a, b));
    return population.margins.get(key);
  }

  function newMargin(population, a, b) {
    const size = population.values.length;
    const differences = new Map();
    const keys = population.rows.map((row) => {
      const [x, y] = [row[a], row[b]];
      if (x === UNDEFINED || y === UNDEFINED) return null;
      const key = x * size + y;
      if (!differences.has(key)) differences.set(key, exact.subtract(population.values[x], population.values[y]));
      return key;
    });
    const found = quantity(keys.map((key) => (key === null ? null : differences.get(key))));
    return { values: found.values, at: bySpec(population, found.at) };
  }

  // An effect, by its position among the declared ones; its items are the cells that the reported family holds whole.
  function effect(population, position) {
    if (!population.parsedEffects.has(position)) {
      const cells = population.effects[position].cells;
      population.parsedEffects.set(position, quantity(cells.map((cell) => (cell.exact === null ? null : exact.parse(cell.exact)))));
    }
    return population.parsedEffects.get(position);
  }

  function quantity(numbers) {
    const known = numbers.map((number, item) => ({ number, item })).filter((one) => one.number !== null);
    known.sort((x, y) => exact.compare(x.number, y.number));
    const at = new Int32Array(numbers.length).fill(UNDEFINED);
    const values = [];
    for (const { number, item } of known) {
      if (!values.length || exact.compare(values.at(-1), number)) values.push(number);
      at[item] = values.length - 1;
    }
    return { values, at };
  }

  // Which cells of an effect are whole in a set of specifications: both sides are in it at every background.
  function wholeCells(opened, cells, specs) {
    const held = new Uint8Array(opened.size);
    for (const spec of specs) held[spec] = 1;
    const whole = (cell) => cell.specs.every(([from, to]) => held[from] && held[to]);
    return Int32Array.from(cells.keys()).filter((cell) => whole(cells[cell]));
  }

  // The cells of an effect that a set of specifications holds in part: at some of the contracts of its backgrounds.
  function partialCells(opened, { contracts }, specs) {
    const axis = opened.data.coordinates.indexOf("contract");
    const held = new Map();
    for (const spec of specs) {
      const choice = opened.data.specs[spec];
      if (!contracts.includes(choice[axis])) continue;
      const cell = specId(opened.data, choice, axis);
      held.set(cell, (held.get(cell) ?? 0) + 1);
    }
    return [...held].filter(([, number]) => number < contracts.length).map(([cell]) => cell);
  }

  // The identified set of a quantity over some of its items: its values as they first occur, how many items give each and
  // the first that does; undefined ones are counted beside it.
  function identified(found, items) {
    const counts = new Int32Array(found.values.length);
    const values = [];
    let undefinedItems = 0;
    for (const item of items) {
      const at = found.at[item];
      if (at === UNDEFINED) undefinedItems += 1;
      else if (!counts[at]++) values.push({ at, first: item });
    }
    for (const value of values) value.items = counts[value.at];
    const ends = values.length ? [pick(values, (x, y) => x < y), pick(values, (x, y) => x > y)] : [null, null];
    return {
      values,
      undefined: undefinedItems,
      pointIdentified: values.length === 1 && !undefinedItems,
      least: ends[0],
      greatest: ends[1],
    };
  }

  function pick(values, better) {
    return values.reduce((best, value) => (better(value.at, best.at) ? value : best));
  }

  // Rankings

  // 1 + how many methods are strictly above, by method; null where a level is undefined.
  function competitionRanks(row) {
    if (row.includes(UNDEFINED)) return null;
    const above = new Map();
    Int32Array.from(row).sort().reverse().forEach((value, i) => above.has(value) || above.set(value, i));
    return Array.from(row, (value) => 1 + above.get(value));
  }

  // Weak orders as they first occur, rank sets, winners and tau-b over a set of specifications.
  function rankings(population, specs) {
    const places = new Map();
    const unranked = [];
    for (const spec of specs) {
      const order = population.orderOf[population.rowOf[spec]];
      if (order === UNDEFINED) unranked.push(spec);
      else if (places.has(order)) places.get(order).specs += 1;
      else places.set(order, { ranks: population.orders[order], specs: 1, first: spec });
    }
    const found = [...places.values()];
    const rankSets = population.rows.length ? Array.from(population.rows[0], (_, method) => rankSet(found, method)) : [];
    const winners = [...rankSets.keys()].filter((method) => rankSets[method].some(({ rank }) => rank === 1));
    return { orders: found, undefined: unranked, rankSets, winners, tau: tauRange(found) };
  }

  // The ranks of a method, ascending, with how many specifications give each.
  function rankSet(orders, method) {
    const specs = new Map();
    for (const order of orders) specs.set(order.ranks[method], (specs.get(order.ranks[method]) ?? 0) + order.specs);
    return [...specs].map(([rank, number]) => ({ rank, specs: number })).sort((x, y) => x.rank - y.rank);
  }

  // Tie groups, best first, of an order's ranks; methods keep the order of the data, which is that of code points.
  function tieGroups(ranks) {
    const groups = new Map();
    ranks.forEach((rank, method) => groups.set(rank, [...(groups.get(rank) ?? []), method]));
    return [...groups].sort(([x], [y]) => x - y).map(([, group]) => group);
  }

  // How many specifications give the margin of a over b each sign.
  function signs(population, specs, a, b) {
    let plus = 0, zero = 0, minus = 0;
    for (const spec of specs) {
      const row = population.rows[population.rowOf[spec]];
      const x = row[a], y = row[b];
      if (x === UNDEFINED || y === UNDEFINED) continue;
      if (x > y) plus += 1;
      else if (x < y) minus += 1;
      else zero += 1;
    }
    return { plus, zero, minus, undefined: specs.length - plus - zero - minus };
  }

  function relation(found) {
    if (found.plus && found.minus) return "reversal";
    if (found.plus || found.minus) return found.zero ? "weak" : "robust_strict";
    return found.zero ? "robust_tie" : null;
  }

  // Kendall's tau-b over every two specifications: {min, max}, null where no two have one, undefined where too many orders
  // would have to be compared. An order that ties all methods has none.
  function tauRange(orders) {
    const untied = orders.filter((order) => order.ranks.some((rank) => rank !== order.ranks[0]));
    const total = untied.reduce((sum, order) => sum + order.specs, 0);
    if (total < 2) return null;
    if (untied.length > TAU_ORDERS) return undefined;
    const vectors = untied.map((order) => pairSigns(order.ranks));
    const sizes = vectors.map((vector) => dot(vector, vector));
    const found = untied.some((order) => order.specs > 1) ? [{ agreement: 1, product: 1 }] : [];
    vectors.forEach((x, i) => {
      for (let j = i + 1; j < vectors.length; j++) {
        found.push({ agreement: dot(x, vectors[j]), product: sizes[i] * sizes[j] });
      }
    });
    const taus = found.map(({ agreement, product }) => agreement / Math.sqrt(product));
    return { min: Math.min(...taus), max: Math.max(...taus) };
  }

  function pairSigns(ranks) {
    const found = [];
    ranks.forEach((rank, i) => {
      for (let j = i + 1; j < ranks.length; j++) found.push(Math.sign(ranks[j] - rank));
    });
    return Int8Array.from(found);
  }

  function dot(x, y) {
    let sum = 0;
    for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
    return sum;
  }

  return { open, restrict, level, margin, effect, wholeCells, partialCells, identified, rankings, tieGroups, signs, relation };
})();
