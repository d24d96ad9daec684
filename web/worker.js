// A worker: plays chunks of deals for one question after another, and adds them up.

const DECODE = {
  // Quantities of a round, from its outcome (`core.call_odds`) at index `o`.
  win_share: (x, o) => x[o + OUT.OWN_SCORE] > x[o + OUT.OTHER_SCORE],
  value: (x, o) => x[o + OUT.OWN_SCORE] - x[o + OUT.OTHER_SCORE],
  own_countered_share: (x, o) => x[o + OUT.OWN_COUNTERED] !== 0,
  value_if_not_countered: (x, o) => x[o + OUT.UNCOUNTERED_OWN_SCORE] - x[o + OUT.UNCOUNTERED_OTHER_SCORE],
  own_made_share: (x, o) => x[o + OUT.OWN_PLAYS] !== 0 && x[o + OUT.RESULT] === OUT.MADE,
  own_contract_share: (x, o) => x[o + OUT.OWN_PLAYS] !== 0,
  contract_made_share: (x, o) => x[o + OUT.RESULT] === OUT.MADE,
  passed_share: (x, o) => x[o + OUT.RESULT] === OUT.PASSED_OUT,
  own_total_mean: (x, o) => x[o + OUT.OWN_TOTAL],
  own_capot_share: (x, o) => x[o + OUT.OWN_TRICKS] === 8,
};
let OUT, engine, question;

// Returns sums of w x and of w w x y over deals of weight w, as `stats.moments.WeightedMoments` has
// them: for each quantity those of 1 and of each option.
function addUp(outcomes, weights, options, dealFirst) {
  const size = 1 + options,
    n = weights.length,
    names = question.measures,
    x = new Float64Array(size);
  const sums = new Float64Array(names.length * size),
    products = new Float64Array(sums.length * size);
  x[0] = 1;
  names.forEach((name, number) => {
    for (let deal = 0; deal < n; deal++) {
      const w = weights[deal],
        ww = w * w;
      for (let a = 0; a < options; a++) {
        const row = dealFirst ? deal * options + a : a * n + deal;
        x[1 + a] = DECODE[name](outcomes, row * OUT.SIZE);
      }
      for (let a = 0; a < size; a++) {
        sums[number * size + a] += w * x[a];
        for (let b = a; b < size; b++) products[(number * size + a) * size + b] += ww * x[a] * x[b];
      }
    }
  });
  return { sums, products };
}

// Returns the weights, and their squares, by option and own total.
function addTotals(outcomes, weights, options) {
  const n = weights.length,
    totals = new Float64Array(options * OUT.TOTALS),
    squares = totals.slice();
  for (let a = 0; a < options; a++) {
    for (let deal = 0; deal < n; deal++) {
      const at = a * OUT.TOTALS + outcomes[(a * n + deal) * OUT.SIZE + OUT.OWN_TOTAL];
      totals[at] += weights[deal];
      squares[at] += weights[deal] ** 2;
    }
  }
  return { totals, squares };
}

// Plays every call in a block of deals, as `KqjCallSampler.play_chunk`.
function playCalls({ observer, observed, options }, first, lanes) {
  const { rules, calls, uncountered } = engine.table,
    i64 = (n) => engine.array("i64", n);
  const questions = observed.length / OUT.OBSERVED;
  const state = i64(OUT.BLOCK),
    hands = i64(12 * lanes),
    keys = i64(lanes),
    remaining = i64(lanes);
  const known = engine.copy("i64", observer),
    asked = engine.copy("i64", observed);
  const weights = engine.array("f64", lanes),
    counts = i64(2 * questions),
    signal = i64(2);
  engine.call("begin_deals", state, first, lanes, 1, known, hands, keys, weights, remaining);
  if (questions) {
    engine.call(
      "draw_callers",
      state,
      lanes,
      rules,
      calls,
      asked,
      hands,
      keys,
      weights,
      counts,
      signal,
      remaining,
    );
  }
  const live = engine.call(
    "deal_remaining",
    state,
    lanes,
    rules,
    known,
    asked,
    hands,
    keys,
    weights,
    signal,
    remaining,
  );
  const n = options.length,
    outcomes = engine.array("i16", [n, live, OUT.SIZE]);
  const packed = engine.copy("i64", options.flat(), [n, options[0].length]);
  engine.call("play_out_calls", state, live, rules, calls, uncountered, known, packed, hands, keys, outcomes);
  const found = outcomes.view(),
    weighed = weights.view().slice(0, live);
  const more = question.totals ? addTotals(found, weighed, n) : {};
  return {
    drawn: lanes,
    live,
    counts: Array.from(counts.view(), Number),
    ...addUp(found, weighed, n),
    ...more,
  };
}

