// A position as text: the part of the address after `#`.  Whoever gets a link did not tap what is in it, so it is
// checked as the package checks what is typed.

const ROUND_PARTS = ["hand", "return", "place", "heard", "more", "played", "begun"],
  DEALT_PARTS = ["deal", "place", "heard", "played", "begun"];
const CALL =
  /^(?:pass|take (?<taken>s|h|d|c|NT|AT)|(?<amount>\d{1,9}) (?:s|h|d|c|NT|AT)(?<capot> capot)?|(?<reply>counter|overcounter) (?<by>opener|2nd|3rd|4th|5th|dealer))$/;

const start = () => ({ place: 0, hand: [], up: null, calls: [], more: [], plays: [], begun: false });
const quote = (text) => `'${text.length > 40 ? `${text.slice(0, 39)}…` : text}'`;
const countNoun = (number, what) => fill(`{0} ${what}${number === 1 ? "" : "s"}`, `${number}`);

class LinkError extends Error {}

function check(condition, reason) {
  if (!condition) throw new LinkError(reason);
}

// Returns {rules, round}, of the link to a question {rules, round, quiz}.  Of a link that cannot be, the round has no
// cards, but the link and the sentence that says what is `wrong` with it.
function readPosition(text) {
  try {
    return readParts(new URLSearchParams(text));
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    const round = { ...start(), link: text, wrong: TEXTS.wrong_link(error.message) };
    return { rules: { teams: 2, bidding: "take", errors: 3, target: 1000, pending: 0 }, round };
  }
}

function listRoundParts(given) {
  if (given.has("quiz")) return ["quiz", "subject"];
  return given.has("deal") ? DEALT_PARTS : ROUND_PARTS;
}

function readParts(given) {
  const known = ["teams", "bidding", "errors", "scores", "target", "pending", ...listRoundParts(given)];
  for (const name of given.keys()) {
    check(known.includes(name), tell`${quote(name)} is no part of it: its parts are ${known.join(", ")}`);
    check(given.getAll(name).length === 1, tell`${name} is there twice: leave one out`);
  }
  // The first choice is that of links without the part.
  const choose = (name, choices) => {
    const value = given.get(name) || choices[0];
    const right = FILTERS.listed(choices.filter(Boolean), tell`or`);
    check(choices.includes(value), tell`${name} is ${quote(value)}: write ${right}`);
    return value;
  };
  const rules = {
    teams: Number(choose("teams", ["2", "3"])),
    bidding: choose("bidding", ["take", "auction"]),
    errors: Number(choose("errors", ["3", "0", "10"])),
    ...readScores(given),
  };
  if (given.has("deal")) return { rules, round: readDealt(given, choose, rules) };
  if (!given.has("quiz")) return { rules, round: readRound(given, choose, rules) };
  const number = given.get("quiz");
  check(/^\d{1,15}$/.test(number), tell`quiz is ${quote(number)}: write a number of at most 15 digits`);
  const subject = choose("subject", ["both", "calls", "cards"]);
  return { rules, round: start(), quiz: { number: Number(number), subject } };
}

// Returns the scores of the game, the player's first, if they are there; its target, and a pending gratuity.
function readScores(given) {
  const isTens = (text) => /^-?\d{1,5}$/.test(text) && Number(text) % 10 === 0,
    target = given.get("target") || "1000",
    pending = given.get("pending") || "0",
    scores = given.get("scores")?.split(":");
  check(isTens(target) && target > 0, tell`target is ${quote(target)}: write a multiple of 10, such as 1000`);
  check(isTens(pending) && pending >= 0 && pending <= 600, tell`pending is ${quote(pending)}: write 0 to 600, such as 120`);
  const teams = Number(given.get("teams") || 2);
  check(!scores || scores.length === teams, tell`scores has ${countNoun(scores?.length, "number")}: write one for each of ${teams} teams`);
  for (const score of scores ?? [])
    check(isTens(score) && Number(score) < target, tell`${quote(score)} is no multiple of 10 below the target of ${target}`);
  return { scores: scores?.map(Number), target: Number(target), pending: Number(pending) };
}

// Returns a round that the page deals: its cards, and the calls that they allow, are known to the engine only.
function readDealt(given, choose, rules) {
  const deal = given.get("deal");
  check(/^\d{1,12}$/.test(deal), tell`deal is ${quote(deal)}: write a number of at most 12 digits`);
  return {
    ...start(),
    deal: Number(deal),
    place: PLACES.indexOf(choose("place", PLACES)),
    calls: readHeard(given.get("heard") ?? "", rules).calls,
    plays: readCards(given.get("played") ?? ""),
    begun: choose("begun", ["", "1"]) === "1",
  };
}

