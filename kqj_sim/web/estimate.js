// The estimator of `kqj_sim/positions/estimator.py`: some deals choose, others value, so that the best
// option's number is not the luckiest one.  Its numbers are the package's (`tools/page/build.py`).

class RareCalls extends Error {} // Others would hardly ever call as they did; `odds` has the counts.

// The deals of a question added up.
class Odds {
  constructor(question, fields) {
    const { measures, options } = question;
    Object.assign(this, { ...fields, moments: new Moments(fields.engine, measures, options.length) });
    this.texts = this.options.map((option) => option.text);
    this.count = this.count ?? this.options.length;
    this.kept = [...this.options.keys()]; // The options that are still played out.
    this.ranking = [];
    this.hands = this.found = 0;
    this.asked = [];
    this.cardErrors = [];
    this.holdings = question.holdings;
    this.groups = question.groups;
    this.canAssumeMore = question.canAssumeMore;
    this.held = this.holdings && new Float64Array(3 * this.groups.length * this.holdings.length);
  }

  // Estimates the chance that a group of places, by number, has a holding (`Odds.estimate_holding`).
  estimateHolding(group, holding) {
    const { engine, held, groups, holdings } = this,
      sum = (row) => held[(row * groups.length + group) * holdings.length + holding],
      [total, crossed, squares] = [0, 1, 2].map(sum);
    if (this.isExact) return { value: total / this.moments.weights, low: NaN, high: NaN };
    const rows = [engine.copy("f64", [total], [1, 1]), engine.copy("f64", [0, crossed, squares], [3, 1])];
    return this.moments.callEstimate("estimate_reach", ...rows, 0);
  }

  // The moments that have all of some options, and their numbers among these (`Odds.find_moments`).
  find(...options) {
    const isKept = !this.early || options.every((option) => this.kept.includes(option));
    return isKept ? [this.moments, options.map((option) => this.kept.indexOf(option))] : [this.early, options];
  }

  estimate(name, option, baseline) {
    const [moments, numbers] = baseline === undefined ? this.find(option) : this.find(option, baseline);
    return moments.estimate(name, ...numbers);
  }

  // So many are calls or cards; the rest are contracts.
  get keptCount() {
    return this.kept.filter((number) => number < this.count).length;
  }

  // The options by falling mean of a quantity, those that are dropped last.
  rank(name) {
    const kept = this.moments.rank(this.keptCount, name).map((at) => this.kept[at]),
      all = this.early?.rank(this.count, name) ?? [];
    return [...kept, ...all.filter((number) => !kept.includes(number))];
  }

  // Whether the best option is certain to be so.
  get isCertain() {
    return this.moments.isCertain(this.keptCount);
  }

  // Returns the options that may be the best (`Odds.list_hopeful`).
  listHopeful() {
    const wanted = this.rank().slice(0, 2);
    for (const name of new Set([this.moments.ranking, "value"])) {
      const possible = this.moments.findPossible(this.keptCount, name);
      wanted.push(...this.kept.filter((_, at) => possible[at]));
    }
    if (this.totals) wanted.push(this.rank("value_if_not_countered")[0]);
    return [...new Set(wanted)].sort((one, other) => one - other);
  }

  // Has only some options played out from now on, and the contracts of these; returns their numbers (`Odds.keep`).
  keep(hopeful) {
    const contracts = hopeful.map((number) => this.options[number].contract),
      isPlayed = ({ contract }, number) => number >= this.count && contracts.includes(contract),
      played = [...this.options.keys()].filter((number) => isPlayed(this.options[number], number)),
      kept = [...hopeful, ...played];
    Object.assign(this, { early: this.moments, kept, moments: this.moments.select(kept) });
    return kept;
  }

