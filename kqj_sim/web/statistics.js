// Sums over weighted deals, and estimates of them by kernels (`tools/page/kernels.py`).
// An estimate is {value, low, high}: `low` is NaN without an interval.

function addNumbers(sums, numbers) {
  for (let at = 0; at < numbers.length; at++) sums[at] += numbers[at];
}

class Moments {
  // `stats.moments.WeightedMoments` of some quantities and options.
  constructor(engine, measures, options) {
    const count = measures.length,
      size = 1 + options;
    Object.assign(this, { engine, measures, deals: 0, dealSquares: 0 });
    this.shapes = [
      [count, size],
      [count, size, size],
    ];
    this.sums = new Float64Array(count * size);
    this.products = new Float64Array(count * size * size);
  }

  add({ drawn, sums, products, dealSquares = products[0] }) {
    this.deals += drawn;
    this.dealSquares += dealSquares;
    addNumbers(this.sums, sums);
    addNumbers(this.products, products);
  }

  get weights() {
    return this.sums[0];
  }
  get effective() {
    return this.dealSquares > 0 ? this.weights ** 2 / this.dealSquares : 0;
  }

  // Calls a kernel with the moments and further arguments, and reads its result.
  call(name, given, read = (result) => result) {
    const { engine, shapes } = this;
    const moments = [
      engine.copy("i64", [this.deals]),
      engine.copy("f64", this.sums, shapes[0]),
      engine.copy("f64", this.products, shapes[1]),
      engine.copy("f64", [this.dealSquares]),
    ];
    const found = read(engine.call(name, moments, ...given));
    engine.release();
    return found;
  }

  // Calls a kernel that writes an estimate.
  callEstimate(name, ...given) {
    const found = this.engine.array("f64", 3);
    return this.call(name, [...given, found], () => {
      const [value, low, high] = found.view();
      return { value, low, high };
    });
  }

  // Estimates a quantity of an option, or by how much it exceeds that of `baseline`.
  estimate(name, option, baseline = -1) {
    // Rounds are won or not; a game is won by a chance.
    const isShare = !this.isExact && baseline < 0 && name.endsWith("_share") && name !== GAME_MEASURE,
      measure = this.measures.indexOf(name);
    const found = this.callEstimate("estimate_measure", measure, option, baseline, Number(isShare));
    // All distributions were played out: nothing is estimated.
    if (this.isExact) found.low = found.high = NaN;
    // With weights that are not whole, equal options would differ by rounding errors.
    if (this.isRounded) for (const key in found) found[key] = Number(found[key].toFixed(9));
    return found;
  }

  // The measure by which options are ranked: the chance to win the game, if that is known.
  get ranking() {
    return this.measures[0] === GAME_MEASURE ? GAME_MEASURE : "value";
  }

  // The first options by falling mean of a quantity; equal ones by number.
  rank(count, name = this.ranking) {
    const order = this.engine.array("i64", count);
    return this.call("rank_options", [this.measures.indexOf(name), order], () =>
      [...order.view()].map(Number),
    );
  }

  // The numbers of the measure by which options are ranked and of the chance to win, and a bound of the former.
  makeObjective(name = this.ranking) {
    const numbers = [name, "win_share"].map((each) => this.measures.indexOf(each));
    return [...numbers, name === GAME_MEASURE ? 1 : this.engine.constants.MAX_POINTS];
  }

  // Whether the best of the first options is certain to be so.
  isCertain(count) {
    return this.call("is_certain", [...this.makeObjective(), count]) === 1;
  }

  // Returns of the first options whether each may be the best by a measure.
  findPossible(count, name) {
    const possible = this.engine.array("i64", count);
    return this.call("find_possible", [...this.makeObjective(name), possible], () => [...possible.view()].map(Number));
  }

  // Returns the moments of some options.
  select(options) {
    const moments = new Moments(this.engine, this.measures, options.length),
      columns = [0, ...options.map((option) => 1 + option)],
      [rows, size] = this.shapes[0],
      pick = (at) => columns.map((column) => at + column);
    const sums = [...Array(rows).keys()].flatMap((row) => pick(row * size)),
      products = [...Array(rows).keys()].flatMap((row) => columns.flatMap((one) => pick((row * size + one) * size)));
    moments.add({
      drawn: this.deals,
      sums: sums.map((at) => this.sums[at]),
      products: products.map((at) => this.products[at]),
      dealSquares: this.dealSquares,
    });
    return moments;
  }
}
