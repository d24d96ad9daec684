// Playing: a round that the page deals, or a whole game.

const WARNED_LOSS = 15;

const drawDeal = () => Math.floor(QUIZ_ROUNDS * Math.random());

function startRound(place = Math.floor(6 * Math.random()), deal = drawDeal()) {
  Object.assign(state, { suggests: false, doubt: "" });
  if (state.failure) return undefined;
  const round = { ...start(), place, deal };
  // Without an engine yet, `openTable` goes on.
  return change(state.engine ? advance(round) : round);
}

function startGame() {
  if (state.failure) return;
  state.rules = { ...state.rules, scores: Array(state.rules.teams).fill(0), pending: 0 };
  startRound(undefined, MAX_ROUNDS * drawDeal());
}

// Returns the scores of the game after the round, the player's first, and who has won: 0 for the player's side.
function addScores({ teams }) {
  const { rules } = state,
    scores = listTeams().map((team, number) => rules.scores[number] + teams[team].score),
    best = Math.max(...scores),
    leaders = scores.filter((score) => score === best);
  return { scores, winner: best >= rules.target && leaders.length === 1 ? scores.indexOf(best) : undefined };
}

// Goes on with the next round: the opener deals it.
function nextRound() {
  const { round, rules } = state,
    { calls, play } = readTurn(round);
  if (!rules.scores) return startRound();
  const score = scoreRound(calls, play),
    { scores, winner } = addScores(score);
  if (winner !== undefined) return startGame();
  state.rules = { ...rules, scores, pending: score.left };
  return startRound((round.place + 5) % 6, round.deal + 1);
}

// Takes a call or a card of the player, after a warning if it costs much.
function decide(text) {
  const { round, play, odds, doubt } = state,
    chosen = odds?.texts.indexOf(text) ?? -1;
  if (state.warns && chosen >= 0 && doubt !== text && odds.ranking.length) {
    const loss = odds.estimate("value", odds.ranking[0], chosen).value;
    if (chosen !== odds.ranking[0] && loss > WARNED_LOSS) {
      Object.assign(state, { doubt: text, doubtLoss: loss });
      return render();
    }
  }
  Object.assign(state, { suggests: false, doubt: "" });
  return change(play ? advance({ ...round, plays: [...round.plays, text] }) : answerCall(round, text));
}

// Draws what belongs to a round that is played: its bar, and what it brought.
function renderPlay({ calls, play, isOver }) {
  const isPlaying = isDealt(),
    { rules } = state;
  find("play-bar").hidden = !isPlaying;
  find("suggest").hidden = isOver;
  find("next-round").hidden = !isOver;
  find("warning").hidden = isOver;
  find("warn").checked = state.warns;
  if (isOver && isPlaying) keepOnce(calls, play);
  draw("doubt", state.doubt ? TEXTS.doubt(colour(nameOption(state.doubt, state.play ? "card" : "call")), fixed(state.doubtLoss)) : "");
  const html = isOver ? drawResult(calls, play) + drawHands(play) : "";
  find("save").hidden = !isOver || !makeRecord(state.round, { calls, play });
  draw("result", html);
  renderGame({ calls, play, isOver });
  draw("next-round", isOver && rules.scores && addScores(scoreRound(calls, play)).winner !== undefined ? TEXTS.new_game : TEXTS.next_round);
}

// Keeps the record of a round that was played, once.
function keepOnce(calls, play) {
  const record = makeRecord(state.round, { calls, play }),
    kept = readKept();
  if (kept.every((each) => JSON.stringify(each) !== JSON.stringify(record))) keepRounds([...kept, record]);
}

function saveRecord() {
  const { round } = state;
  download([makeRecord(round, readTurn(round))], `kqj-${round.deal ?? "round"}.jsonl`);
}

// Draws how the game stands, before the round or after it, and the chance to win it once that is worked out.
function renderGame({ calls, play, isOver }) {
  const { rules, round, pool } = state;
  if (!isDealt() || !rules.scores || !calls) return draw("standing", "");
  const names = TEXTS.sides[rules.teams],
    score = isOver ? scoreRound(calls, play) : undefined,
    { scores, winner } = score ? addScores(score) : rules,
    place = score ? (round.place + 5) % 6 : round.place,
    next = { ...rules, scores, pending: score ? score.left : rules.pending },
    key = JSON.stringify([next, place]),
    parts = [TEXTS.game_scores(scores.map((points) => fixed(points)).join(":"))];
  if (winner !== undefined) parts.push(TEXTS.game_won(names[winner], winner === 0));
  else if (state.chances.get(key) >= 0) parts.push(TEXTS.game_chance(fixed(100 * state.chances.get(key), 1)));
  else if (!state.chances.has(key) && Math.max(...scores) < rules.target && countStates(next) <= MANY_STATES) {
    state.chances.set(key, NaN);
    pool.solve(describeGame(next, place % rules.teams)).then(({ now }) => {
      state.chances.set(key, now[5 % rules.teams]);
      renderGame(readTurn(state.round));
    });
  }
  return draw("standing", `<p>${parts.join(" ")}</p>`);
}
