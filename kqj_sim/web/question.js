// The question of a position: its command, and its odds while deals are drawn.

function writeCommand(round, play) {
  const { deals } = state,
    rules = listRules(round),
    words = ["kqj-sim odds", ...(play ? play.hand : round.hand)];
  if (round.up) words.push(`--return ${round.up}`);
  if (rules.teams !== 2) words.push(`--teams ${rules.teams}`);
  if (rules.bidding !== "take") words.push("--bidding auction");
  if (rules.scores) words.push(`--scores ${rules.scores.join(":")}`);
  if (rules.scores && rules.target !== 1000) words.push(`--target ${rules.target}`);
  if (rules.pending) words.push(`--pending ${rules.pending}`);
  if (rules.errors !== 3) words.push(`--error-rate ${rules.errors}%`);
  if (play) words.push(`--heard "${writeHeard(round.calls)}" --played "${round.plays.join(" ")}"`);
  else words.push(...writeTurn(round));
  if (deals !== DEALS) words.push(`--deals ${deals}`);
  return words.join(" ");
}

// Returns the options of the command for the calls before that of the player.
function writeTurn({ place, calls }) {
  const onlyPasses = calls.every(({ text }) => text === "pass"),
    lap = Math.floor(calls.length / 6) + 1,
    words = place ? [`--place ${PLACES[place]}`] : [];
  if (!onlyPasses || (state.rules.bidding === "auction" && calls.length > place))
    words.push(`--heard "${writeHeard(calls)}"`);
  else if (lap > 1) words.push(`--lap ${lap}`);
  return words;
}

// Returns the game for `solveGame` of a worker, with its scores by team: rules have that of the player's team first.
function describeGame({ teams, scores, target, pending }, team) {
  const byTeam = scores.map((_, number) => scores[(number - team + teams) % teams]);
  return { teams, team, target, pending, scores: byTeam, rounds: state.engine.rounds };
}

// Has the chances to win the game from the scores worked out, for the side of a team.
async function openGame(team) {
  const { pool, rules } = state,
    { teams, bidding, scores, target, pending } = rules,
    game = JSON.stringify([teams, bidding, scores, target, pending, team]);
  if (pool.game === game) return;
  draw("run", TEXTS.solving(countStates(rules) > MANY_STATES));
  await pool.solve(describeGame(rules, team), true);
  pool.game = game;
}

async function ask(question, calls) {
  state.pool?.cancel();
  Object.assign(state, { asked: question, odds: undefined, showsAll: false, isFinal: false });
  renderOdds(true);
  if (!question) return;
  const { pool, play, round, quiz, deals } = state;
  if (!hidesValues()) draw("run", TEXTS.drawing);
  let drawn = 0;
  const show = (odds, isPending) => {
    if (isPending && performance.now() - drawn < 300) return;
    drawn = performance.now();
    if (isPending && !odds.moments.weights) {
      if (!hidesValues()) draw("run", TEXTS.no_hand_yet(fixed(odds.hands)));
    } else if (odds.ranking.length) {
      Object.assign(state, { odds, isFinal: !isPending });
      if (!isPending) {
        state.valued.set(question, odds);
        keepHand();
      }
      renderOdds(isPending);
    }
  };
  try {
    if (calls.rules.scores) await openGame(round.place % calls.rules.teams);
    if (state.asked !== question) return;
    if (play) await estimateCards(pool, play, show, deals);
    else await estimateCalls(pool, calls, round.hand, round.up, show, deals, quiz?.choice);
  } catch (error) {
    if (error instanceof Cancelled) return;
    if (!(error instanceof RareCalls)) throw error;
    state.odds = undefined;
    if (quiz) quiz.hasNoAnswer = true;
    renderOdds(true);
    const reason = error.odds?.asked.length
      ? TEXTS.no_answer(explainRareCalls(error.odds))
      : TEXTS.wrong_card;
    draw("headline", colour(escape(reason)));
  }
}
