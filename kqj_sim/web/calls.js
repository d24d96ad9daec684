// The calls of a round as one player knows them, and their numbers for the kernels.

const SUITS = "shdc",
  RANKS = "456789JQKHTA",
  CONTRACTS = ["s", "h", "d", "c", "NT", "AT"];
const [TAKE, BID, COUNTER, OVERCOUNTER] = [0, 1, 2, 3]; // `core.dispatch`
const [BID_PENDING] = [1]; // `core.round`
const PASS = -1;
const STATE = { SENDER: 0, CONTRACT: 1, AMOUNT: 3, CAPOT: 4, STAKE: 5, PASSES: 9, OPEN: 10, CALL: 12 };

const bitOf = (card) => 1n << BigInt(16 * SUITS.indexOf(card[1]) + RANKS.indexOf(card[0]));
const setOf = (cards) => cards.reduce((set, card) => set | bitOf(card), 0n);

// The calls of a round.  `calls` are {place, kind, code}: a contract, a bid, or -1 for a pass.
class Calls {
  // What may be held of the cards that the player does not see, and by whom (`positions/hidden_cards.py`).
  listHoldings(known) {
    const places = [0, 1, 2, 3, 4, 5].filter((place) => place !== this.own),
      isPartner = (place) => this.teams[place] === this.teams[this.own];
    const hold = (text, cards, least = 1) => ({ text, least, cards: setOf(cards) });
    const hidden = [...SUITS]
      .flatMap((suit) => [...RANKS].reverse().map((rank) => rank + suit))
      .filter((card) => !known.includes(card));
    const kinds = [...SUITS].flatMap((suit) => {
      const cards = hidden.filter((card) => card[1] === suit),
        upper = cards.filter((card) => "KQJ".includes(card[0]));
      return [
        ...(cards.length ? [hold(`any ${suit}`, cards)] : []),
        ...(upper.length === 3 ? [hold(`KQJ ${suit}`, upper, 3)] : []),
      ];
    });
    const aces = hidden.filter((card) => card[0] === "A");
    return {
      holdings: [
        ...hidden.map((card) => hold(card, [card])),
        ...kinds,
        ...(aces.length ? [hold("any A", aces, 1)] : []),
      ],
      groups: [
        ...places.map((place) => [place]),
        places.filter(isPartner),
        places.filter((place) => !isPartner(place)),
      ],
    };
  }

  constructor(engine, rules, own, calls) {
    Object.assign(this, { engine, rules, own, calls, errorLevel: 0 });
    this.teams = Array.from({ length: 6 }, (_, place) => place % rules.teams);
    const width = engine.constants.OBSERVED;
    const observed = engine.array("i64", width * 8 * (calls.length + 1));
    const state = engine.array("i64", engine.constants.STATE);
    const packed = engine.copy(
      "i64",
      calls.flatMap((c) => [c.place, c.kind, c.code]),
      [calls.length, 3],
    );
    this.packedTeams = engine.copy("i64", this.teams);
    const count = engine.call(
      "replay_calls",
      packed,
      this.packedTeams,
      engine.table.rules,
      own,
      observed,
      state,
    );
    const numbers = [...observed.view()];
    this.observed = Array.from({ length: count }, (_, i) => numbers.slice(i * width, (i + 1) * width));
    this.exactState = [...state.view()]; // The last bids need all 64 bits.
    this.state = this.exactState.map(Number);
    this.turn = calls.filter((call) => call.kind < COUNTER).length;
    const last = calls.at(-1);
    this.isTaking = rules.bidding === "take";
    this.taken = last?.kind === TAKE && last.code !== PASS;
    this.isClosed = this.isTaking ? this.taken || calls.length === 12 : !this.state[STATE.OPEN];
    this.lap = Math.floor(this.turn / 6) + 1;
    engine.release();
  }

  // The places that may answer the last bid by a counter, or that by an overcounter.
  get repliers() {
    const last = this.calls.at(-1),
      sender = this.state[STATE.SENDER];
    const countered = last?.kind === COUNTER;
    if (!countered && !(last?.kind === BID && last.code !== PASS)) return [];
    const order = [0, 1, 2, 3, 4, 5].map((step) => (sender + step) % 6);
    return order.filter((place) => (this.teams[place] === this.teams[sender]) === countered);
  }

  // What the player is asked: TAKE to OVERCOUNTER, or undefined.
  get question() {
    if (!this.isClosed && this.turn % 6 === this.own) return this.isTaking ? TAKE : BID;
    if (this.repliers.includes(this.own)) return this.calls.at(-1).kind === COUNTER ? OVERCOUNTER : COUNTER;
    return undefined;
  }

  // The contract of closed calls: {sender, contract, amount, capot, stake}; undefined if all passed.
  get contract() {
    if (this.taken)
      return {
        sender: this.calls.at(-1).place,
        contract: this.calls.at(-1).code,
        amount: 0,
        capot: 0,
        stake: 1,
      };
    const [sender, contract, , amount, capot, stake] = this.state;
    return !this.isTaking && this.isClosed && sender >= 0
      ? { sender, contract, amount, capot, stake }
      : undefined;
  }

