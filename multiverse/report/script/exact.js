// Exact rationals over BigInt: {p, q, number} in lowest terms, q > 0, with the nearest double for drawing and for words.
const exact = (() => {
  const SAFE = 2n ** 53n;

  function divisor(a, b) {
    while (b) [a, b] = [b, a % b];
    return a < 0n ? -a : a;
  }

  function rational(p, q) {
    const common = divisor(p, q);
    const top = p / common, bottom = q / common;
    return { p: top, q: bottom, number: nearest(top, bottom) };
  }

  // The double nearest to p/q, as Python's float(Fraction(p, q)): longer integers by a quotient of at least 65 bits whose
  // last bit tells whether anything is left.
  function nearest(p, q) {
    if (p < 0n) return -nearest(-p, q);
    if (p <= SAFE && q <= SAFE) return Number(p) / Number(q);
    const shift = Math.max(0, length(q) - length(p) + 72);
    const scaled = p << BigInt(shift);
    return Number(scaled / q | (scaled % q ? 1n : 0n)) / 2 ** shift;
  }

  function length(integer) {
    return 4 * integer.toString(16).length;
  }

  // The rational of "p/q" or "p".
  function parse(text) {
    const [p, q = "1"] = text.split("/");
    return rational(BigInt(p), BigInt(q));
  }

  function text(x) {
    return x.q === 1n ? String(x.p) : `${x.p}/${x.q}`;
  }

  // Negative, 0 or positive. Rounding to the nearest double keeps order, so doubles that differ decide.
  function compare(x, y) {
    if (x.number !== y.number) return x.number < y.number ? -1 : 1;
    const difference = x.p * y.q - y.p * x.q;
    return difference < 0n ? -1 : Number(difference > 0n);
  }

  function subtract(x, y) {
    return rational(x.p * y.q - y.p * x.q, x.q * y.q);
  }

  function negate(x) {
    return { p: -x.p, q: x.q, number: -x.number };
  }

  // Percentage points to two decimals, as `points` of multiverse/summary.py: an exact zero is a bare 0.
  function points(x, signed) {
    return x.p === 0n ? "0" : decimals(nearest(100n * x.p, x.q), signed);
  }

  // The same of a double, for sampling intervals.
  function pointsOfNumber(number, signed) {
    return number === 0 ? "0" : decimals(100 * number, signed);
  }

  function decimals(number, signed) {
    const size = Math.abs(number);
    const sign = number < 0 ? "-" : signed ? "+" : "";
    return sign + (size >= 0.005 ? fixed(size) : size.toExponential(1).replace(/e-(\d)$/, "e-0$1"));
  }

  // Two decimals; a double that lies halfway goes to the even one, and toFixed takes it up.
  function fixed(size) {
    const down = (8 * size) % 4 === 1;
    return (down ? size - 0.001 : size).toFixed(2);
  }

  return { parse, text, compare, subtract, negate, points, pointsOfNumber };
})();
