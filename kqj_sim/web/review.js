// The review of the player's own decisions in a round that is over: what each lost, by the odds of its position.

// Returns the player's decisions with a choice: the round before each, what was chosen, and where.
function listOwnDecisions(round) {
  const { place } = round,
    decisions = [],
    calls = readCalls(round),
    play = readPlay(round, calls);
  const add = (before, choice, trick) => decisions.push({ round: { ...round, ...before }, choice, trick });
  for (let count = 0; count <= round.calls.length; count++) {
    const before = { calls: round.calls.slice(0, count), more: [], plays: [], begun: false },
      asked = readCalls({ ...round, ...before }),
      next = calls.calls[count];
    if (asked.question === undefined) continue;
    // A counter of somebody who is asked before the player leaves them no choice.
    const isReply = next?.kind >= COUNTER,
      order = asked.repliers;
    if (isReply && next.place !== place && order.indexOf(next.place) < order.indexOf(place)) continue;
    if (asked.question < COUNTER ? next?.place === place : next?.place === place && isReply)
      add(before, describeCall(next).text);
    else if (asked.question >= COUNTER)
      add(before, asked.question === COUNTER ? "no counter" : "no overcounter");
  }
  play?.plays.forEach((card, at) => {
    if (play.holders[at] !== place) return;
    const before = { plays: play.plays.slice(0, at), begun: true },
      { legal } = new Play(state.engine, calls, play.hand, round.up, before.plays);
    if (legal.length > 1) add(before, card, Math.floor(at / 6) + 1);
  });
  return decisions;
}

const OPEN_TRICK = { 2: 3, 3: 4 }, // By the number of teams: earlier cards may take seconds.
  OPEN_NODES = 200000; // Tricks begun in searches, at most.

// Returns each legal card with what it brings the player's side with all cards open and the best play of all, the best
// first; of late cards only.  With three teams those who defend play together, and have no values of their own.
function valueOpenCards(before, trick) {
  const { engine } = state,
    { constants, table } = engine,
    { rules } = table,
    { play } = readTurn(state.round);
  const count = state.rules.teams,
    { sender, contract, amount, capot, stake } = before.calls.contract,
    { teams, own } = before.calls,
    isContracting = teams[own] === teams[sender];
  if (trick < OPEN_TRICK[count] || !play?.isOver || (count === 3 && !isContracting)) return [];
  const { pending } = before.calls.rules,
    i64 = (numbers) => engine.copy("i64", numbers),
    block = engine.array("i64", constants.BLOCK),
    leads = engine.array("i64", constants.LEADS),
    values = engine.array("i64", before.legal.length),
    scoring = i64([amount, stake, capot, pending, rules[6], rules[11], rules[12]]);
  engine.call("fill_leads", block, leads, scoring);
  const most = 2 * (Math.max(amount * stake, constants.MOST_TAKEN) + pending + constants.MOST_GRATUITIES),
    all = count === 3 ? Array.from({ length: most / 5 + 1 }, (_, at) => BigInt(10 * at - most)) : new Set(leads.view()),
    levels = i64(BigInt64Array.from(all).sort()),
    valued = engine.call(
      "value_open_cards",
      engine.array("i64", constants.WORKSPACE),
      engine.array("i64", constants.OPEN_TABLE),
      block,
      leads,
      levels,
      i64(play.listPlayed(play.plays).map(setOf)),
      i64(teams.map((team) => (team - teams[sender] + count) % count)),
      scoring,
      contract,
      i64(before.plays.map(bitOf)),
      i64(before.legal.map(bitOf)),
      OPEN_NODES,
      values,
    ),
    sign = isContracting ? 1 : -1,
    found = before.legal.map((card, at) => [card, (sign * Number(values.view()[at])) / 2]);
  engine.release();
  return valued < found.length ? [] : found.sort((one, other) => other[1] - one[1]);
}

