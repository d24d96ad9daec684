// The estimator of `kqj_sim/positions/estimator.py`: some deals choose, others value, so that the best
// option's number is not the luckiest one.  Workers play; chunks are added in order, so that the same
// position gives the same digits on any number of cores.  Its numbers are the package's (`tools/page/build.py`).

const NO_WORKER = "a worker does not start";

class Pool {
  constructor(start, source, size) {
    Object.assign(this, { start, source, job: 0 });
    this.workers = Array.from({ length: size }, () => this.open());
  }

  // Has the chances to win a game worked out by a worker of its own (`solveGame`), and `tells` them to all.
  async solve(game, tells) {
    const worker = this.open();
    worker.postMessage({ solve: game });
    const solved = await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message || NO_WORKER));
    });
    worker.terminate();
    if (!tells) return solved;
    this.start.game = solved;
    this.workers.forEach((each) => each.postMessage({ game: solved }));
    return solved;
  }

  open() {
    const worker = new Worker(this.source);
    worker.onerror = (event) => {
      event.preventDefault();
      this.retire(worker, event.message || NO_WORKER);
    };
    worker.postMessage(this.start);
    return worker;
  }

  // Goes on without a worker that fails, as for lack of memory: the others play its chunk.
  retire(worker, message) {
    worker.terminate();
    this.workers = this.workers.filter((each) => each !== worker);
    if (worker.number !== undefined) this.lost?.push(worker.number);
    if (!this.workers.length) this.stop?.(new Error(message));
  }

  // Ends what is being played; workers that are busy are replaced.
  cancel() {
    this.job++;
    this.workers.forEach((worker, at) => {
      if (!worker.busy) return;
      worker.terminate();
      this.workers[at] = this.open();
    });
    this.stop?.();
  }

  // Plays chunks of `size` deals from a number on and gives them to `add`, in order, until it returns
  // true.  Resolves to false if it was cancelled.
  run(question, first, size, add) {
    const job = ++this.job,
      waiting = new Map(),
      lost = (this.lost = []);
    if (!this.workers.length) this.workers = [this.open()];
    let next = 0,
      due = 0,
      isOver = false;
    return new Promise((resolve, reject) => {
      this.stop = (error) => (error ? reject(error) : resolve(false));
      const send = (worker) => {
        if (isOver) return;
        worker.busy = true;
        const number = (worker.number = lost.shift() ?? next++);
        worker.postMessage({ job, number, first: BigInt(first) + BigInt(number * size), count: size });
      };
      for (const worker of this.workers) {
        worker.onmessage = ({ data }) => {
          worker.busy = false;
          worker.number = undefined;
          send(worker);
          if (data.job !== job || isOver) return;
          waiting.set(data.number, data.chunk);
          for (; waiting.has(due); waiting.delete(due++)) {
            if (!isOver && add(waiting.get(due))) isOver = true;
          }
          if (isOver) resolve(true);
        };
        worker.postMessage({ question });
        if (!worker.busy) send(worker);
      }
    });
  }
}

class RareCalls extends Error {} // Others would hardly ever call as they did; `odds` has the counts.

// The deals of a question added up.
class Odds {
  constructor(question, fields) {
    const { measures, options } = question;
    Object.assign(this, { ...fields, moments: new Moments(fields.engine, measures, options.length) });
    this.texts = this.options.map((option) => option.text);
    this.count = this.count ?? this.options.length;
    this.ranking = [];
    this.hands = this.found = 0;
    this.asked = [];
    this.cardErrors = [];
    this.holdings = question.holdings;
    this.groups = question.groups;
    this.canAssumeMore = question.canAssumeMore;
    this.held = this.holdings && [0, 1, 2].map(() => new Float64Array(this.groups.length * this.holdings.length));
  }

  // Estimates the chance that a group of places, by number, has a holding (`Odds.estimate_holding`).
  estimateHolding(group, holding) {
    const [total, crossed, squares] = this.held.map((sums) => sums[group * this.holdings.length + holding]),
      { engine } = this;
    if (this.isExact) return { value: total / this.moments.weights, low: NaN, high: NaN };
    const rows = [engine.copy("f64", [total], [1, 1]), engine.copy("f64", [0, crossed, squares], [3, 1])];
    return this.moments.callEstimate("estimate_reach", ...rows, 0);
  }

  estimate(name, option, baseline) {
    return this.moments.estimate(name, option, baseline);
  }

  add(chunk) {
    this.moments.add(chunk);
    this.found += chunk.live;
    chunk.holdings?.forEach((sums, at) => addNumbers(this.held[at], sums));
    chunk.cardErrors?.forEach((weight, at) => (this.cardErrors[at] = (this.cardErrors[at] ?? 0) + weight));
    chunk.counts.forEach((count, at) => (this.asked[at] = (this.asked[at] ?? 0) + count));
    for (const name of ["totals", "squares"]) {
      if (!chunk[name]) continue;
      this[name] ??= new Float64Array(chunk[name].length);
      addNumbers(this[name], chunk[name]);
    }
    this.hands = this.asked.filter((_, at) => at % 2 === 0).reduce((sum, each) => sum + each, 0);
  }

