const LANES = 256;
const CHUNK = 1024;
const DEALS = 10000;
const EARLY_DRAWS = 1024;
const MIN_EFFECTIVE_DEALS = 100;
const CHOOSING = 288230376151711744;
const PILOT = 576460752303423488;
const PILOT_DEALS = 1024;
const MAX_LAYOUTS = 20000;
const MAX_HANDS = {"call": 67108864, "card": 33554432};
const DEALS_PER_SEARCH = 1024;
const FIRST_SEARCH = 16;
const MAX_ERROR_LEVEL = 3;
const BIDS = {"2": [120, 600], "3": [80, 600]};
const MIN_REFUSALS = 64;
// Truth and sums as Python has them.
const isTrue = (value) => (Array.isArray(value) ? value.length > 0 : Boolean(value));
const add = (a, b) => (Array.isArray(a) ? [...a, ...b] : a + b);
const SENTENCES = {
  decision(of, best, others, rival, tied, are_equal) {
    let text = "", named, further, rest;
    text += " ";
    if (!(isTrue(others))) {
    text += " " + fill("Only {0} is legal.", best.name) + " ";
    } else if (isTrue(rival)) {
    text += " " + fill("{0} or {1}: undecided. The deals that chose prefer the first, those shown the second by {2}; more deals decide.", SENTENCES.order(of, best.name), rival.name, FILTERS.gap(rival.lead, of.max_points)) + " ";
    } else if (isTrue(tied)) {
    text += " ";
    named = ((FILTERS.length(tied) > 3) ? tied.slice(0, 2) : tied);
    text += " ";
    further = (FILTERS.length(tied) - FILTERS.length(named));
    text += " ";
    rest = (isTrue(further) ? [(fill("{0} other {1}s", further, of.kind))] : []);
    text += " " + fill("{0}:", FILTERS.listed(add(add([SENTENCES.order(of, best.name)], FILTERS.names(named)), rest), fill("or"))) + " ";
    if (isTrue(are_equal)) {
    text += fill("equally good");
    } else {
    text += fill("statistically tied");
    if ((FILTERS.length(tied) === 1)) {
    text += " " + fill("(difference {0})", FILTERS.gap(tied[0].lead, of.max_points));
    }
    }
    text += fill(". {0}: {1}.", SENTENCES.order(of, best.name), SENTENCES.worth(of, best)) + " ";
    } else {
    text += " " + fill("{0}: {1}. {2} is worth {3} less.", SENTENCES.order(of, best.name), SENTENCES.worth(of, best), FILTERS.capital(SENTENCES.subject(of, others[0].name)), FILTERS.rounded(others[0].lead, of.max_points)) + " ";
    }
    text += " ";
    return text;
  },
  game_decision(of, best, others, rival, tied, are_equal) {
    let text = "", chance, wins;
    text += " ";
    chance = FILTERS.brief_share(of.estimate("game_share", best.number));
    text += " ";
    wins = (fill("at {0} you win {1} of the games", FILTERS.join(of.measures.game.own_scores, ":"), chance));
    text += " ";
    if (!(isTrue(others))) {
    text += " " + fill("Only {0} is legal: {1}.", best.name, wins) + " ";
    } else if (isTrue(rival)) {
    text += " " + fill("{0} or {1}: undecided; {2} with the first.", SENTENCES.order(of, best.name), rival.name, wins) + " ";
    } else if (isTrue(tied)) {
    text += " " + fill("{0} or {1}: {2}. {3}: {4}.", SENTENCES.order(of, best.name), FILTERS.listed(FILTERS.names(tied), fill("or")), (isTrue(are_equal) ? fill("equally good") : fill("statistically tied")), SENTENCES.order(of, best.name), wins) + " ";
    } else {
    text += " " + fill("{0}: {1}. {2} wins {3} fewer games in 100.", SENTENCES.order(of, best.name), wins, FILTERS.capital(SENTENCES.subject(of, others[0].name)), FILTERS.gap(FILTERS.percent(others[0].lead), of.max_points)) + " ";
    }
    text += " ";
    return text;
  },
  points_decision(of, best, rival) {
    let text = "";
    text += " ";
    if (isTrue(rival)) {
    text += " " + fill("In points {0} is better than {1}, by {2}.", SENTENCES.subject(of, rival.name), SENTENCES.subject(of, best.name), FILTERS.gap(rival.lead, of.max_points)) + " ";
    }
    text += " ";
    return text;
  },
  against_pass(of, best, other) {
    let text = "", passing, called, own, is_own, share, playing, made, value;
    text += " ";
    if (!(isTrue(other.is_tied))) {
    text += " ";
    passing = ((best.name === "pass") ? best : other).number;
    text += " ";
    called = (1 - of.estimate("passed_share", passing).value);
    text += " ";
    own = of.estimate("own_contract_share", passing);
    text += " ";
    is_own = (own.value >= (called - own.value));
    text += " ";
    share = FILTERS.chance((isTrue(is_own) ? own : FILTERS.rest(own, called)));
    text += " ";
    playing = (fill("{0} in {1} of the rounds", (isTrue(is_own) ? fill("your side plays") : fill("the opponents play")), share));
    text += " ";
    if ((best.name === "pass")) {
    text += " ";
    made = of.estimate("own_made_share", other.number);
    text += " " + fill("{0} {1} {2} {3} of the rounds. After a pass {4}.", FILTERS.capital(SENTENCES.subject(of, other.name)), ((of.rules.score_sign < 0) ? fill("wins") : fill("leads to a contract made in")), ((made.value < 0.5) ? fill("only") : ""), FILTERS.chance(made), playing) + " ";
    } else {
    text += " ";
    value = of.estimate("value", passing);
    text += " ";
    if ((of.estimate("value", best.number).high < 0)) {
    text += fill("You lose on average, but a pass costs more: then");
    } else {
    text += fill("After a pass");
    }
    text += " " + fill("{0}, and you {1} {2}.", playing, ((value.value >= 0) ? fill("still") : ""), SENTENCES.result(of, value)) + " ";
    }
    text += " ";
    }
    text += " ";
    return text;
  },
  counters(of, best, rival) {
    let text = "", countered, own, theirs, what;
    text += " ";
    countered = FILTERS.chance(of.estimate("own_countered_share", best.number));
    text += " ";
    own = FILTERS.mean(of.estimate("value_if_not_countered", best.number), of.max_points);
    text += " ";
    theirs = FILTERS.mean(of.estimate("value_if_not_countered", rival.number), of.max_points);
    text += "  ";
    what = (isTrue(of.options[best.number].contract) ? fill("it") : fill("your side"));
    text += " ";
    if ((rival.lead.low > 0)) {
    text += " " + fill("Best only because the assumed opponents counter {0} (in {1} of the rounds): if nobody counters, {2} is worth {3} and {4} {5}.", what, countered, best.name, own, SENTENCES.subject(of, rival.name), theirs) + " ";
    } else {
    text += " " + fill("The assumed opponents counter {0} in {1} of the rounds: if nobody counters, {2} is worth {3}, statistically tied with {4} (difference {5}).", what, countered, best.name, own, SENTENCES.subject(of, rival.name), FILTERS.gap(rival.lead, of.max_points)) + " ";
    }
    text += " ";
    return text;
  },
  card_reason(best, other, reason) {
    let text = "";
    text += " ";
    if ((isTrue(reason) && !(isTrue(other.is_tied)))) {
    text += translate(best.name) + " " + translate(reason) + ".";
    }
    text += " ";
    return text;
  },
  reason(name, card, other, points) {
    let text = "";
    text += " ";
    if ((name === "wins_trick")) {
    text += fill("wins the trick") + " ";
    } else if ((name === "is_ahead")) {
    text += fill("beats the cards played so far") + " ";
    } else if ((name === "leaves_trick")) {
    text += fill("leaves the trick") + " ";
    } else if ((name === "leaves_trick_to_partner")) {
    text += fill("leaves the trick to a partner") + " ";
    } else if ((name === "gives_more")) {
    text += fill("gives {0} points more to a partner's trick", points) + " ";
    } else if ((name === "gives_less")) {
    text += fill("gives {0} points less to the opponents' trick", FILTERS.abs(points)) + " ";
    } else if ((name === "cannot_be_beaten")) {
    text += fill("cannot be beaten") + " ";
    } else if ((name === "is_highest")) {
    text += fill("is the highest {0} left", FILTERS.sign(card)) + " ";
    } else if ((name === "draws_trumps")) {
    text += fill("draws trumps") + " ";
    } else if ((name === "begins_kq")) {
    text += fill("is the first card of KQ") + " ";
    } else if ((name === "keeps_queen")) {
    text += fill("keeps {0} for KQ", FILTERS.card(other)) + " ";
    } else if ((name === "keeps_trump")) {
    text += fill("keeps the trump {0}", FILTERS.card(other)) + " ";
    } else if ((name === "keeps_highest")) {
    text += fill("keeps {0}, the highest {1} left", FILTERS.card(other), FILTERS.sign(other)) + " ";
    } else if ((name === "keeps_highest_trump")) {
    text += " " + fill("keeps the trump {0}, the highest {1} left", FILTERS.card(other), FILTERS.sign(other)) + " ";
    } else if ((name === "empties_suit")) {
    text += fill("is the last {0} of the hand", FILTERS.sign(card)) + " ";
    }
    text += " ";
    return text;
  },
  ended_early(of) {
    let text = "";
    text += " ";
    if (isTrue(of.stop_text)) {
    text += fill("Ended early: {0}", of.stop_text);
    }
    text += " ";
    return text;
  },
  errors(choices, kind) {
    let text = "", named, further, rest;
    text += " ";
    if (isTrue(choices)) {
    text += " ";
    named = ((FILTERS.length(choices) > 3) ? choices.slice(0, 2) : choices);
    text += " ";
    further = (FILTERS.length(choices) - FILTERS.length(named));
    text += " ";
    rest = (isTrue(further) ? [(fill("{0} other {1}s", further, kind))] : []);
    text += " " + translate(FILTERS.capital(FILTERS.listed(add(named, rest), fill("and")))) + " " + translate(((FILTERS.length(choices) === 1) ? fill("counts as an error") : fill("count as errors")));
    if ((kind === "call")) {
    text += translate(((FILTERS.length(choices) === 1) ? fill(": the assumed player would hardly ever call like this") : fill(": the assumed players would hardly ever call like this")));
    }
    text += ". ";
    }
    text += " ";
    return text;
  },
  high_trumps(trumps) {
    let text = "";
    text += " ";
    if (isTrue(trumps)) {
    text += " " + fill("{0} is with a partner in {1}, with an opponent in {2}", trumps[0][0], FILTERS.chance(trumps[0][1]), FILTERS.chance(trumps[0][2]));
    if ((FILTERS.length(trumps) > 1)) {
    text += fill("; {0} with a partner in {1}, with an opponent in {2}", trumps[1][0], FILTERS.chance(trumps[1][1]), FILTERS.chance(trumps[1][2]));
    }
    if ((add(trumps[0][1].value, trumps[0][2].value) < 0.99)) {
    text += fill("; else undealt");
    }
    text += ". ";
    }
    text += " ";
    return text;
  },
  hint(of, advises) {
    let text = "";
    text += " ";
    if ((!(isTrue(of.is_exact)) && (of.effective_sample_size < 100))) {
    text += " " + fill("Only a hint: the effective sample is {0} deals, since the assumed players rarely {1} like this.", FILTERS.whole(of.effective_sample_size), (isTrue(of.uses_plays) ? fill("call and play") : fill("call"))) + " ";
    if (isTrue(advises)) {
    text += " " + fill("Try more `deals`, another `policy`");
    if (isTrue(of.uses_plays)) {
    text += fill(", `ignore_plays`");
    }
    text += " " + fill("or `ignore_calls`.") + " ";
    }
    text += " ";
    }
    text += " ";
    return text;
  },
  waiting() {
    let text = "";
    text += " " + fill("The assumed players wait for a good hand: who takes at once with any hand wins 4.6 ±0.3 points a round from them.") + " ";
    return text;
  },
  left_out(of, rest, least) {
    let text = "";
    text += " ";
    if (isTrue(of.measures.game)) {
    text += " " + fill("{0} more {1}s win at least {2} games in 100 less", rest, of.kind, FILTERS.tenths(FILTERS.percent(least)));
    } else {
    text += " " + fill("{0} more {1}s are at least {2} points worse", rest, of.kind, FILTERS.whole(least));
    }
    return text;
  },
  order(of, name) {
    let text = "";
    if ((of.kind === "card")) {
    text += fill("Play {0}", name);
    } else if ("0123456789".includes(name[0])) {
    text += fill("Bid {0}", name);
    } else if ((name.slice(0, 3) === "no ")) {
    text += fill("Do not {0}", name.slice(3));
    } else {
    text += translate(FILTERS.capital(name));
    }
    return text;
  },
  subject(of, name) {
    let text = "";
    if (((of.kind === "card") || "0123456789".includes(name[0]))) {
    text += translate(name);
    } else if ((name.slice(0, 5) === "take ")) {
    text += fill("taking {0}", name.slice(5));
    } else if ((name.slice(0, 3) === "no ")) {
    text += fill("not {0}ing", name.slice(3));
    } else {
    text += fill("{0}ing", name);
    }
    return text;
  },
  worth(of, option) {
    let text = "", value, half;
    text += " ";
    value = of.estimate("value", option.number);
    text += " ";
    half = FILTERS.half(value, of.max_points);
    text += " " + fill("you win {0} of the rounds and {1} on average", FILTERS.chance(of.estimate("win_share", option.number)), SENTENCES.result(of, value));
    if (isTrue(half)) {
    text += " (±" + translate(half) + ")";
    }
    return text;
  },
  result(of, value) {
    let text = "", gains, points, several, others;
    text += " ";
    gains = (value.value >= 0);
    text += " ";
    points = FILTERS.rounded(FILTERS.size(value), of.max_points);
    text += " ";
    several = (of.rules.team_count > 2);
    text += " ";
    others = (isTrue(several) ? fill("each of the other teams") : fill("the opponents"));
    text += " ";
    if ((of.rules.score_sign < 0)) {
    text += fill("{0} {1} points {2} {3}", (isTrue(gains) ? fill("gain") : fill("lose")), points, (isTrue(gains) ? fill("on") : fill("to")), others);
    } else if (isTrue(gains)) {
    text += fill("outscore {0} by {1}", others, points);
    } else {
    text += fill("lose {0} by {1}", (isTrue(several) ? (fill("to {0}", others)) : ""), points);
    }
    return text;
  },
};