  add(chunk) {
    this.moments.add(chunk);
    this.found += chunk.live;
    if (this.held) addNumbers(this.held, chunk.holdings);
    chunk.cardErrors?.forEach((weight, at) => (this.cardErrors[at] = (this.cardErrors[at] ?? 0) + weight));
    chunk.counts.forEach((count, at) => (this.asked[at] = (this.asked[at] ?? 0) + count));
    for (const name of ["totals", "squares"]) {
      if (!chunk[name]) continue;
      const size = chunk[name].length / this.kept.length;
      this[name] ??= new Float64Array(size * this.options.length);
      this.kept.forEach((number, at) =>
        addNumbers(this[name].subarray(size * number), chunk[name].subarray(size * at, size * (at + 1))),
      );
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
    return this.find(option)[0].callEstimate("estimate_reach", ...this.copyTotals(option), amount);
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

// Adds deals from a number on until there are so many, or until `isEnough`.  With `candidates`, options that by their
// deals cannot be the best are played out in the first draws only (`search_and_add`).
async function addDeals(
  pool,
  odds,
  question,
  first,
  deals,
  { candidates, isEnough = () => false, show = () => {}, least = MIN_EFFECTIVE_DEALS } = {},
) {
  const wanted = Math.min(CHUNK, Math.max(64, deals)),
    size = question.layouts ? CHUNK : question.cards ? wanted - (wanted > LANES ? wanted % LANES : 0) : LANES,
    early = Math.ceil(deals / (5 * EARLY_DRAWS)) * EARLY_DRAWS;
  let failure,
    drawn = 0,
    missing = 0;
  const isOver = (chunk) => {
    // Draws of cards that are left out are no deals; of the last chunk only some may be wanted.
    if (question.cards && !chunk.impossible && odds.moments.deals + chunk.drawn > deals) {
      missing = deals - odds.moments.deals;
      return true;
    }
    if (!chunk.impossible) odds.add(chunk);
    question.least ??= chunk.least; // Worked out once, with all cards.
    show();
    const { moments } = odds,
      isComplete = moments.deals >= deals;
    if (chunk.impossible || (isComplete ? moments.weights === 0 : odds.isSearched)) {
      failure = new RareCalls();
      return true;
    }
    return isComplete || (moments.weights > 0 && isEnough());
  };
  // Returns whether that is all.
  const run = async (question, size, chunks) => {
    let isEnd = false;
    const add = (chunk) => {
      isEnd = isOver(chunk);
      if (!missing) drawn += size;
      return isEnd;
    };
    if (!(await pool.run(question, BigInt(first) + BigInt(drawn), size, add, chunks))) throw new Cancelled();
    return isEnd;
  };
  let isEnd = false;
  if (candidates && odds.count > 2 && early < deals) {
    while (!isEnd && odds.moments.deals < early) {
      // As many draws as are the deals that are missing, if as often as those so far.
      const draws = ((early - odds.moments.deals) * Math.max(drawn, 1)) / Math.max(odds.moments.deals, 1);
      isEnd = await run(question, size, Math.ceil(draws / EARLY_DRAWS) * (EARLY_DRAWS / size));
    }
    const hopeful = isEnd ? [] : candidates.listHopeful(),
      played = question.cards ? "cards" : "options";
    if (!isEnd && hopeful.length < odds.count && odds.moments.effective >= MIN_EFFECTIVE_DEALS) {
      question = { ...question, [played]: odds.keep(hopeful).map((number) => question[played][number]) };
    }
  }
  if (!isEnd) await run(question, size);
  if (missing) await run({ ...question, most: missing }, size);
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
      if (candidates.moments.weights > 0) candidates.ranking = candidates.rank();
      show(candidates, true);
    };
    await addDeals(pool, candidates, chosen, CHOOSING, Math.ceil(deals / 2), {
      candidates,
      isEnough: () => candidates.isCertain,
      show: showChoice,
      least: 1e-9,
    });
  }
  const [question, odds] = make([...options, ...contracts], options.length);
  odds.ranking = options.length > 1 ? candidates.rank() : [0];
  if (isAuction && options.length > 1) odds.uncounteredBest = candidates.rank("value_if_not_countered")[0];
  await addDeals(pool, odds, question, 0, deals, { candidates, show: showMore(odds, candidates, show) });
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
    await addDeals(pool, pilot, question, first, PILOT_DEALS, { show: () => show(pilot, true) });
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
  const rank = (odds) => (odds.ranking = odds.rank());
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
    const showChoice = () => {
      rank(candidates);
      show(candidates, true);
    };
    await addDeals(pool, candidates, question, CHOOSING, Math.ceil(deals / 2), {
      candidates,
      isEnough: () => candidates.isCertain,
      show: showChoice,
      least: 1e-9,
    });
    odds.ranking = rank(candidates);
  } else odds.ranking = [0];
  await addDeals(pool, odds, question, 0, deals, { candidates, show: showMore(odds, candidates, show) });
  show(odds, false);
  return odds;
}
