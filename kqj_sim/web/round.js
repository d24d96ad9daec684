// A round whose calls are over, before a card, and its numbers for the kernels.

// `hand` are the player's eight cards.
class Play {
  constructor(engine, calls, hand, up, plays) {
    Object.assign(this, { engine, calls, hand, up, plays });
    const { sender, contract, amount, capot, stake } = calls.contract;
    const players = calls.teams.reduce((sum, team, place) => sum | (BigInt(team) << BigInt(9 * place)), 0n);
    this.called = [players, 5, calls.rules.pending, up ? bitOf(up) : 0n, sender, contract, amount, capot, stake];
    this.holders = []; // The place that played each card.
    for (let first = 0; first <= plays.length; first += 6) {
      const leader = first ? this.replay(plays.slice(0, first)).leader : 0;
      this.leader = leader;
      plays.slice(first, first + 6).forEach((_, step) => this.holders.push((leader + step) % 6));
    }
    this.trick = Math.floor(plays.length / 6);
    this.position = plays.length % 6;
    this.place = (this.leader + this.position) % 6;
    this.isOver = plays.length === 48;
    const { playable, known } = this.replay(plays);
    this.known = known;
    this.shown = this.findShown(plays);
    const isOwn = this.place === calls.own,
      isHidden = (card) => !hand.includes(card) && !plays.includes(card);
    // The Return is the Sender's.
    const isReturn = (card) => card === up && this.place !== sender;
    this.legal = DECK.filter((card) => (isOwn ? playable & bitOf(card) : isHidden(card) && !isReturn(card)));
  }

  get left() {
    return this.hand.filter((card) => !this.plays.includes(card));
  }

  // Returns why a play cannot have been made, undefined if all can: the hand forbade it, of which cards played later
  // are known, too (`Position` in `positions/position.py`).
  explainWrongPlay() {
    const { hand, up, plays, holders } = this,
      { own, contract } = this.calls,
      { sender } = contract,
      held = this.listPlayed(plays);
    // Eight cards besides the Return would be nine.
    if (up && !held[sender].includes(up)) held[sender] = [...held[sender].slice(0, 7), up];
    held[own] = hand;
    for (const [at, card] of plays.entries()) {
      const place = holders[at],
        holder = hand.includes(card) ? own : card === up ? sender : place,
        set = this.replay(plays.slice(0, at), { shown: held.map(setOf) }).playable;
      if (place === holder && set & bitOf(card)) continue;
      const name = (each) => (each === own ? tell`you` : tell`the ${TEXTS.speakers[each]}`),
        right = DECK.filter((each) => set & bitOf(each)).map(formatCard).join(" "),
        isOwn = holder === own;
      let reason = isOwn ? tell`you have it` : tell`${name(holder)} has it`;
      if (place === holder)
        reason = isOwn ? tell`you held ${right}, which would have been right` : tell`they held ${right}, which would have been right`;
      return tell`Trick ${Math.floor(at / 6) + 1}: ${name(place)} cannot have played ${formatCard(card)}: ${reason}.`;
    }
    return undefined;
  }

  // Returns the names of the reasons for a card rather than another, and the points that it has more.
  compare(better, other) {
    return this.replay(this.plays, { pair: [better, other] });
  }

  // Returns the cards that each place played.
  listPlayed(plays) {
    return [0, 1, 2, 3, 4, 5].map((place) => plays.filter((_, at) => this.holders[at] === place));
  }

  // Returns the cards that each place is known to have had.
  findShown(plays) {
    const own = this.calls.own;
    return this.listPlayed(plays).map((cards, place) =>
      setOf(place === own ? [...this.hand, ...cards] : cards),
    );
  }

  // Brings the kernels' state to this turn, with `shown` cards of each place, and returns what `use` reads there.
  read(shown, use) {
    const { engine } = this,
      { constants } = engine,
      i64 = (numbers) => engine.copy("i64", numbers),
      state = engine.array("i64", constants.BLOCK),
      known = engine.array("i64", constants.KNOWLEDGE);
    engine.call(
      "replay_plays",
      state,
      i64(this.called),
      i64(shown),
      i64(this.plays.map(bitOf)),
      keepTricks(engine.table.cards),
      known,
    );
    const found = use(state, known);
    engine.release();
    return found;
  }

  // Brings the kernels' state to the turn after some plays, where two cards may be compared.
  replay(plays, { pair, shown = this.findShown(plays) } = {}) {
    const { engine } = this,
      { constants } = engine;
    const state = engine.array("i64", constants.BLOCK),
      known = engine.array("i64", constants.KNOWLEDGE);
    engine.call(
      "replay_plays",
      state,
      engine.copy("i64", this.called),
      engine.copy("i64", shown),
      engine.copy("i64", plays.map(bitOf)),
      keepTricks(engine.table.cards),
      known,
    );
    const playable = BigInt(engine.exports.find_playable_cards(engine.pack(state, plays.length % 6)));
    const leader = engine.call("find_leader", state),
      found = known.view().slice();
    const difference = engine.array("i64", 1),
      reasons = pair
        ? engine.call("compare_cards", state, plays.length % 6, ...pair.map(bitOf), difference)
        : 0;
    const points = Number(difference.view()[0]);
    engine.release();
    const named = constants.REASONS.filter((_, bit) => (reasons >> bit) & 1);
    return { leader, playable, known: found, reasons: named, points };
  }

  // All distributions of the hidden cards if there are at most `most`, else none.
  listLayouts(most) {
    const layouts = this.engine.array("i64", 6 * most),
      known = this.engine.copy("i64", this.known);
    const count = this.engine.call("list_layouts", known, most, layouts);
    const found = layouts.view().slice(0, Math.max(0, 6 * count));
    this.engine.release();
    return found;
  }

  estimateErrors(observed, count) {
    const size = observed.length / count,
      rows = Array.from({ length: count }, (_, at) => observed.slice(size * at, size * (at + 1)));
    const may = Array.from({ length: 6 }, (_, place) => this.known[0] & ~this.known[7 + place]),
      [players, , , turned, sender] = this.called;
    return this.calls.estimateErrors(rows, may, this.shown, [players, turned, sender]);
  }

  // The numbers of the turn, and of the questions that the others answered.
  pack() {
    const { called, shown, known, trick, position, legal } = this,
      { observed, questions, rate } = this.calls.pack([], this.up);
    const own = this.calls.own,
      othersPlayed = this.holders.some((place) => place !== own);
    return {
      called,
      shown,
      known,
      trick,
      position,
      own,
      observed,
      questions,
      rate,
      errors: this.estimateErrors(observed, questions.length),
      canAssumeMore: this.calls.canAssumeMore,
      plays: this.plays.map(bitOf),
      cards: legal.map(bitOf),
      ...this.calls.listHoldings([...this.hand, ...this.plays, ...(this.up ? [this.up] : [])]),
      weighs: othersPlayed,
      // To find hands that agree with bids takes longer than to play them out.
      thins: this.calls.isTaking || observed.length === 0,
    };
  }
}

const DECK = [...SUITS].flatMap((suit) => [..."456789AHJKQT"].map((rank) => rank + suit));

// The seating with finished tricks kept (`core.types.Seating.keeps_history`).
const keepTricks = (seating) => seating.map((part, at) => (at === 10 ? 1 : part));
