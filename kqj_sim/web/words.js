// Odds in words and digits, as `kqj-sim odds` writes them (`output/sentences.py`, `output/grid.py`).

const SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const PLACES = ["opener", "2nd", "3rd", "4th", "5th", "dealer"];

// Rounds as Python does: a half goes to the even digit, and zero has no sign.
function round(number, digits) {
  let text = number.toFixed(digits);
  // `toFixed` rounds a half up; further digits are those of the number itself.
  const isTie = /^50*$/.test(number.toFixed(40).split(".")[1].slice(digits));
  if (isTie && "13579".includes(text.at(-1)))
    text = (number - 0.5 * 10 ** -digits * Math.sign(number)).toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

function fixed(number, digits = 0) {
  const [whole, ...rest] = round(number, digits).split(".");
  return localize([whole.replace(/\B(?=(\d{3})+$)/g, ","), ...rest].join("."));
}

const formatCard = (card) => localizeRank(card[0]) + SIGNS[card[1]];

function addSigns(text) {
  return text
    .replace(/(^|[ \d])([shdc])(?= |$)/, (_, before, suit) => before + SIGNS[suit])
    .replace("capot", "Capot");
}

// Returns the name of an option by which the package's sentences tell calls from each other, and as people read it.
const nameInEnglish = (text, kind) => (kind === "card" ? formatCard(text) : addSigns(text));
const nameOption = (text, kind = "call") => translate(nameInEnglish(text, kind));

const halfOf = (estimate) => (estimate.high - estimate.low) / 2;

function formatChance({ value, low, high }) {
  const percent = 100 * value,
    digits = !Number.isNaN(low) && 50 * (high - low) >= 0.95 ? 0 : 1;
  const step = 10 ** -digits,
    rounded = Number(round(percent, digits));
  if (percent < 100 && rounded === 100) return tell`more than ${fixed(100 - step, digits)}%`;
  if (percent > 0 && rounded === 0) return tell`less than ${fixed(step, digits)}%`;
  return `${fixed(percent, percent === 0 || percent === 100 ? 0 : digits)}%`;
}

function formatPoints(estimate) {
  const half = halfOf(estimate);
  let digits = half >= 0.5 && Math.abs(estimate.value) >= 10 ? 0 : 1;
  if (Number.isNaN(half) && Number.isInteger(estimate.value)) digits = 0;
  return fixed(estimate.value, digits);
}

function formatHalf(estimate) {
  const half = halfOf(estimate);
  if (Number.isNaN(half) || half === 0) return "";
  if (!Number.isFinite(half)) return "?";
  return half >= 9.5 ? fixed(half) : fixed(Math.max(half, 0.1), 1);
}

const formatGap = (estimate) =>
  fixed(Math.abs(estimate.value), 1) + (formatHalf(estimate) && ` ±${formatHalf(estimate)}`);

function formatBound({ value, low, high }) {
  const isRare = value <= 0.5,
    bound = 100 * (isRare ? high : low),
    rest = Math.min(bound, 100 - bound);
  const digits = rest >= 10 ? 0 : rest >= 1 ? 1 : 2,
    scale = 10 ** digits;
  const rounded = isRare ? Math.ceil(bound * scale - 1e-9) : Math.floor(bound * scale + 1e-9);
  return `${isRare ? "<" : ">"}${fixed(rounded / scale, digits)}%`;
}

// Returns a number of the table with its interval: `67.1% ±0.1`, `142.3 ±0.2`, `<0.04%` (`format_symmetric`).
function formatCell(estimate, isShare) {
  const { value, low, high } = estimate,
    [scale, sign] = isShare ? [100, "%"] : [1, ""];
  const half = Math.max(value - low, high - value);
  if (!(half > 0 && half < Infinity)) {
    const isWhole = !isShare && Number.isInteger(value);
    const missing = { 0: isWhole ? "" : " ±0.0", Infinity: " ±?" }[half] ?? "";
    return fixed(value * scale, isWhole ? 0 : 1) + sign + missing;
  }
  if (isShare && low >= 0 && high <= 1 && half > Math.min(value, 1 - value)) return formatBound(estimate);
  const bounds = [value - half, value + half].map((bound) => bound * scale),
    isWhole = !isShare && [value, ...bounds].every(Number.isInteger);
  const needed = Math.max(1, Math.ceil(-Math.log10(bounds[1] - bounds[0])));
  const digits = half * scale >= 10 || isWhole ? 0 : Math.min(2, needed);
  return `${fixed(value * scale, digits)}${sign} ±${fixed(Math.max(half * scale, 10 ** -digits), digits)}`;
}

// The filters of the sentences (`output/sentences.py`).  Points of KQJ are never so few that they have hundredths.
const FILTERS = {
  abs: Math.abs,
  brief_share: (estimate) => formatCell(estimate, true).replace(" ±?", ""),
  capital: (text) => translate(text).replace(/^./, (letter) => letter.toUpperCase()),
  card: formatCard,
  chance: formatChance,
  gap: formatGap,
  half: formatHalf,
  join: (list, between) => list.join(between),
  length: (list) => list.length,
  listed: (words, last) => {
    const texts = words.map(translate);
    return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} ${last} ${texts.at(-1)}`;
  },
  mean: (estimate) => formatPoints(estimate) + (formatHalf(estimate) && ` (±${formatHalf(estimate)})`),
  percent: (share) =>
    typeof share === "number" ? 100 * share : FILTERS.scaled(share, 100),
  names: (things) => things.map(({ name }) => name),
  rest: ({ value, low, high }, total) => ({ value: total - value, low: total - high, high: total - low }),
  rounded: formatPoints,
  scaled: ({ value, low, high }, by) => ({ value: by * value, low: by * low, high: by * high }),
  sign: (card) => SIGNS[card[1]],
  size: (estimate) => (estimate.value >= 0 ? estimate : FILTERS.rest(estimate, 0)),
  tenths: (number) => fixed(number, 1),
  whole: (number) => fixed(number),
};

const say = (name, ...values) => SENTENCES[name](...values).replace(/[ \n]+/g, " ").trim();

// Returns the decision in sentences, as `write_headline` of `questions/odds/screen.py`.
function writeHeadline(odds) {
  const of = {
    kind: odds.kind,
    options: odds.options,
    is_exact: odds.isExact,
    uses_plays: odds.usesPlays,
    rules: { team_count: odds.rules.teams, score_sign: 1 },
    measures: { game: odds.rules.scores && { own_scores: odds.rules.scores } },
    effective_sample_size: odds.moments.effective,
    stop_text: odds.endedEarly && `${explainRareCalls(odds)}.`,
    estimate: (...asked) => odds.estimate(...asked),
  };
  const rank = (number, lead) => ({
    number,
    lead,
    name: nameInEnglish(odds.texts[number], odds.kind),
    is_tied: lead.value <= 0 || lead.low <= 0,
  });
  const listOptions = (measure) =>
    odds.ranking.map((option) => rank(option, odds.estimate(measure, odds.ranking[0], option)));
  const options = listOptions("value"),
    [best, ...others] = options,
    [rival, ...ties] = sortOut(others),
    lines = [];
  if (odds.rules.scores) {
    const [, ...byGame] = listOptions(GAME_MEASURE);
    lines.push(say("game_decision", of, best, byGame, ...sortOut(byGame)), say("points_decision", of, best, rival));
  } else lines.push(say("decision", of, best, others, rival, ...ties));
  if (odds.kind === "card" && others.length) {
    const [card, other] = [best, others[0]].map(({ number }) => odds.texts[number]),
      { reasons, points } = odds.play.compare(card, other);
    const reason = reasons.map((name) => say("reason", name, card, other, points)).join(` ${TEXTS.and} `);
    lines.push(say("card_reason", best, others[0], reason));
  } else if (others.length) {
    const passing = options.find(({ name }) => name === "pass");
    if (passing) lines.push(say("against_pass", of, best, passing === best ? others[0] : passing));
    if (!odds.rules.scores) lines.push(explainBest(odds, of, best, rank));
  }
  lines.push(say("high_trumps", listHighTrumps(odds, best)));
  const errors = odds.questions.filter((_, at) => odds.errors[odds.engine.constants.ERROR_SIZE * at] > 0.5);
  lines.push(say("errors", errors.map(describeError), "call"), say("errors", listCardErrors(odds), "card"), say("ended_early", of), say("hint", of, false));
  return lines.filter(Boolean);
}

// Returns the option that is better than the best one in these deals, if any is, those that are tied with it, and
// whether these are equal in each deal (`_sort_out`).
function sortOut(others) {
  const tied = others.filter((other) => other.is_tied),
    better = others.filter(({ lead }) => lead.value < 0 && !(lead.high >= 0)),
    [rival] = better.sort((a, b) => a.lead.value - b.lead.value);
  return [rival, tied, tied.every(({ lead }) => lead.value === 0 && Number.isNaN(lead.low))];
}

// Returns a line if the opponents' counters, or their waiting, decide which call is the best.
function explainBest(odds, of, best, rank) {
  const option = odds.uncounteredBest ?? best.number,
    lead = option !== best.number && odds.estimate("value_if_not_countered", option, best.number);
  if (lead && lead.value > 0) return say("counters", of, best, rank(option, lead));
  return odds.isFirstTaking && odds.rules.teams === 2 && best.name === "pass" ? say("waiting") : "";
}

const HIGH_TRUMPS = "987"; // The highest first.

// Returns the highest hidden trumps of the contract, or of the best call (`_list_high_trumps`).
function listHighTrumps(odds, best) {
  const trump = odds.play ? CONTRACTS[odds.play.calls.contract.contract] : odds.options[best.number].contract;
  if (!SUITS.includes(trump ?? "NT")) return [];
  const numbers = new Map(odds.holdings.map(({ text }, at) => [text, at])),
    [partners, opponents] = [odds.groups.length - 2, odds.groups.length - 1];
  return [...HIGH_TRUMPS]
    .map((rank) => rank + trump)
    .filter((card) => numbers.has(card))
    .slice(0, 2)
    .map((card) => [
      formatCard(card),
      odds.estimateHolding(partners, numbers.get(card)),
      odds.estimateHolding(opponents, numbers.get(card)),
    ]);
}

// Returns the cards that were errors more likely than not: `the 2nd's K♠ in trick 1`.
function listCardErrors({ cardErrors, moments, play }) {
  const isLikely = cardErrors.map((weight) => weight > moments.weights / 2);
  return [...isLikely.keys()]
    .filter((at) => isLikely[at])
    .map((at) => tell`the ${TEXTS.places[play.holders[at]]}'s ${formatCard(play.plays[at])} in trick ${Math.floor(at / 6) + 1}`);
}

// Returns a call and who made it: `the opener's pass` (`_describe_call` of `questions/odds/screen.py`).
const describeError = ([place, kind, , , code]) =>
  kind >= COUNTER && !code
    ? tell`the ${TEXTS.places[place]}'s missing ${describeCall({ kind }).text}`
    : tell`the ${TEXTS.places[place]}'s ${addSigns(describeCall({ kind, code }).text)}`;

// Returns a line that names the least plausible call (`positions/search.py`).
function explainRareCalls({ asked, questions }) {
  const isRefused = (at) => asked[2 * at + 1] === 0 && asked[2 * at] >= MIN_REFUSALS;
  const share = (at) => (asked[2 * at + 1] + 1) / (asked[2 * at] + 1) - isRefused(at);
  const rarest = questions.map((_, at) => at).reduce((a, b) => (share(b) < share(a) ? b : a));
  const [place, kind, , , code] = questions[rarest],
    agreed = asked[2 * rarest + 1];
  const text =
    kind >= COUNTER && !code ? `no ${describeCall({ kind }).text}` : describeCall({ kind, code }).text;
  const name = addSigns(text),
    calls = /^\d/.test(text) ? tell`bids ${name}` : tell`calls '${name}'`;
  return tell`the assumed player ${calls} as the ${TEXTS.speakers[place]} with ${agreed ? fixed(agreed) : tell`none`} of ${fixed(asked[2 * rarest])} hands`;
}
