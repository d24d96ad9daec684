// The state of the page, what follows from it, and how it changes.

const state = {
  rules: undefined, // {teams, bidding, errors, scores, target, pending}: see `readScores`.
  round: undefined, // What was tapped, or is played: see `start`.
  quiz: undefined, // The question that is asked: see `quiz.js`.
  questions: undefined, // The numbers of questions under these rules, by subject and kind.
  hadQuestions: new Set(), // Those that were asked.
  depth: 0, // So many steps can be undone: they are in the browser's history.
  isFolded: false, // The rules were folded.
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

  // Of a round that is played: see `play.js`.
  suggests: false, // The values are shown.
  warns: false, // A choice that costs much has to be confirmed.
  doubt: "", // That choice.
  valued: new Map(), // The odds of questions that are final.
  review: undefined,
  chances: new Map(), // To win the game, by scores.
};

const handSize = () => (state.rules.bidding === "take" ? 5 : 8);
const isComplete = ({ hand, up } = state.round) =>
  hand.length === handSize() && Boolean(state.rules.bidding === "auction" || up);

// The calls with the places of those who made them.
function placeCalls({ calls }) {
  let turn = 0;
  return calls.map(({ text, place }) => {
    const call = { kind: state.rules.bidding === "take" ? TAKE : BID, ...parseCall(text) };
    call.place = call.kind >= COUNTER ? place : turn++ % 6;
    return call;
  });
}

// The rules by which a round is valued.  At the beginning of a game of three teams the chance to win it takes too long to
// wait for while one plays.
function listRules(round) {
  const { rules } = state,
    { scores, ...others } = rules;
  return isDealt(round) && countStates(rules) > MANY_STATES ? others : rules;
}

const MANY_STATES = 1e5,
  countStates = ({ scores, target }) => (scores ?? []).reduce((states, score) => (states * (target - score)) / 10, 1);

const readCalls = (round = state.round) =>
  new Calls(state.engine, listRules(round), round.place, placeCalls(round));

// All eight cards of the player once the calls are over, without those still to be named.
function listHand(contract, { place, hand, up, more } = state.round) {
  return [...hand, ...(contract.sender === place && up ? [up] : []), ...more];
}

const missingCards = (calls, round) => (calls.contract ? 8 - listHand(calls.contract, round).length : 0);

// Returns the play, if it has begun.  Until then a bid that closes the calls may be countered, and a counter
// overcountered.
function readPlay(round, calls) {
  const { up, plays, begun } = round;
  if (!calls?.contract || missingCards(calls, round) || (calls.repliers.length && !begun && !plays.length))
    return undefined;
  return new Play(state.engine, calls, listHand(calls.contract, round), up, plays);
}

// Returns what follows from a round: its calls and its play, whether it is over, and the question to the player.
function readTurn(round) {
  const calls = state.engine && isComplete(round) ? readCalls(round) : undefined,
    play = readPlay(round, calls),
    wrong = round.wrong || play?.explainWrongPlay(),
    isPassedOut = calls?.isClosed && !calls.contract && !calls.repliers.length,
    isTurn = play ? play.place === round.place && !play.isOver : calls?.question !== undefined;
  return {
    calls,
    play,
    wrong,
    isOver: !wrong && Boolean(play ? play.isOver : isPassedOut),
    question: isTurn && !wrong ? writeCommand(round, play) : "",
  };
}

// Changes.  Each is a step in the browser's history, so that its Back is Undo.

function remember() {
  state.depth++;
  keepStep("pushState", { depth: state.depth });
}

function keepInHistory() {
  const { depth, rules, round, quiz } = state;
  keepStep("replaceState", { depth, rules, round, quiz }, `#${writePosition(state)}`);
}

function keepStep(method, kept, link) {
  try {
    history[method](kept, "", link);
  } catch {
    // Browsers refuse many steps in a short time.
  }
}

function change(next) {
  remember();
  goTo({ round: { ...state.round, wrong: undefined, ...next }, quiz: undefined });
}

const undo = () => state.depth && history.back();

// Shows another state: a round, rules, a question; or what the history kept of these.
function goTo(next) {
  const { teams, bidding } = state.rules;
  Object.assign(state, { deals: DEALS, suggests: false, doubt: "", ...next });
  const { rules } = state;
  if (rules.teams === teams && rules.bidding === bidding) return render();
  state.engine = undefined;
  render();
  return openTable();
}

// Changes the rules, and keeps what it can.
function changeRules(rules) {
  const { place, hand, up } = state.round,
    isSame = rules.teams === state.rules.teams,
    isTaking = rules.bidding === "take",
    calls = Array(place).fill({ text: "pass" }),
    tapped = { hand: hand.slice(0, isTaking ? 5 : 8), up: isTaking ? up : null, calls },
    round = { ...start(), place, ...(isDealt() ? { deal: drawDeal() } : tapped) };
  remember();
  if (state.quiz) askQuiz(state.quiz.subject);
  goTo({ rules: { ...rules, scores: isSame ? rules.scores : undefined }, round });
}