  // Whether so many hands were tried that the search ends.
  get isSearched() {
    const limit = MAX_HANDS[this.kind],
      first = this.canAssumeMore ? limit / FIRST_SEARCH : limit;
    return this.asked.length > 0 && this.hands >= first + (limit / DEALS_PER_SEARCH) * this.found;
  }

  // Estimates the chance that the own total of an option is at least an amount.
  estimateReach(option, amount) {
    return this.moments.callEstimate("estimate_reach", ...this.copyTotals(option), amount);
  }

  // Returns the amounts above the lowest that are tried out in a contract.
  chooseAmounts(option, lowest) {
    const amounts = this.engine.array("i64", 60),
      given = [...this.copyTotals(option), lowest, this.engine.constants.MAX_AMOUNT, amounts];
    return this.moments.call("choose_amounts", given, (count) =>
      [...amounts.view().slice(0, count)].map(Number),
    );
  }

  copyTotals(option) {
    const { engine, totals, squares } = this,
      size = engine.constants.TOTALS;
    const of = (array, rows) => {
      const part = array.subarray(size * rows * option, size * rows * (option + 1));
      return engine.copy("f64", part, [rows, size]);
    };
    return [of(totals, 1), of(squares, 3)];
  }
}

class Cancelled extends Error {}

const listMeasures = ({ constants }, { scores }, kind) => [
  ...(scores ? [GAME_MEASURE] : []),
  ...constants[`${kind}_MEASURES`],
];

// Adds deals from a number on until there are so many, or until `isEnough`.
async function addDeals(
  pool,
  odds,
  question,
  first,
  deals,
  isEnough = () => false,
  show = () => {},
  least = 100,
) {
  const size = question.layouts ? 1024 : question.cards ? Math.min(1024, Math.max(64, deals)) : LANES;
  let failure,
    number = 0,
    missing = 0;
  const isOver = (chunk) => {
    // Draws of cards that are left out are no deals; of the last chunk only some may be wanted.
    if (question.cards && !chunk.impossible && odds.moments.deals + chunk.drawn > deals) {
      missing = deals - odds.moments.deals;
      return true;
    }
    number++;
    if (!chunk.impossible) odds.add(chunk);
    show();
    const { moments } = odds,
      isComplete = moments.deals >= deals;
    if (chunk.impossible || (isComplete ? moments.weights === 0 : odds.isSearched)) {
      failure = new RareCalls();
      return true;
    }
    return isComplete || (moments.weights > 0 && isEnough());
  };
  const run = async (...range) => {
    if (!(await pool.run(...range, size, isOver))) throw new Cancelled();
  };
  await run(question, first);
  if (missing) await run({ ...question, most: missing }, BigInt(first) + BigInt(number * size));
  if (failure && odds.moments.effective < least) throw Object.assign(failure, { odds });
  odds.endedEarly = failure !== undefined;
}

// Shows the deals that value the options once they say more than those that chose among them.
const showMore = (odds, candidates, show) => () => {
  if (odds.moments.deals >= candidates.moments.deals) show(odds, true);
};

// Estimates the calls of a position, also a bid that is chosen; `show` gets the odds now and then.
async function estimateCalls(pool, calls, ...question) {
  return assumeErrors(calls, () => estimateCallsOnce(pool, calls, ...question));
}

// Draws assume more errors of the others, level by level, until enough hands are found (`estimate_options`).
async function assumeErrors(calls, estimate) {
  for (calls.errorLevel = 0; ; calls.errorLevel++) {
    try {
      return await estimate();
    } catch (error) {
      if (!(error instanceof RareCalls) || !calls.canAssumeMore) throw error;
    }
  }
}

