// A worker: plays chunks of deals for one question after another, and adds them up.

let OUT, engine, question, game;

// Returns sums over outcomes (options, deals, SIZE) of some weights, as `Odds.add` adds them; draws with
// the same number in `lists` share lists of hands.
function addUp(outcomes, weights, lists = []) {
  const { measures, totals } = question,
    [options, deals] = outcomes.shape,
    size = 1 + options;
  const values = engine.array("f64", [measures.length, options, deals]),
    sums = engine.array("f64", [measures.length, size]),
    products = engine.array("f64", [measures.length, size, size]),
    dealSquares = engine.array("f64", 1),
    shared = engine.copy("i64", lists);
  measures.forEach((name, at) => {
    const row = engine.row(values, at);
    if (name === GAME_MEASURE) fillGameShares(game, outcomes, row);
    else engine.call(`measure_${name}`, outcomes, row);
  });
  engine.call("add_weighted", weights, values, shared, sums, products, dealSquares);
  const found = {
    sums: sums.view().slice(),
    products: products.view().slice(),
    dealSquares: dealSquares.view()[0],
  };
  if (!totals) return found;
  const weighed = engine.array("f64", [options, OUT.TOTALS]),
    squares = engine.array("f64", [options, 3, OUT.TOTALS]);
  engine.call("add_totals", outcomes, weights, shared, weighed, squares);
  return { ...found, totals: weighed.view().slice(), squares: squares.view().slice() };
}

// Returns where the hidden cards are, as `HiddenCards.add`; hands are those of each deal.
function countHoldings(hands, weights, lists) {
  const { holdings, groups } = question,
    i64 = (numbers) => engine.copy("i64", numbers),
    sums = engine.array("f64", [3, groups.length, holdings.length]),
    sets = groups.map((places) => places.reduce((set, place) => set | (1 << place), 0));
  const [cards, least] = ["cards", "least"].map((name) => i64(holdings.map((holding) => holding[name])));
  engine.call("add_holdings", hands, weights, i64(lists), cards, least, i64(sets), sums);
  return { holdings: sums.view().slice() };
}

// Returns the signal of a search whose draws may share lists, as `Search.start_chunk`.
function makeSignal() {
  const numbers = Array(OUT.SIGNAL).fill(0);
  numbers[OUT.LISTED] = OUT.LISTED_CALLERS;
  return engine.copy("i64", numbers);
}

// Returns the numbers of the lists that draws share, by those that are left of the draws from `first` on.
function numberLists(first, left, shared) {
  return [...left].map((at) => (first + BigInt(at)) / shared);
}

const copyErrors = (errors) => engine.copy("f64", errors, [errors.length / OUT.ERROR_SIZE, OUT.ERROR_SIZE]);

// Plays every call in a block of deals, as `KqjCallSampler.play_chunk`.
function playCalls({ observer, observed, errors, options }, first, lanes) {
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
    signal = makeSignal();
  let lists = [];
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
      copyErrors(errors),
      remaining,
      engine.array("f64", [questions, lanes]),
    );
    const drawn = [...weights.view().keys()].filter((at) => weights.view()[at] > 0);
    const shared = signal.view()[OUT.SHARED];
    if (shared > 1n) lists = numberLists(first, drawn, shared);
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
  const byPlace = hands.view(),
    byDeal = Array.from({ length: 6 * live }, (_, at) => byPlace[(at % 6) * lanes + Math.floor(at / 6)]);
  return {
    drawn: lanes,
    live,
    counts: Array.from(counts.view(), Number),
    ...addUp(outcomes, engine.head(weights, live), lists),
    ...countHoldings(engine.copy("i64", byDeal, [live, 6]), engine.head(weights, live), lists),
  };
}

// Returns the turn of a question about cards, as `CardTurn`.
function makeTurn({ called, shown, known, plays, trick, position, observed, errors, cards }) {
  const state = engine.array("i64", OUT.BLOCK),
    i64 = (numbers) => engine.copy("i64", numbers);
  const seating = engine.table.cards.map((part, at) => (at === 10 ? 1 : part));
  engine.call("replay_plays", state, i64(called), i64(shown), i64(plays), seating, i64(known));
  const coded = cards.map((card) => engine.exports.order_by_strength(engine.pack(state, card)));
  return [state, trick, position, i64(known), i64(shown), i64(observed), copyErrors(errors), i64([]), i64(coded)];
}

// Draws hidden hands that agree with the calls, as `KqjCardSampler.draw_hands`.
function drawHands(turn, first, count, questions) {
  const keys = engine.array("i64", count),
    weights = engine.array("f64", count);
  const hands = engine.array("i64", [count, 6]),
    counts = engine.array("i64", 2 * questions);
  const { rules, cards } = engine.table,
    signal = makeSignal();
  const kept = engine.call(
    "draw_hidden_hands",
    turn,
    first,
    count,
    1,
    rules,
    cards,
    keys,
    weights,
    hands,
    counts,
    signal,
  );
  const draws = [keys, weights, hands].map((array) => engine.head(array, Math.max(0, kept)));
  return { kept, draws, counts: Array.from(counts.view(), Number), shared: signal.view()[OUT.SHARED] };
}