// Values the decisions one after another, those that were not valued while one played.
async function reviewRound() {
  const { round } = state,
    decisions = listOwnDecisions(round);
  state.review = { round, decisions };
  for (const decision of decisions) {
    const { calls, play, question } = readTurn(decision.round);
    const kept = state.valued.get(question);
    decision.open = play ? valueOpenCards(play, decision.trick) : [];
    decision.odds = kept?.texts.includes(decision.choice) ? kept : undefined;
    renderReview();
    if (decision.odds) continue;
    try {
      if (calls.rules.scores) await openGame(round.place % calls.rules.teams);
      // The player may have gone on.
      if (state.round !== round) return;
      const { hand, up } = decision.round,
        show = () => {};
      decision.odds = play
        ? await estimateCards(state.pool, play, show)
        : await estimateCalls(state.pool, calls, hand, up, show, DEALS, decision.choice);
      state.valued.set(question, decision.odds);
    } catch (error) {
      if (error instanceof Cancelled) return;
      if (!(error instanceof RareCalls)) throw error;
      decision.hasNoAnswer = true;
    }
  }
  renderReview();
}

// Returns by how much the best option is better than the choice.
function estimateLoss({ odds, choice }) {
  const chosen = odds.texts.indexOf(choice),
    [best] = odds.ranking;
  if (chosen === best) return { value: 0, low: NaN, high: NaN };
  const loss = odds.estimate(odds.moments.ranking, best, chosen);
  return odds.rules.scores ? FILTERS.percent(loss) : loss; // Games in 100, or points.
}

// Returns the sum of losses, each of deals of its own; without an interval if none has one.
function addLosses(losses) {
  const value = losses.reduce((sum, loss) => sum + loss.value, 0),
    half = Math.hypot(...losses.map((loss) => halfOf(loss) || 0)) || NaN;
  return { value, low: value - half, high: value + half };
}

function renderReview() {
  const { review, round } = state;
  if (!review || review.round !== round) return draw("review", "");
  const { decisions } = review,
    valued = decisions.filter(({ odds }) => odds),
    isDone = decisions.every(({ odds, hasNoAnswer }) => odds || hasNoAnswer);
  const rows = valued.map((decision) => {
    const { odds, choice, trick } = decision,
      loss = estimateLoss(decision),
      best = odds.texts[odds.ranking[0]],
      name = (text) => colour(nameOption(text, odds.kind)),
      link = writePosition({ rules: listRules(round), round: { ...decision.round, deal: undefined } }),
      where = `<a href="#${escape(link)}">${trick ? TEXTS.trick(trick) : TEXTS.call}</a>`;
    return drawRow(where, [name(choice), name(best), writeMean(loss), explainLoss(decision) + drawOpen(decision)]);
  });
  const lost = writeMean(addLosses(valued.map(estimateLoss))),
    { scores } = listRules(round),
    head = isDone ? (scores ? TEXTS.games_lost : TEXTS.review_lost)(lost, valued.length) : TEXTS.reviewing(valued.length + 1, decisions.length);
  draw(
    "review",
    `<h2>${TEXTS.review}</h2><p>${head}</p>` +
      (rows.length ? `<div class="scroll" tabindex="0" role="region" aria-label="${TEXTS.review}">${drawTable(TEXTS.review, TEXTS.review_columns, rows)}</div>` : "") +
      drawLuck(),
  );
}

// Returns why the best card is better than the one that was played, where it is shown to be.
function explainLoss(decision) {
  const { odds, choice } = decision,
    loss = estimateLoss(decision);
  if (odds.kind !== "card" || !(loss.value > 0) || loss.low <= 0) return "";
  const best = odds.texts[odds.ranking[0]],
    { reasons, points } = odds.play.compare(best, choice),
    reason = reasons.map((name) => say("reason", name, best, choice, points)).join(` ${TEXTS.and} `);
  return reason ? colour(`${formatCard(best)} ${reason}`) : "";
}

// Returns the values with all cards open.
function drawOpen({ open }) {
  if (!open.length) return "";
  const values = open.map(([card, value]) => `${colour(formatCard(card))} ${fixed(value)}`);
  return `<small>${TEXTS.open_values(values.join(", "))}</small>`;
}

// Returns what the same cards bring if the default player has the player's seat, too.
function drawLuck() {
  const { round, rules } = state;
  if (!isDealt(round)) return "";
  const { calls, dealt, up, plays } = playRound(round.deal),
    read = new Calls(state.engine, rules, round.place, calls),
    play = read.contract && new Play(state.engine, read, dealt[round.place], up, plays),
    lead = ({ teams }) => {
      const [own, ...others] = listTeams().map((team) => teams[team].score);
      return own - others.reduce((sum, score) => sum + score, 0) / others.length;
    },
    turn = readTurn(round);
  return `<p>${TEXTS.luck(fixed(lead(scoreRound(turn.calls, turn.play))), fixed(lead(scoreRound(read, play))))}</p>`;
}
