// Estimates and their 95% intervals from sums over weighted deals, as `kqj_sim/stats` makes them.
// An estimate is {value, low, high}: `low` is NaN without an interval.

const Z = 1.959963984540054;
const ROUNDING_ERROR = 1e-12;

// Student's quantile for 95%, by the expansion of Fisher and Cornish.
function findReach(observations) {
  if (observations < 10) return Infinity;
  const n = observations - 1,
    z = Z;
  return (
    z +
    (z ** 3 + z) / (4 * n) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * n ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * n ** 3) +
    (79 * z ** 9 + 776 * z ** 7 + 1482 * z ** 5 - 1920 * z ** 3 - 945 * z) / (92160 * n ** 4)
  );
}

function logGamma(x) {
  // Lanczos, 15 digits.
  const c = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ];
  const t = x + 6.5;
  const series = c.reduce((sum, each, i) => (i ? sum + each / (x - 1 + i) : each), 0);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(series);
}

// The incomplete beta function, by its continued fraction.
function betaCdf(x, a, b) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaCdf(1 - x, b, a);
  let c = 1,
    d = 1 / (1 - ((a + b) * x) / (a + 1)),
    result = d;
  for (let m = 1; m < 500; m++) {
    for (const term of [
      (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
      (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1)),
    ]) {
      d = 1 / (1 + term * d);
      c = 1 + term / c;
      result *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-14) break;
  }
  const front = a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b);
  return (Math.exp(front) * result) / a;
}

function betaQuantile(p, a, b) {
  let low = 0,
    high = 1;
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (betaCdf(middle, a, b) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

// Wilson's bounds of a share; Clopper and Pearson's where either number is below 40.
function findShareBounds(events, others) {
  if (Math.min(events, others) >= 40) {
    const n = events + others,
      centre = (events + Z ** 2 / 2) / (n + Z ** 2);
    const half = Math.sqrt(Z ** 2 * ((events * others) / n + Z ** 2 / 4)) / (n + Z ** 2);
    return [centre - half, centre + half];
  }
  if (events > others)
    return findShareBounds(others, events)
      .map((bound) => 1 - bound)
      .reverse();
  if (events === 0) return [0, -Math.expm1(Math.log(0.025) / others)];
  return [betaQuantile(0.025, events, others + 1), betaQuantile(0.975, events + 1, others)];
}

// Half the width of a confidence sequence in standard errors (`stats.sequences`).
function findSequenceWidth(count, confidence) {
  const start = -2 * Math.log(1 - confidence);
  let spread = start + 1;
  for (let i = 0; i < 100; i++) spread = start + Math.log1p(spread);
  spread *= count / 10000;
  return Math.sqrt((1 + 1 / spread) * (start + Math.log1p(spread)));
}

class Moments {
  // `stats.moments.WeightedMoments` of some quantities and options.
  constructor(measures, options) {
    const size = 1 + options;
    Object.assign(this, { measures, options, size, deals: 0 });
    this.sums = new Float64Array(measures.length * size);
    this.products = new Float64Array(measures.length * size * size);
  }

  add({ drawn, sums, products }) {
    this.deals += drawn;
    sums.forEach((each, at) => (this.sums[at] += each));
    products.forEach((each, at) => (this.products[at] += each));
  }

  product(quantity, a, b) {
    return this.products[(quantity * this.size + Math.min(a, b)) * this.size + Math.max(a, b)];
  }

  get weights() {
    return this.sums[0];
  }
  get squares() {
    return this.products[0];
  }
  get effective() {
    return this.squares > 0 ? this.weights ** 2 / this.squares : 0;
  }

  // Sums of w x, w w x, w w x x of a quantity, or of its difference to that of `baseline`.
  summarize(name, option, baseline) {
    const q = this.measures.indexOf(name),
      a = 1 + option,
      b = 1 + baseline;
    const at = (each) => this.sums[q * this.size + each],
      p = (...pair) => this.product(q, ...pair);
    if (baseline === undefined) return [at(a), p(0, a), p(a, a)];
    return [at(a) - at(b), p(0, a) - p(0, b), p(a, a) - 2 * p(a, b) + p(b, b)];
  }

  // Estimates a quantity of an option, or by how much it exceeds that of `baseline`.
  estimate(name, option, baseline) {
    const found = this.estimateUnrounded(name, option, baseline);
    // With weights that are not whole, equal options would differ by rounding errors.
    if (this.isRounded) for (const key in found) found[key] = Number(found[key].toFixed(9));
    return found;
  }

  estimateUnrounded(name, option, baseline) {
    const [first, crossed, product] = this.summarize(name, option, baseline);
    // All distributions were played out: nothing is estimated.
    if (this.isExact) return { value: first / this.weights, low: NaN, high: NaN };
    if (name.endsWith("_share") && baseline === undefined) return this.share(first, product);
    const value = first / this.weights;
    const spread = product - 2 * value * crossed + value ** 2 * this.squares;
    if (spread <= ROUNDING_ERROR * product) return { value, low: NaN, high: NaN };
    const half = (findReach(Math.floor(this.effective)) * Math.sqrt(spread)) / this.weights;
    return { value, low: value - half, high: value + half };
  }

  share(weights, squares) {
    let value = Math.min(Math.max(weights / this.weights, 0), 1),
      number = this.effective;
    const spread = (1 - 2 * value) * squares + value ** 2 * this.squares;
    if (spread > ROUNDING_ERROR * this.squares) {
      number = Math.min(number, (value * (1 - value) * this.weights ** 2) / spread);
    } else value = Math.round(value);
    const [low, high] = findShareBounds(value * number, (1 - value) * number);
    return { value, low, high };
  }

  // The first options by falling mean of a quantity; equal ones by number.
  rank(count, name = "value") {
    const mean = (option) => Number((this.summarize(name, option)[0] / this.weights).toFixed(9));
    return Array.from({ length: count }, (_, i) => i).sort((a, b) => mean(b) - mean(a) || a - b);
  }

  // Whether the best of the first options is certain to be so, to 99.9%, by confidence sequences.
  isCertain(count, bound) {
    if (this.effective < 1000) return false;
    const [best, ...others] = this.rank(count),
      confidence = 1 - 0.001 / Math.max(1, others.length);
    const unseen = (bound * this.squares) / this.weights;
    const width = findSequenceWidth(this.deals, confidence);
    return (
      others.length > 0 &&
      others.every((other) => {
        const [first, crossed, product] = this.summarize("value", best, other);
        const value = first / this.weights;
        const spread = product - 2 * value * crossed + value ** 2 * this.squares + 3 * unseen ** 2;
        return value - (width * Math.sqrt(Math.max(spread, 0))) / this.weights > 0;
      })
    );
  }
}
