// Rounds as records (docs/records.md): written, kept in the browser, downloaded, and opened.  The player has seat 0.

const KEPT_ROUNDS = "kqj-rounds",
  MAX_KEPT = 50;

// Returns the record of a round that is over; undefined if not all cards that were dealt are known.
function makeRecord(round, { calls, play }) {
  const { rules, engine } = state,
    isTaking = rules.bidding === "take";
  if (!isDealt(round) && (isTaking || !play)) return undefined;
  const { contract } = calls,
    cards = isDealt(round)
      ? dealRound(round.deal, contract?.sender)
      : { eights: play.listPlayed(play.plays), fives: [], up: null },
    opener = (6 - round.place) % 6,
    seatOf = (place) => (opener + place) % 6,
    bySeat = (values) => values.map((_, seat) => values[(seat - opener + 6) % 6]),
    score = scoreRound(calls, play),
    byTeam = (name) => score.teams.map((_, team) => score.teams[(((team - opener) % rules.teams) + rules.teams) % rules.teams][name]),
    isGame = Boolean(rules.scores) && isDealt(round),
    scores = byTeam("score");
  return {
    game: "kqj",
    rules: { ...engine.constants.RULES, target: rules.target },
    seed: 1,
    deal: round.deal ?? 0,
    players: [TEXTS.you, ...[1, 2, 3, 4, 5].map((seat) => TEXTS.player(seat))],
    game_id: isGame ? Math.floor(round.deal / MAX_ROUNDS) : null,
    round: isGame ? round.deal % MAX_ROUNDS : null,
    score_before: isGame ? rules.scores : null,
    score_after: isGame ? rules.scores.map((points, team) => points + scores[team]) : null,
    dealer: (opener + 5) % 6,
    teams: Array.from({ length: 6 }, (_, seat) => seat % rules.teams),
    dealt: bySeat(isTaking ? cards.fives : cards.eights),
    turned: isTaking ? cards.up : null,
    calls: calls.calls.map((call) => writeRecordedCall(call, seatOf(call.place))),
    sender: contract ? seatOf(contract.sender) : null,
    contract: contract ? CONTRACTS[contract.contract] : null,
    amount: contract && !isTaking ? contract.amount : null,
    capot: Boolean(contract?.capot),
    stake: contract?.stake ?? 1,
    hands: contract ? bySeat(cards.eights) : null,
    tricks: play ? listTricks(play).map(({ leader, cards: played, winner }) => ({ leader: seatOf(leader), cards: played, winner: seatOf(winner) })) : [],
    card_points: byTeam("points"),
    trick_counts: byTeam("tricks"),
    bonuses: score.bonuses.map(({ bonus, team, points, place, suit }) => ({
      bonus,
      team: (team + opener) % rules.teams,
      points,
      ...(suit ? { seat: seatOf(place), suit } : {}),
    })),
    totals: byTeam("total"),
    result: score.result,
    gratuities: byTeam("gratuity"),
    pending_before: rules.pending,
    pending_after: score.left,
    scores,
  };
}

function writeRecordedCall(call, seat) {
  const { text, contract, amount, capot } = describeCall(call);
  if (call.kind === BID && call.code !== PASS) return { seat, call: "bid", amount, contract, capot };
  return { seat, call: text.split(" ")[0], ...(contract ? { contract } : {}) };
}

// Returns the finished tricks: the places of leader and winner, and the cards.
function listTricks({ plays, holders, leader }) {
  return Array.from({ length: Math.floor(plays.length / 6) }, (_, trick) => ({
    leader: holders[6 * trick],
    cards: plays.slice(6 * trick, 6 * trick + 6),
    winner: holders[6 * trick + 6] ?? leader,
  }));
}

// Returns {rules, round} of a record, as the player of seat 0 sees it; a LinkError says what the page does not know.
function readRecord(record) {
  const { rules: given, dealer, dealt, turned, calls, hands, tricks } = record,
    { teams, bidding, target } = given,
    size = bidding === "take" ? 5 : 8;
  check(record.game === "kqj" && given.partners === "fixed", TEXTS.wrong_rules);
  check([given.all_no_trump, given.counter_timing, given.amount_uses, given.must_outscore].join() === "second_lap,any,total,false", TEXTS.wrong_rules);
  const place = (5 - dealer) % 6,
    placeOf = (seat) => (seat - dealer + 5) % 6,
    own = dealt[0],
    texts = calls.map(({ seat, call, amount, contract, capot }) => {
      const isReply = call.endsWith("counter"),
        words = [call === "bid" ? amount : call, contract, capot ? "capot" : ""];
      return { text: words.filter(Boolean).join(" "), ...(isReply ? { place: placeOf(seat) } : {}) };
    }),
    round = {
      ...start(),
      place: (place + 6) % 6,
      hand: own.slice(0, size),
      up: turned,
      calls: texts,
      more: hands ? hands[0].filter((card) => !own.includes(card) && card !== turned) : [],
      plays: tricks.flatMap(({ cards }) => cards),
      begun: Boolean(hands),
    },
    scores = record.score_before ?? undefined,
    rules = { teams, bidding, target, errors: state.rules.errors, scores, pending: record.pending_before };
  // What a link may not say, a record may not either.
  const read = readParts(new URLSearchParams(writePosition({ rules, round })));
  return { rules: read.rules, round: read.round };
}

// Rounds kept in the browser.

function readKept() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_ROUNDS)) ?? [];
    return Array.isArray(kept) ? kept.filter((record) => record?.game === "kqj" && Array.isArray(record.scores)) : [];
  } catch {
    return []; // The browser keeps nothing.
  }
}

function keepRounds(records) {
  try {
    localStorage.setItem(KEPT_ROUNDS, JSON.stringify(records.slice(-MAX_KEPT)));
  } catch {
    // Nothing is kept.
  }
  renderKept();
}

function renderKept() {
  const records = readKept(),
    items = records.map(({ contract, sender, result, scores, amount }, at) => {
      const name = contract ? [amount, SIGNS[contract] ?? contract].filter(Boolean).join(" ") : "";
      const text = TEXTS.kept_round(at + 1, colour(name), TEXTS.outcomes[result], scores.join(":"));
      return `<li>${button(`open ${at}`, text)}</li>`;
    });
  find("kept").hidden = !items.length;
  draw("kept-rounds", items.reverse().join(""));
}

function download(records, name) {
  save(records.map((record) => `${JSON.stringify(record)}\n`).join(""), "application/jsonl", name);
}

function save(text, type, name) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

function openRecord(record) {
  try {
    const { rules, round } = readRecord(record);
    remember();
    goTo({ rules, round, quiz: undefined });
  } catch (error) {
    const reason = error instanceof LinkError ? error.message : TEXTS.damaged_record;
    draw("record-error", escape(TEXTS.wrong_record(reason)));
  }
}

// Opens the rounds of a file: the first is shown, and all are kept.
async function openFile(file) {
  draw("record-error", "");
  let records;
  try {
    const text = await file.text();
    if (/^\s*\{\s*"kind": *"quiz"/.test(text)) return loadQuiz(JSON.parse(text));
    records = text.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line));
  } catch {
    return draw("record-error", TEXTS.wrong_record(TEXTS.damaged_record));
  }
  if (records.length > 1) keepRounds([...readKept(), ...records]);
  return openRecord(records[0]);
}
