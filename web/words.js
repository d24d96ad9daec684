// Odds in words and digits, as `kqj-sim odds` writes them (`questions/odds/words.py`, `output/grid.py`).

const SIGNS = { s: "♠", h: "♥", d: "♦", c: "♣" };
const PLACES = ["opener", "2nd", "3rd", "4th", "5th", "dealer"];
const SPEAKERS = PLACES.map((name) => (/\d/.test(name) ? `${name} to speak` : name));

// Rounds as Python does: a half goes to the even digit, and zero has no sign.
function fixed(number, digits = 0) {
  let text = number.toFixed(digits);
  // `toFixed` rounds a half up; further digits are those of the number itself.
  const isTie = /^50*$/.test(number.toFixed(40).split(".")[1].slice(digits));
  if (isTie && "13579".includes(text.at(-1)))
    text = (number - 0.5 * 10 ** -digits * Math.sign(number)).toFixed(digits);
  if (Number(text) === 0) return text.replace("-", "");
  const [whole, ...rest] = text.split(".");
  return [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...rest].join(".");
}

function formatCard(card) {
  return card[0] + SIGNS[card[1]];
}

function addSigns(text) {
  return text
    .replace(/(^|[ \d])([shdc])(?= |$)/, (_, before, suit) => before + SIGNS[suit])
    .replace("capot", "Capot");
}

const SIMPLE = {
  pass: ["pass", "Pass", "Passing"],
  counter: ["counter", "Counter", "Countering"],
  "no counter": ["no counter", "Do not counter", "Not countering"],
  overcounter: ["overcounter", "Overcounter", "Overcountering"],
  "no overcounter": ["no overcounter", "Do not overcounter", "Not overcountering"],
};

// Returns the name, the imperative and the subject of a call or a card.
function describe(text, kind = "call") {
  if (kind === "card") return [formatCard(text), `Play ${formatCard(text)}`, formatCard(text)];
  if (SIMPLE[text]) return SIMPLE[text];
  const name = addSigns(text);
  return name.startsWith("take ")
    ? [name, `T${name.slice(1)}`, `Taking ${name.slice(5)}`]
    : [name, `Bid ${name}`, name];
}

const halfOf = (estimate) => (estimate.high - estimate.low) / 2;