// Returns the turn of a question about cards, as `CardTurn`.
function makeTurn({ called, shown, known, plays, trick, position, observed, cards }) {
  const state = engine.array("i64", OUT.BLOCK),
    i64 = (numbers) => engine.copy("i64", numbers);
  const seating = engine.table.cards.map((part, at) => (at === 10 ? 1 : part));
  engine.call("replay_plays", state, i64(called), i64(shown), i64(plays), seating, i64(known));
  const coded = cards.map((card) => engine.exports.order_by_strength(engine.pack(state, card)));
  return [state, trick, position, i64(known), i64(shown), i64(observed), i64([]), i64(coded)];
}

// Draws hidden hands that agree with the calls, as `KqjCardSampler.draw_hands`.
function drawHands(turn, first, count, questions) {
  const keys = engine.array("i64", count),
    weights = engine.array("f64", count);
  const hands = engine.array("i64", [count, 6]),
    counts = engine.array("i64", 2 * questions);
  const kept = engine.call(
    "draw_hidden_hands",
    turn,
    first,
    count,
    1,
    engine.table.rules,
    engine.table.cards,
    keys,
    weights,
    hands,
    counts,
    engine.array("i64", 2),
  );
  return {
    kept,
    keys: keys.view().slice(0, Math.max(0, kept)),
    weights: weights.view().slice(0, Math.max(0, kept)),
    hands: hands.view().slice(0, Math.max(0, 6 * kept)),
    counts: Array.from(counts.view(), Number),
  };
}

// Returns the different hands of each place, and which of them each layout has.
function findDifferent(hands, skipped) {
  const different = [[], [], [], [], [], []],
    which = [[], [], [], [], [], []];
  for (let place = 0; place < 6; place++) {
    const found = new Map();
    for (let at = place; at < hands.length; at += 6) {
      if (!found.has(hands[at])) found.set(hands[at], found.size);
      which[place].push(found.get(hands[at]));
    }
    if (place !== skipped) different[place] = [...found.keys()];
  }
  return { different, which };
}

// Returns the weights of layouts by the cards that the others played, as `PlayModel.weigh`.
function weighByPlays(turn, hands) {
  const { different, which } = findDifferent(hands, question.own),
    n = hands.length / 6;
  const counts = different.map((each) => each.length),
    starts = counts.map((_, at) => counts.slice(0, at).reduce((a, b) => a + b, 0));
  const chances = engine.copy("f64", Array(counts.reduce((a, b) => a + b, 0)).fill(1)),
    i64 = (numbers) => engine.copy("i64", numbers);
  engine.call(
    "weigh_hands_by_cards",
    turn[0],
    question.trick,
    question.position,
    engine.table.plays,
    i64(different.flat()),
    i64(starts),
    i64(counts),
    chances,
  );
  const counted = Float64Array.from(chances.view(), (chance) => {
    const root = Math.sqrt(Math.sqrt(chance));
    return root * root * root;
  });
  const weights = new Float64Array(n).fill(1);
  for (let place = 0; place < 6; place++) {
    if (place !== question.own)
      which[place].forEach((index, at) => (weights[at] *= counted[starts[place] + index]));
  }
  return weights;
}