// Returns the weights of layouts by the cards that the others played.
function weighByPlays(turn, layouts) {
  const weights = engine.array("f64", layouts.shape[0]);
  engine.call("weigh_layouts", turn, layouts, makeModel(), weights);
  return weights;
}

// The last number of the model is how often players err.
const makeModel = () => [...engine.table.plays.slice(0, -1), { float: question.rate }];

// Returns for each card played the weight of the hidden hands with which it was an error.
function weighErrors(turn, hands, weights) {
  const plays = 6 * question.trick + question.position;
  if (!question.weighs || !question.rate || !weights.shape[0]) return [];
  const sums = engine.array("f64", plays);
  engine.call("weigh_errors", turn, hands, weights, makeModel(), sums);
  return sums.view().slice();
}

// Returns the weight below which draws are thinned out (`KqjCardSampler._least_play_weight`).
function findLeastWeight(turn) {
  const pilot = drawHands(turn.with(5, engine.copy("i64", [])).with(6, copyErrors([])), 1n << 59n, 1024, 0),
    left = 6 * (8 - question.trick) - question.position;
  const cost = engine.copy("f64", [(question.cards.length * left) / (48 - left)]);
  engine.call("choose_least_weight", weighByPlays(turn, pilot.draws[2]), cost);
  return cost.view()[0];
}

function playOut(turn, hands, keys) {
  const outcomes = engine.array("i16", [question.cards.length, hands.shape[0], OUT.SIZE]),
    rows = engine.refer("i16", outcomes.at, [outcomes.shape[0] * outcomes.shape[1], OUT.SIZE]);
  engine.call("play_out_cards", turn, hands, keys, engine.table.rules, engine.table.cards, rows);
  return outcomes;
}

// Plays every legal card out in some draws, as `KqjCardSampler.play_chunk`.
function playCards(first, count) {
  const turn = makeTurn(question),
    drawn = drawHands(turn, first, count, question.observed.length / OUT.OBSERVED);
  let live = drawn.kept;
  if (live < 0) return { impossible: true };
  if (question.weighs) {
    question.least ??= question.thins ? findLeastWeight(turn) : 0;
    const byPlays = weighByPlays(turn, drawn.draws[2]);
    live = engine.call("thin_draws", { float: question.least }, byPlays, ...drawn.draws);
  }
  const most = Math.min(live, question.most ?? Infinity);
  const [keys, weights, hands] = drawn.draws.map((array) => engine.head(array, most));
  let lists = [];
  if (drawn.shared > 1n) {
    const all = engine.array("i64", count);
    engine.call("fill_keys", first, 1, all);
    const numbers = new Map(Array.from(all.view(), (key, at) => [key, at]));
    lists = numberLists(
      first,
      Array.from(keys.view(), (key) => numbers.get(key)),
      drawn.shared,
    );
  }
  return {
    drawn: most,
    live,
    counts: drawn.counts,
    least: question.least,
    cardErrors: weighErrors(turn, hands, weights),
    ...addUp(playOut(turn, hands, keys), weights, lists),
    ...countHoldings(hands, weights, lists),
  };
}

// Plays every legal card out in some of all distributions, as `CardSampler.play_all`.
function playListed(first, count) {
  const turn = makeTurn(question),
    listed = question.layouts.slice(6 * Number(first), 6 * (Number(first) + count)),
    hands = engine.copy("i64", listed, [listed.length / 6, 6]);
  const [n] = hands.shape,
    { rules, cards } = engine.table,
    weights = question.weighs ? weighByPlays(turn, hands) : engine.copy("f64", Array(n).fill(1));
  const ways = engine.array("f64", n),
    keys = engine.array("i64", n);
  engine.call("count_ways", turn, hands, 1, rules, cards, ways);
  const counted = ways.view();
  weights.view().forEach((weight, at, all) => (all[at] = weight * counted[at]));
  engine.call("fill_keys", first, 1, keys);
  return {
    drawn: n,
    live: n,
    counts: [],
    cardErrors: weighErrors(turn, hands, weights),
    ...addUp(playOut(turn, hands, keys), weights),
    ...countHoldings(hands, weights, []),
  };
}

onmessage = ({ data }) => {
  if (data.module) {
    OUT = data.constants;
    engine = new Engine(data.module, data.table, data.weights);
  }
  if (data.solve) postMessage(solveGame(data.solve));
  if (data.game) game = data.game;
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
