// The engine: numba's kernels as WebAssembly, called with the arguments that they have in Python.
// An argument is a number, an array of `array`, {float: x}, or a list of arguments (a tuple).

const KINDS = { i64: BigInt64Array, f64: Float64Array, f32: Float32Array, i16: Int16Array };

const GAME_MEASURE = "game_share"; // `positions/measures.py`

class Engine {
  // `table` are the rules and seatings of `tools/page/module.py`, `weights` the bytes of its networks.
  constructor(module, table, weights) {
    this.exports = new WebAssembly.Instance(module).exports;
    this.used = [];
    this.weights = weights ? this.copy("i16", new Int16Array(weights)).at : 0;
    this.table = {};
    for (const name in table) this.table[name] = this.place(table[name]);
    this.used = []; // What stands until now is kept.
  }

  // Returns an array of zeros of the engine's memory; `shape` is a number or a list of numbers.
  array(kind, shape) {
    shape = [shape].flat();
    const length = shape.reduce((product, size) => product * size, 1);
    const size = Math.max(8, length * KINDS[kind].BYTES_PER_ELEMENT);
    const at = this.exports.allocate(size),
      array = this.refer(kind, at, shape);
    this.used.push([at, size]);
    array.view().fill(kind === "i64" ? 0n : 0);
    return array;
  }

  refer(kind, at, shape) {
    const length = shape.reduce((product, size) => product * size, 1);
    // The memory may grow and move, so that a view is good until the next call only.
    return { kind, at, shape, view: () => new KINDS[kind](this.exports.memory.buffer, at, length) };
  }

  // Returns the first rows of an array.
  head({ kind, at, shape }, count) {
    return this.refer(kind, at, [count, ...shape.slice(1)]);
  }

  // Returns one row of an array.
  row({ kind, at, shape }, number) {
    const size = shape.slice(1).reduce((product, size) => product * size, KINDS[kind].BYTES_PER_ELEMENT);
    return this.refer(kind, at + number * size, shape.slice(1));
  }

  copy(kind, values, shape = values.length) {
    const array = this.array(kind, shape);
    array.view().set(kind === "i64" ? Array.from(values, BigInt) : values);
    return array;
  }

  // Gives the memory of all arrays back.
  release() {
    for (const [at, size] of this.used.splice(0)) this.exports.release(at, size);
  }

  // Returns an argument described by the build: arrays by what they hold.
  place(part) {
    if (typeof part === "number") return part;
    if (Array.isArray(part)) return part.map((each) => this.place(each));
    const [kind, values] = Object.entries(part)[0];
    if (kind === "floats" && values.length === 1) return { float: values[0] };
    if (kind === "floats") return this.copy("f64", values);
    const find = {
      functions: (n) => (n < 0 ? 0n : this.exports.address_of(BigInt(n))),
      weights: (place) => (place > 0 ? this.weights + place - 1 : 0),
      integers: (n) => n,
    }[kind];
    return this.copy("i64", values.map(find));
  }

  // Returns the address of the numbers by which a C function gets its arguments.
  pack(...given) {
    const numbers = [];
    const add = (value) => {
      if (Array.isArray(value)) value.forEach(add);
      else if (value?.shape) numbers.push(value.at, ...value.shape);
      else if (value?.float !== undefined) numbers.push(this.copy("f64", [value.float]).at);
      else numbers.push(value);
    };
    add(given);
    return this.copy("i64", numbers).at;
  }

  call(name, ...given) {
    return Number(this.exports[name](this.pack(...given)));
  }
}