// Returns the weight below which draws are thinned out, as `choose_least_weight` of a pilot sample.
function findLeastWeight(turn) {
  const pilot = drawHands(turn.with(5, engine.copy("i64", [])), 1n << 59n, 1024, 0);
  const weights = weighByPlays(turn, pilot.hands),
    sorted = weights.slice().sort(),
    n = weights.length;
  const left = 6 * (8 - question.trick) - question.position,
    cost = (question.cards.length * left) / (48 - left);
  const quantile = (share) => {
    const at = share * (n - 1),
      low = Math.floor(at),
      t = at - low,
      a = sorted[low],
      b = sorted[Math.min(low + 1, n - 1)];
    return t >= 0.5 ? b - (b - a) * (1 - t) : a + (b - a) * t;
  };
  let found = 0,
    most = 0;
  const sum = (list) => list.reduce((a, b) => a + b, 0);
  for (const least of n
    ? [0, ...Array.from({ length: 39 }, (_, i) => quantile(0.05 + (i * 0.95) / 38))]
    : []) {
    const kept = weights.map((weight) => (least > 0 ? Math.min(1, weight / least) : 1));
    const size = sum(weights) ** 2 / sum(weights.map((weight) => weight * Math.max(weight, least)));
    const time = n + cost * sum(kept);
    if (sum(kept) / n >= 1 / 16 && size / time > most) [found, most] = [least, size / time];
  }
  return found;
}

function playOut(turn, hands, keys) {
  const n = keys.length,
    outcomes = engine.array("i16", [n * question.cards.length, OUT.SIZE]);
  engine.call(
    "play_out_cards",
    turn,
    engine.copy("i64", hands, [n, 6]),
    engine.copy("i64", keys),
    engine.table.rules,
    engine.table.cards,
    outcomes,
  );
  return outcomes.view();
}

// Plays every legal card out in some draws, as `KqjCardSampler.play_chunk`.
function playCards(first, count) {
  const turn = makeTurn(question),
    drawn = drawHands(turn, first, count, question.observed.length / OUT.OBSERVED);
  if (drawn.kept < 0) return { impossible: true };
  let { keys, weights, hands } = drawn;
  if (question.weighs) {
    question.least ??= findLeastWeight(turn);
    const byPlays = engine.copy("f64", weighByPlays(turn, hands));
    engine.call("thin_draws", engine.copy("i64", keys), { float: question.least }, byPlays);
    const thinned = byPlays.view().slice(),
      isLive = (_, at) => thinned[at] > 0;
    weights = weights.map((weight, at) => weight * thinned[at]).filter(isLive);
    hands = hands.filter((_, at) => thinned[Math.floor(at / 6)] > 0);
    keys = keys.filter(isLive);
  }
  const live = keys.length,
    most = Math.min(live, question.most ?? Infinity);
  [keys, weights, hands] = [keys.slice(0, most), weights.slice(0, most), hands.slice(0, 6 * most)];
  return {
    drawn: most,
    live,
    counts: drawn.counts,
    ...addUp(playOut(turn, hands, keys), weights, question.cards.length, true),
  };
}

// Plays every legal card out in some of all distributions, as `CardSampler.play_all`.
function playListed(first, count) {
  const turn = makeTurn(question),
    hands = question.layouts.slice(6 * Number(first), 6 * (Number(first) + count)),
    n = hands.length / 6;
  const weights = question.weighs ? weighByPlays(turn, hands) : new Float64Array(n).fill(1);
  const { different, which } = findDifferent(hands),
    questions = question.observed.length / OUT.OBSERVED;
  const places = Array.from({ length: questions }, (_, at) => Number(question.observed[at * OUT.OBSERVED]));
  for (const place of new Set(places)) {
    const ways = engine.array("i64", different[place].length),
      begin = places.indexOf(place);
    engine.call(
      "count_first_fives",
      turn,
      begin,
      places.lastIndexOf(place) + 1,
      engine.copy("i64", different[place]),
      1,
      engine.table.rules,
      engine.table.cards,
      ways,
      engine.array("i64", 2 * questions),
    );
    const found = ways.view();
    which[place].forEach((index, at) => (weights[at] *= Number(found[index])));
  }
  const keys = engine.array("i64", n);
  engine.call("fill_keys", first, 1, keys);
  return {
    drawn: n,
    live: n,
    counts: [],
    ...addUp(playOut(turn, hands, keys.view().slice()), weights, question.cards.length, true),
  };
}

onmessage = ({ data }) => {
  if (data.module) {
    OUT = data.constants;
    engine = new Engine(data.module, data.table, data.weights);
  }
  if (data.question) question = data.question;
  if (data.first !== undefined) {
    const play = question.layouts
      ? playListed
      : question.cards
        ? playCards
        : (...range) => playCalls(question, ...range);
    const chunk = play(data.first, data.count);
    engine.release();
    postMessage({ number: data.number, job: data.job, chunk });
  }
};