  // The calls that a place may make, as {text, packed, call}; of bids the lowest in each contract.
  list(place, question, up) {
    const { engine } = this,
      { OPTIONS, OPTION } = engine.constants;
    const options = engine.array("i64", [OPTIONS, OPTION]),
      state = engine.copy("i64", this.exactState);
    const suit = up ? SUITS.indexOf(up[1]) : 0,
      teams = engine.copy("i64", this.teams);
    const count = engine.call(
      "list_calls",
      state,
      question,
      this.turn,
      place,
      suit,
      teams,
      engine.table.rules,
      options,
    );
    const numbers = [...options.view()];
    engine.release();
    return Array.from({ length: count }, (_, i) => {
      const packed = numbers.slice(i * OPTION, (i + 1) * OPTION),
        after = packed.slice(2).map(Number);
      if (question >= COUNTER) {
        const word = question === COUNTER ? "counter" : "overcounter";
        return {
          text: i ? word : `no ${word}`,
          packed,
          call: i ? { place, kind: question, code: 1 } : undefined,
        };
      }
      if (question === BID && after[STATE.STAKE] > this.state[STATE.STAKE])
        return { text: "counter", packed, call: { place, kind: COUNTER, code: 1 } };
      const code = question === BID ? after[STATE.CALL] : after[STATE.CONTRACT];
      return describeOption({ place, kind: question, code }, packed);
    });
  }

  // The option of a bid.
  makeBid(amount, contract, capot) {
    const code = amount * 16 + contract * 2 + (capot ? 1 : 0),
      state = [...this.exactState];
    state[STATE.CALL] = BigInt(code);
    return describeOption({ place: this.own, kind: BID, code }, [this.turn, BID_PENDING, ...state]);
  }

  // The option of a contract that is bid and played, with nobody calling on.
  makeContract(amount, contract) {
    const { engine } = this,
      option = engine.array("i64", [1, engine.constants.OPTION]);
    engine.call(
      "write_contract_option",
      engine.copy("i64", this.exactState),
      this.turn,
      this.own,
      amount,
      contract,
      option,
    );
    const packed = [...option.view()];
    engine.release();
    return { text: `${CONTRACTS[contract]} played`, packed, contract: CONTRACTS[contract], amount };
  }

  get canAssumeMore() {
    return this.rules.errors > 0 && this.observed.length > 0 && this.errorLevel < MAX_ERROR_LEVEL;
  }

  // How likely the calls were errors (`games/kqj/call_sampler.py`, `estimate_errors`).
  estimateErrors(observed, may, shown, known) {
    const { engine, rules } = this,
      i64 = (numbers) => engine.copy("i64", numbers);
    if (!rules.errors || !observed.length) return [];
    const errors = engine.array("f64", [observed.length, engine.constants.ERROR_SIZE]),
      { rules: packed, cards } = engine.table;
    const rate = { float: rules.errors / 100 };
    engine.call("estimate_errors", rate, i64(observed.flat()), i64(may), i64(shown), ...known, 1, this.errorLevel, packed, cards, errors);
    const numbers = [...errors.view()];
    engine.release();
    return numbers;
  }

  // The numbers of what the player knows, and of the questions as `order_rarest_first`: first those of players who
  // spoke, and of each player bids and counters before passes, and passes before counters that were not made.
  pack(hand, up) {
    const players = this.teams.reduce((sum, team, place) => sum | (BigInt(team) << BigInt(9 * place)), 0n);
    const spoke = Array(6).fill(0),
      read = (row) => row.slice(0, 5).map(Number),
      isSilent = (kind, answer) => answer === (kind >= COUNTER ? 0 : PASS);
    for (const [place, kind, , , answer] of this.observed.map(read)) spoke[place] += !isSilent(kind, answer);
    const commonness = (kind, answer) => (isSilent(kind, answer) ? (kind >= COUNTER ? 2 : 1) : 0);
    const rank = ([place, kind, , , answer]) => -100 * spoke[place] + 10 * place + commonness(kind, answer);
    const order = [...this.observed].sort((a, b) => rank(read(a)) - rank(read(b)));
    const turned = up ? bitOf(up) : 0n,
      unseen = Array(6).fill(((1n << 64n) - 1n) / 0xffffn * 0xfffn & ~(setOf(hand) | turned));
    return {
      observer: [this.own, setOf(hand), turned, players, this.rules.pending],
      observed: order.flat(),
      questions: order.map(read),
      ...this.listHoldings([...hand, ...(up ? [up] : [])]),
      rate: this.rules.errors / 100,
      canAssumeMore: this.canAssumeMore,
      errors: this.estimateErrors(order, unseen, Array(6).fill(0n), [players, turned, -1]),
    };
  }
}

function describeOption(call, packed) {
  const { text, contract, amount, capot } = describeCall(call);
  return { text, packed, call, contract, amount, capot };
}

// Returns a call in words, as `--heard` takes it, and its parts.
function describeCall({ kind, code }) {
  if (kind === COUNTER) return { text: "counter" };
  if (kind === OVERCOUNTER) return { text: "overcounter" };
  if (code === PASS) return { text: "pass" };
  if (kind === TAKE) return { text: `take ${CONTRACTS[code]}`, contract: CONTRACTS[code] };
  const amount = code >> 4,
    contract = CONTRACTS[(code >> 1) & 7],
    capot = Boolean(code & 1);
  return { text: `${amount} ${contract}${capot ? " capot" : ""}`, contract, amount, capot };
}

// Returns the call of a text of `describeCall`.
function parseCall(text, place) {
  if (text === "pass") return { code: PASS };
  if (text.startsWith("take ")) return { kind: TAKE, code: CONTRACTS.indexOf(text.slice(5)) };
  if (text === "counter" || text === "overcounter")
    return { kind: text === "counter" ? COUNTER : OVERCOUNTER, code: 1 };
  const [amount, contract, capot] = text.split(" ");
  return { kind: BID, code: amount * 16 + CONTRACTS.indexOf(contract) * 2 + (capot ? 1 : 0) };
}