function formatChance({ value, low, high }) {
  const percent = 100 * value,
    digits = !Number.isNaN(low) && 50 * (high - low) >= 0.95 ? 0 : 1;
  const step = 10 ** -digits,
    rounded = Number(fixed(percent, digits));
  if (percent < 100 && rounded === 100) return `more than ${fixed(100 - step, digits)}%`;
  if (percent > 0 && rounded === 0) return `less than ${fixed(step, digits)}%`;
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

const withHalf = (estimate) =>
  formatPoints(estimate) + (formatHalf(estimate) ? ` (±${formatHalf(estimate)})` : "");
const formatGap = (estimate) =>
  fixed(Math.abs(estimate.value), 1) + (formatHalf(estimate) ? ` ±${formatHalf(estimate)}` : "");
const absolute = (estimate) =>
  estimate.value >= 0 ? estimate : { value: -estimate.value, low: -estimate.high, high: -estimate.low };

function formatBound({ value, low, high }) {
  const isRare = value <= 0.5,
    bound = 100 * (isRare ? high : low),
    rest = Math.min(bound, 100 - bound);
  const digits = rest >= 10 ? 0 : rest >= 1 ? 1 : 2,
    scale = 10 ** digits;
  const rounded = isRare ? Math.ceil(bound * scale - 1e-9) : Math.floor(bound * scale + 1e-9);
  return `${isRare ? "<" : ">"}${fixed(rounded / scale, digits)}%`;
}

// Returns a number of the table with its interval: `67.1% ±0.1`, `142.3 ±0.2`, `<0.04%`.
function formatCell(estimate, isShare) {
  let { value, low, high } = estimate;
  if (isShare && !Number.isNaN(low)) {
    const half = Math.max(high - value, value - low);
    if (half > Math.min(value, 1 - value)) return formatBound(estimate);
    const digits = half > 0.0195 ? 0 : 1;
    return `${fixed(100 * value, digits)}% ±${fixed(Math.max(100 * half, 0.1), digits)}`;
  }
  if (isShare) [value, low, high] = [100 * value, NaN, NaN];
  const sign = isShare ? "%" : "";
  if (!Number.isFinite(low) || !Number.isFinite(high)) {
    return fixed(value, !sign && Number.isInteger(value) ? 0 : 1) + sign;
  }
  const half = halfOf(estimate);
  const whole = !sign && [value, low, high].every(Number.isInteger);
  if (whole && half === 0) return fixed(value);
  const digits = whole ? 0 : half <= 0 ? 1 : Math.min(5, Math.max(1, Math.ceil(-Math.log10(2 * half))));
  return `${fixed(value, digits)} ±${fixed(half, digits)}`;
}

const listed = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;

function writeResult(odds, points, gains) {
  const several = odds.teams > 2,
    others = several ? "the better of the other two teams" : "the opponents";
  return gains ? `outscore ${others} by ${points}` : `lose ${several ? `to ${others} ` : ""}by ${points}`;
}

function writeWorth(odds, option) {
  const value = odds.estimate("value", option),
    half = formatHalf(value);
  const chance = formatChance(odds.estimate("win_share", option));
  return `you win ${chance} of the rounds and ${writeResult(odds, formatPoints(absolute(value)), value.value >= 0)} on average${half ? ` (±${half})` : ""}`;
}

// Returns the decision in sentences.
function writeHeadline(odds) {
  const lines = [writeDecision(odds)];
  if (odds.kind === "call") lines.push(...explainCall(odds), ...explainCounters(odds));
  if (odds.endedEarly) lines.push(`Ended early: ${explainRareCalls(odds)}.`);
  if (!odds.isExact && odds.moments.effective < 100) {
    lines.push(
      `Only a hint: the effective sample is ${fixed(odds.moments.effective)} deals, since the assumed players rarely ${odds.usesPlays ? "call and play" : "call"} like this.`,
    );
  }
  return lines;
}

function writeDecision(odds) {
  const [first, ...others] = odds.ranking,
    best = describe(odds.texts[first], odds.kind);
  const name = (option) => describe(odds.texts[option], odds.kind)[0];
  if (!others.length) return `Only ${best[0]} is legal.`;
  const leads = new Map(others.map((other) => [other, odds.estimate("value", first, other)]));
  const better = others.filter((other) => leads.get(other).value < 0 && !(leads.get(other).high >= 0));
  if (better.length) {
    const rival = better.reduce((a, b) => (leads.get(b).value < leads.get(a).value ? b : a));
    return `${best[1]} or ${name(rival)}: undecided. The deals that chose prefer the first, those shown the second by ${formatGap(leads.get(rival))}; more deals decide.`;
  }
  const worth = writeWorth(odds, first);
  const tied = others.filter((other) => leads.get(other).value <= 0 || leads.get(other).low <= 0);
  if (!tied.length) {
    const next = describe(odds.texts[others[0]], odds.kind);
    return `${best[1]}: ${worth}. ${next[2]} is worth ${formatPoints(leads.get(others[0]))} less.`;
  }
  const shown = tied.length <= 3 ? tied : tied.slice(0, 2),
    further = tied.length - shown.length;
  const equal = tied.every((each) => leads.get(each).value === 0 && Number.isNaN(leads.get(each).low));
  const gap = tied.length === 1 && !equal ? ` (difference ${formatGap(leads.get(tied[0]))})` : "";
  const rest = further ? [`${further} other ${odds.kind}s`] : [];
  return `${listed([best[1], ...shown.map(name), ...rest])}: ${equal ? "equally good" : `statistically tied${gap}`}. ${best[1]}: ${worth}.`;
}

// Returns what makes the best call better than a pass, or a pass better than the next call.
function explainCall(odds) {
  const passing = odds.texts.indexOf("pass"),
    others = odds.ranking.filter((option) => option !== passing);
  if (passing < 0 || passing >= odds.count || !others.length) return [];
  const best = odds.ranking[0],
    other = best === passing ? others[0] : passing;
  const lead = odds.estimate("value", best, other);
  if (lead.value <= 0 || lead.low <= 0) return [];
  const own = odds.estimate("own_contract_share", passing),
    passed = odds.estimate("passed_share", passing).value;
  const isOwn = own.value >= 1 - own.value - passed;
  const share = isOwn
    ? own
    : { value: 1 - passed - own.value, low: 1 - passed - own.high, high: 1 - passed - own.low };
  const playing = `${isOwn ? "your side plays" : "the opponents play"} in ${formatChance(share)} of the rounds`;
  if (best === passing) {
    const made = odds.estimate("own_made_share", other);
    return [
      `${describe(odds.texts[other])[2]} leads to a contract made in ${made.value < 0.5 ? "only " : ""}${formatChance(made)} of the rounds. After a pass ${playing}.`,
    ];
  }
  const worth = odds.estimate("value", passing),
    gains = worth.value >= 0;
  const start =
    odds.estimate("value", best).high < 0
      ? "You lose on average, but a pass costs more: then"
      : "After a pass";
  return [
    `${start} ${playing}, and you ${gains ? "still " : ""}${writeResult(odds, formatPoints(absolute(worth)), gains)}.`,
  ];
}

// Returns a line if the best call is the best only because the opponents would counter it.
function explainCounters(odds) {
  const option = odds.uncounteredBest,
    best = odds.ranking[0],
    name = "value_if_not_countered";
  if (option === undefined || option === best) return [];
  const lead = odds.estimate(name, option, best);
  if (!(lead.value > 0)) return [];
  const [own, theirs] = [best, option].map((each) => withHalf(odds.estimate(name, each)));
  const what = odds.options[best].contract ? "it" : "your side",
    best_ = describe(odds.texts[best])[0];
  const subject = describe(odds.texts[option])[2],
    other = subject[0].toLowerCase() + subject.slice(1);
  const countered = formatChance(odds.estimate("own_countered_share", best));
  return [
    lead.low > 0
      ? `Best only because the assumed opponents counter ${what} (in ${countered} of the rounds): if nobody counters, ${best_} is worth ${own} and ${other} ${theirs}.`
      : `The assumed opponents counter ${what} in ${countered} of the rounds: if nobody counters, ${best_} is worth ${own}, statistically tied with ${other} (difference ${formatGap(lead)}).`,
  ];
}

// Returns a line that names the least plausible call (`positions/search.py`).
function explainRareCalls({ asked, questions }) {
  const share = (at) => (asked[2 * at + 1] + 1) / (asked[2 * at] + 1);
  const rarest = questions.map((_, at) => at).reduce((a, b) => (share(b) < share(a) ? b : a));
  const [place, kind, , , code] = questions[rarest],
    agreed = asked[2 * rarest + 1];
  const text =
    kind >= COUNTER && !code ? `no ${describeCall({ kind }).text}` : describeCall({ kind, code }).text;
  const call = /^\d/.test(text) ? `bid of ${addSigns(text)}` : `call '${addSigns(text)}'`;
  return `the ${call} of the ${SPEAKERS[place]} occurs in ${agreed ? fixed(agreed) : "none"} of ${fixed(asked[2 * rarest])} hands of the assumed player`;
}