function readRound(given, choose, rules) {
  const isTaking = rules.bidding === "take",
    size = isTaking ? 5 : 8;
  const cards = Object.fromEntries(
    ["hand", "return", "more", "played"].map((name) => [name, readCards(given.get(name) ?? "")]),
  );
  const { hand, return: turned, more, played: plays } = cards,
    [up = null] = turned;
  for (const card of [...hand, ...turned, ...more]) {
    const parts = ["hand", "return", "more"].filter((name) => cards[name].includes(card));
    check(parts.length === 1, tell`${card} is in ${parts.join(` ${tell`and in`} `)}: name each card once`);
  }
  check(
    hand.length <= size,
    tell`hand has ${countNoun(hand.length, "card")}: with ${isTaking ? tell`taking` : tell`auctions`} you hold ${size}`,
  );
  check(isTaking || !up, tell`with auctions there is no Return: leave it out`);
  check(turned.length < 2, tell`return has ${countNoun(turned.length, "card")}: one is turned up`);
  const round = { place: PLACES.indexOf(choose("place", PLACES)), hand, up, more, plays };
  const { calls, sender } = readHeard(given.get("heard") ?? "", rules, up);
  const begun = choose("begun", ["", "1"]) === "1";
  check(
    sender !== undefined || !(more.length || plays.length || begun),
    tell`more, played and begun come after the calls, which are not over or all passes: leave them out`,
  );
  const missing = 8 - size - (isTaking && sender === round.place ? 1 : 0);
  check(
    more.length <= missing,
    tell`more has ${countNoun(more.length, "card")}: you get ${missing} after the calls`,
  );
  check(
    !plays.length || (hand.length === size && more.length === missing),
    tell`cards are played, but yours are not complete: give all in hand and more`,
  );
  return { ...round, calls, begun };
}

function readCards(text) {
  const cards = text.match(/[^\s,]{1,2}/g) ?? [];
  cards.forEach((card, at) => {
    check(/^[4-9TJQKHA][shdc]$/.test(card), tell`${quote(card)} is not a card: write rank and suit, such as 9h`);
    check(cards.indexOf(card) === at, tell`${card} is named twice: name each card once`);
  });
  return cards;
}

// Returns the calls of a text, and the Sender if they are over and somebody is.  They are checked by the rules of
// `KqjCalling` (`referee/kqj.py`).  The Return is undefined while it is not known.
function readHeard(text, { teams, bidding }, up) {
  const isTaking = bidding === "take",
    calls = [];
  let turn = 0,
    passes = 0, // Since the last bid.
    isOver = false,
    bid,
    reply;
  for (const part of text.split(",").map((each) => each.trim())) {
    if (!part) continue;
    const expect = (condition, reason) =>
      check(condition, tell`call ${calls.length + 1}, ${quote(part)}, ${reason}`);
    const call = CALL.exec(part)?.groups;
    expect(call, tell`is not a call: write pass, take h, 120 h, 400 NT capot or counter 2nd`);
    if (call.by) {
      const place = PLACES.indexOf(call.by),
        isOpponent = bid && place % teams !== bid.place % teams;
      const isPossible =
        call.reply === "counter" ? isOpponent && !passes && !reply : reply === "counter" && !isOpponent;
      expect(
        !isTaking && isPossible,
        tell`is impossible: with auctions an opponent counters right after a bid, and the bidder's team overcounters right after that`,
      );
      reply = call.reply;
      isOver = true;
      calls.push({ text: reply, place });
      continue;
    }
    expect(!isOver, tell`is impossible: the calls were over before`);
    const place = turn++ % 6,
      [first, highest] = BIDS[teams],
      lowest = bid ? bid.amount + 10 : first;
    if (call.taken) {
      expect(isTaking && up !== null, tell`is impossible: with taking the Return is given, with auctions amounts are bid`);
      expect(turn > 6 || !up || call.taken === up[1], tell`is impossible: in lap 1 only ${up?.[1]} can be taken`);
    } else if (call.amount) {
      expect(
        !isTaking && call.amount % 10 === 0 && call.amount >= lowest && call.amount <= highest,
        tell`is impossible: with auctions the amount is a multiple of 10 from ${lowest} to ${highest}`,
      );
    }
    if (call.taken || call.amount) {
      bid = { place, amount: Number(call.amount) };
      passes = 0;
      isOver = Boolean(call.taken || call.capot);
    } else {
      passes++;
      isOver = isTaking ? turn === 12 : passes === (bid ? 5 : 6);
    }
    calls.push({ text: part });
  }
  return { calls, sender: isOver ? bid?.place : undefined };
}

const writeHeard = (calls) =>
  calls.map(({ text, place }) => (place === undefined ? text : `${text} ${PLACES[place]}`)).join(", ");

// Returns the link of a position, or of a question, which whoever opens it shall answer first.
function writePosition({ rules, round, quiz }) {
  if (round.wrong) return round.link;
  const cards = { hand: round.hand.join(""), return: round.up ?? "", more: round.more.join("") },
    dealt = { deal: `${round.deal}` };
  const { more = "", ...known } = round.deal === undefined ? cards : dealt;
  const position = {
    ...known,
    place: PLACES[round.place],
    heard: writeHeard(round.calls),
    more,
    played: round.plays.join(""),
    begun: round.begun ? "1" : "",
  };
  // Most links do without: so often others err by default.
  const errors = rules.errors === 3 ? "" : `${rules.errors}`;
  const game = {
    scores: rules.scores?.join(":"),
    target: rules.target === 1000 ? "" : rules.target,
    pending: rules.pending,
  };
  const parts = { ...rules, errors, ...game, ...(quiz?.number !== undefined ? { quiz: `${quiz.number}`, subject: quiz.subject } : position) };
  return Object.entries(parts)
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&");
}
