// The state of the page, what follows from it, and how a round changes.

const state = {
  rules: undefined, // {teams, bidding, errors, scores, target, pending}: see `readScores`.
  round: undefined, // What was tapped: see `start`.
  past: [], // The rounds before, as text, for Undo.
  quiz: undefined, // The question that is asked: see `quiz.js`.
  typed: "", // The rank of a card that is typed.

  // The engine for these rules, once it is there, and the workers.
  module: undefined,
  engine: undefined,
  pool: undefined,

  // What follows from the round: the play once it has begun, and the odds of a question.
  play: undefined,
  asked: "", // The question, as a command.
  deals: DEALS,
  odds: undefined,
  isFinal: false, // All deals are played.
  showsAll: false, // All options are listed.
  failure: "", // Why there are no odds any more.
};

const handSize = () => (state.rules.bidding === "take" ? 5 : 8);
const isComplete = () =>
  state.round.hand.length === handSize() && (state.rules.bidding === "auction" || state.round.up);

// The calls with the places of those who made them.
function placeCalls() {
  let turn = 0;
  return state.round.calls.map(({ text, place }) => {
    const call = { kind: state.rules.bidding === "take" ? TAKE : BID, ...parseCall(text) };
    call.place = call.kind >= COUNTER ? place : turn++ % 6;
    return call;
  });
}

const readCalls = () => new Calls(state.engine, state.rules, state.round.place, placeCalls());

// All eight cards of the player once the calls are over, without those still to be named.
function listHand(contract) {
  const { place, hand, up, more } = state.round;
  return [...hand, ...(contract.sender === place && up ? [up] : []), ...more];
}

const missingCards = (calls) => (calls.contract ? 8 - listHand(calls.contract).length : 0);

// Returns the play, if it has begun.  Until then a bid that closes the calls may be countered, and a counter
// overcountered.
function readPlay(calls) {
  const { up, plays, begun } = state.round;
  if (!calls?.contract || missingCards(calls) || (calls.repliers.length && !begun && !plays.length))
    return undefined;
  return new Play(state.engine, calls, listHand(calls.contract), up, plays);
}

function change(next) {
  state.past.push(JSON.stringify(state.round));
  goTo({ ...state.round, wrong: undefined, ...next });
}

function undo() {
  goTo(JSON.parse(state.past.pop()));
}

function goTo(round) {
  Object.assign(state, { round, quiz: undefined, deals: DEALS });
  render();
}

function changeRules(rules) {
  const { place, hand } = state.round;
  if (rules.teams !== state.rules.teams) rules.scores = undefined;
  Object.assign(state, { rules, engine: undefined, past: [] });
  if (state.quiz) askQuiz(state.quiz.subject);
  state.round = {
    ...start(),
    place,
    hand: hand.slice(0, handSize()),
    calls: Array(place).fill({ text: "pass" }),
  };
  render();
  openTable();
}
