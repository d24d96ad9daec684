// The other players of a round that the page deals (`round.deal`): default players, by the engine.

const MAX_ROUNDS = 10000; // Deal of a round of a game: its number times this, and that of the round (`core/round.py`).

const isDealt = (round = state.round) => round.deal !== undefined;

// Returns the cards of a deal by place: the first five and the Return, and the eight once the Sender is known.
function dealRound(deal, sender = -1) {
  const { engine } = state,
    cards = engine.array("i64", 13);
  engine.call("deal_round", engine.array("i64", engine.constants.BLOCK), deal, 1, sender, engine.table.rules, cards);
  const sets = [...cards.view()].map((set) => DECK.filter((card) => set & bitOf(card)));
  engine.release();
  return { fives: sets.slice(0, 6), up: sets[6][0], eights: sets.slice(7) };
}

// Returns a dealt round with the cards that its player sees.
function seeCards(round) {
  const { deal, place, calls } = round,
    isTaking = state.rules.bidding === "take",
    { fives, up, eights } = dealRound(deal),
    hand = isTaking ? fives[place] : eights[place],
    seen = { ...round, hand, up: isTaking ? up : null, more: [] };
  try {
    readHeard(writeHeard(calls), state.rules, seen.up);
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    return { ...seen, calls: [], plays: [], wrong: TEXTS.wrong_link(error.message) };
  }
  const { contract } = readCalls(seen);
  if (!isTaking || !contract) return seen;
  const all = dealRound(deal, contract.sender).eights[place];
  return { ...seen, more: all.filter((card) => !hand.includes(card) && card !== up) };
}

function findKey(deal) {
  const { engine } = state,
    key = engine.array("i64", 1);
  engine.call("fill_keys", deal, 1, key);
  return key;
}

// Returns the call of the player at a place who is asked to take or bid, or to counter: undefined for none.
function chooseCall({ deal }, calls, place, kind) {
  const { engine } = state,
    { table } = engine,
    { isTaking } = calls,
    { fives, up, eights } = dealRound(deal),
    // The question stands before its answer, whatever that is; counters are in question after any bid.
    asked = kind >= COUNTER ? calls.calls : [...calls.calls, { place, kind, code: PASS }],
    question = new Calls(engine, calls.rules, NOBODY, asked).observed.findLast(
      (row) => Number(row[0]) === place && Number(row[1]) === kind,
    ),
    { observer } = calls.pack([], isTaking ? up : null);
  observer[0] = place;
  observer[1] = setOf(isTaking ? fives[place] : eights[place]);
  const answer = engine.array("i64", 1);
  engine.call(
    "choose_calls",
    engine.copy("i64", observer),
    engine.copy("i64", question),
    findKey(deal),
    table.rules,
    keepTricks(table.cards),
    answer,
  );
  const code = Number(answer.view()[0]);
  engine.release();
  if (kind >= COUNTER && !code) return undefined;
  return { text: describeCall({ kind, code }).text, ...(kind >= COUNTER ? { place } : {}) };
}

const NOBODY = 6; // A place whose own answers are left out, where none is.

// Returns the card of the player whose turn it is.
function chooseCard({ deal }, play) {
  const { engine } = state,
    { constants, table } = engine,
    { eights } = dealRound(deal, play.calls.contract.sender),
    i64 = (numbers) => engine.copy("i64", numbers),
    left = eights[play.place].filter((card) => !play.plays.includes(card));
  if (left.length === 1) return left[0];
  const shown = eights.map(setOf);
  return play.read(shown, (block, known) => {
    const noErrors = engine.array("f64", [0, constants.ERROR_SIZE]),
      turn = [block, play.trick, play.position, known, i64(shown), i64([]), noErrors, i64([]), i64([])],
      chosen = engine.array("i64", 1);
    engine.call("choose_cards", turn, findKey(deal), table.rules, keepTricks(table.cards), chosen);
    const order = (card) => BigInt(engine.exports.order_by_strength(engine.pack(block, bitOf(card))));
    return left.find((card) => order(card) === chosen.view()[0]);
  });
}

// Returns the first counter or overcounter of the others to the last call, as a change of the round; `true` where the
// player is to be asked before.
function findReply(round, calls, declined) {
  const kind = calls.calls.at(-1)?.kind === COUNTER ? OVERCOUNTER : COUNTER;
  for (const place of calls.repliers) {
    if (place === round.place) {
      if (!declined) return true;
      continue;
    }
    const reply = chooseCall(round, calls, place, kind);
    if (reply) return { calls: [...round.calls, reply] };
  }
  return undefined;
}

// Returns what a default player does next, as a change of the round; undefined at the player's own turn, and at the end.
function findStep(round, declined) {
  const calls = readCalls(round);
  if (!round.begun && calls.repliers.length) {
    const reply = findReply(round, calls, declined);
    if (reply === true) return undefined;
    if (reply) return reply;
    if (calls.contract) return { begun: true };
  }
  if (!calls.isClosed) {
    const place = calls.turn % 6;
    if (place === round.place) return undefined;
    return { calls: [...round.calls, chooseCall(round, calls, place, calls.isTaking ? TAKE : BID)] };
  }
  const play = readPlay(round, calls);
  if (!play || play.isOver) return undefined;
  const isForced = play.plays.length >= 42;
  if (play.place === round.place && !isForced) return undefined;
  return { plays: [...round.plays, chooseCard(round, play)] };
}

// Returns a dealt round at the player's next turn; `declined` if they do not counter the last call.
function advance(round, declined = false) {
  let next = seeCards(round);
  if (next.wrong) return next;
  for (let step = findStep(next, declined); step; step = findStep(next, false)) next = seeCards({ ...next, ...step });
  return next;
}

// Returns the round after a call of the player.
function answerCall(round, text) {
  if (text.startsWith("no ")) return advance(round, true);
  const calls = readCalls(round),
    isReply = text.endsWith("counter");
  // The others are asked to counter the bid before the player's turn.
  const reply = isReply ? undefined : findReply(round, calls, true),
    call = { text, ...(isReply ? { place: round.place } : {}) };
  return advance({ ...round, ...(reply ?? { calls: [...round.calls, call] }) });
}
