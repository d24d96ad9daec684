// What a round brought: points so far, and the score at the end, by the engine.

const RESULTS = ["made", "failed", "litigation", "passed_out"]; // `core/scoring.py`
const BONUS_POINTS = { last_trick: 10, capot: 154, kq: 20, kqj: 50 };

// Returns card points and tricks won so far, by team.
function countPoints(play) {
  const { engine } = state,
    counted = engine.array("i64", 6),
    numbers = play.read(play.findShown(play.plays), (block) => {
      engine.call("count_won_cards", block, counted);
      return [...counted.view()].map(Number);
    });
  return Array.from({ length: state.rules.teams }, (_, team) => ({
    points: numbers[team],
    tricks: numbers[3 + team],
  }));
}

// Returns the score of a round that is over, or that was passed out: by team, numbered by places.
function scoreRound(calls, play) {
  const { engine, rules } = state,
    nothing = { points: 0, tricks: 0, total: 0, gratuity: 0, score: 0 };
  if (!play)
    return {
      result: "passed_out",
      left: rules.pending,
      bonuses: [],
      teams: Array(rules.teams).fill(nothing),
    };
  const scored = engine.array("i64", engine.constants.SCORE),
    read = (block) => {
      engine.call("score_round", block, engine.table.rules, scored);
      return [...scored.view()];
    },
    exact = play.read(play.listPlayed(play.plays).map(setOf), read),
    numbers = exact.map(Number),
    teams = Array.from({ length: rules.teams }, (_, team) => ({
      points: numbers[2 + team],
      tricks: numbers[5 + team],
      total: numbers[8 + team],
      gratuity: numbers[11 + team],
      score: numbers[14 + team],
    }));
  const bonuses = [{ bonus: "last_trick", team: play.leader % rules.teams }];
  teams.forEach(({ tricks }, team) => tricks === 8 && bonuses.push({ bonus: "capot", team }));
  ["kq", "kqj"].forEach((bonus, kind) => {
    for (let place = 0; place < 6; place++)
      for (const card of DECK.filter((each) => exact[17 + 6 * kind + place] & bitOf(each)))
        bonuses.push({ bonus, team: place % rules.teams, place, suit: card[1] });
  });
  return {
    result: RESULTS[numbers[0]],
    left: numbers[1],
    teams,
    bonuses: bonuses.map((bonus) => ({ ...bonus, points: BONUS_POINTS[bonus.bonus] })),
  };
}

// Teams from that of the player on, to the left.
const listTeams = ({ teams } = state.rules, own = state.round.place) =>
  Array.from({ length: teams }, (_, number) => (own + number) % teams);

const drawTable = (label, heads, rows) =>
  `<table aria-label="${label}"><thead><tr><th></th>${drawHeads(heads)}</tr></thead><tbody>${rows.join("")}</tbody></table>`;

// Returns the points so far of all sides.
function drawPoints(play) {
  const counted = countPoints(play),
    names = TEXTS.sides[state.rules.teams],
    parts = listTeams().map((team, number) => TEXTS.side_points(names[number], counted[team].points, counted[team].tricks));
  return `<p id="points" class="note">${parts.join(" · ")}</p>`;
}

// Returns what the round brought.
function drawResult(calls, play) {
  const score = scoreRound(calls, play),
    { result, left, teams, bonuses } = score,
    names = TEXTS.sides[state.rules.teams],
    name = ({ bonus, suit, points }) => `${TEXTS.bonuses[bonus]}${suit ? ` ${SIGNS[suit]}` : ""} ${points}`;
  let sentence = TEXTS.passed_out;
  if (play) {
    const { sender, amount, capot } = calls.contract,
      own = teams[sender % state.rules.teams],
      others = teams.filter((team) => team !== own).map(({ total }) => total),
      margin = own.total - (calls.isTaking ? Math.max(...others) : amount);
    sentence = TEXTS.outcome(nameContract(calls.contract), result, Math.abs(margin), left, capot && own.tricks < 8);
  }
  const rows = listTeams().map((team, number) => {
    const { points, tricks, total, gratuity, score: scored } = teams[team],
      own = bonuses.filter((bonus) => bonus.team === team).map(name);
    return drawRow(names[number], [points, tricks, own.map(colour).join(", ") || "-", total, gratuity || "-", `<b>${scored}</b>`]);
  });
  return `<p><b>${sentence}</b> ${drawHelp("points", "kq", "capot", "litigation")}</p><div class="scroll" tabindex="0" role="region" aria-label="${TEXTS.result}">${drawTable(TEXTS.result, TEXTS.result_columns, rows)}</div>`;
}

// Returns the hands of all places.
function drawHands(play) {
  const hands = isDealt() ? dealRound(state.round.deal, play?.calls.contract.sender).eights : play?.listPlayed(play.plays);
  if (!hands || (!play && state.rules.bidding === "take")) return "";
  const items = hands.map((cards, place) => {
    const suits = SUITED.map((suit) => suit.filter((card) => cards.includes(card))).filter((suit) => suit.length),
      text = suits.map((suit) => `${SIGNS[suit[0][1]]} ${suit.map((card) => localizeRank(card[0])).join(" ")}`).join(" ");
    return `<li><b>${namePlace(place)}</b> ${colour(text)}</li>`;
  });
  return `<details id="hands" aria-label="${TEXTS.all_hands}"><summary>${TEXTS.all_hands}</summary><ul class="plain">${items.join("")}</ul></details>`;
}