async function estimateCallsOnce(pool, calls, hand, up, show, deals = DEALS, choice = "pass") {
  const { rules, engine, question: asked } = calls;
  let options = calls.list(calls.own, asked, up),
    contracts = [];
  const isAuction = rules.bidding === "auction",
    packed = calls.pack(hand, up);
  const measures = listMeasures(engine, rules, "CALL");
  const make = (list, count) => {
    const question = { ...packed, measures, totals: isAuction, options: list.map((each) => each.packed) };
    return [
      question,
      new Odds(question, {
        engine,
        kind: "call",
        rules,
        options: list,
        count,
        questions: packed.questions,
        errors: packed.errors,
        isFirstTaking: asked === TAKE && calls.lap === 1,
      }),
    ];
  };
  const amount = options.find((option) => option.amount)?.amount;
  if (asked === BID && amount) {
    [options, contracts] = await chooseBids(pool, calls, options, amount, make, show);
    const [chosen, contract, capot] = choice.split(" ");
    if (options.every(({ text }) => text !== choice))
      options = [...options, calls.makeBid(Number(chosen), CONTRACTS.indexOf(contract), Boolean(capot))];
  }
  const [chosen, candidates] = make(options);
  if (options.length > 1) {
    const showChoice = () => {
      if (candidates.moments.weights > 0) candidates.ranking = candidates.moments.rank(options.length);
      show(candidates, true);
    };
    await addDeals(
      pool,
      candidates,
      chosen,
      CHOOSING,
      Math.ceil(deals / 2),
      () => candidates.moments.isCertain(options.length),
      showChoice,
      1e-9,
    );
  }
  const [question, odds] = make([...options, ...contracts], options.length);
  odds.ranking = options.length > 1 ? candidates.moments.rank(options.length) : [0];
  if (isAuction && options.length > 1)
    odds.uncounteredBest = candidates.moments.rank(options.length, "value_if_not_countered")[0];
  await addDeals(pool, odds, question, 0, deals, undefined, showMore(odds, candidates, show));
  show(odds, false);
  return odds;
}

// Returns the calls to play out, the best of higher bids by a pilot run among them, and the contracts
// (`KqjCallSampler.choose_options`).
async function chooseBids(pool, calls, options, amount, make, show) {
  const contracts = CONTRACTS.map((_, contract) => calls.makeContract(amount, contract)),
    { MIN_CAPOT_PROBABILITY, GUARANTEED_CAPOT_TOTAL } = calls.engine.constants;
  const run = async (list, first) => {
    const [question, pilot] = make(list);
    await addDeals(pool, pilot, question, first, PILOT_DEALS, undefined, () => show(pilot, true));
    return pilot;
  };
  const pilot = await run(contracts, PILOT);
  const higher = contracts.map((_, contract) => {
    const bids = pilot.chooseAmounts(contract, amount).map((each) => calls.makeBid(each, contract, false));
    if (pilot.estimate("own_capot_share", contract).value >= MIN_CAPOT_PROBABILITY)
      bids.push(calls.makeBid(Math.max(amount, GUARANTEED_CAPOT_TOTAL), contract, true));
    return bids;
  });
  const tried = [...options, ...higher.flat()],
    second = await run(tried, PILOT + PILOT_DEALS);
  const value = new Map(tried.map((option, at) => [option.text, second.estimate("value", at).value]));
  const kept = options.flatMap((option) => {
    const bids = option.contract ? higher[CONTRACTS.indexOf(option.contract)] : [];
    const best = [false, true]
      .map((capot) => bids.filter((bid) => bid.capot === capot))
      .filter((list) => list.length)
      .map((list) => list.reduce((a, b) => (value.get(b.text) > value.get(a.text) ? b : a)));
    return [option, ...best];
  });
  return [kept, contracts];
}

// Estimates the cards of a turn; exact where few distributions of the hidden cards are left.
async function estimateCards(pool, play, ...question) {
  return assumeErrors(play.calls, () => estimateCardsOnce(pool, play, ...question));
}

async function estimateCardsOnce(pool, play, show, deals = DEALS) {
  const { rules, engine } = play.calls,
    count = play.legal.length,
    packed = play.pack();
  const measures = listMeasures(engine, rules, "CARD");
  const options = play.legal.map((text) => ({ text })),
    fields = { engine, kind: "card", rules, options, play };
  const make = (question) => {
    const odds = new Odds(
      { ...question, options },
      { ...fields, usesPlays: packed.weighs, questions: packed.questions, errors: packed.errors },
    );
    odds.moments.isRounded = packed.weighs;
    return odds;
  };
  const rank = (odds) => (odds.ranking = odds.moments.rank(count));
  const layouts = play.listLayouts(MAX_LAYOUTS);
  if (layouts.length) {
    const question = { ...packed, measures, layouts },
      odds = make(question),
      all = layouts.length / 6;
    odds.isExact = odds.moments.isExact = true;
    await addDeals(pool, odds, question, 0, all);
    odds.layouts = all;
    rank(odds);
    show(odds, false);
    return odds;
  }
  const question = { ...packed, measures },
    candidates = make(question),
    odds = make(question);
  if (count > 1) {
    await addDeals(
      pool,
      candidates,
      question,
      CHOOSING,
      Math.ceil(deals / 2),
      () => candidates.moments.isCertain(count),
      () => {
        rank(candidates);
        show(candidates, true);
      },
      1e-9,
    );
    odds.ranking = rank(candidates);
  } else odds.ranking = [0];
  await addDeals(pool, odds, question, 0, deals, undefined, showMore(odds, candidates, show));
  show(odds, false);
  return odds;
}
