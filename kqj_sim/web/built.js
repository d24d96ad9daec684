const LANES = 256;
const DEALS = 10000;
const CHOOSING = 288230376151711744;
const PILOT = 576460752303423488;
const PILOT_DEALS = 1024;
const MAX_LAYOUTS = 20000;
const MAX_HANDS = {"call": 67108864, "card": 33554432};
const DEALS_PER_SEARCH = 1024;
const BIDS = {"2": [120, 600], "3": [80, 600]};
const MIN_REFUSALS = 64;
// Truth, sums and text as Python has them; a value that is missing is an error.
const isTrue = (value) => (Array.isArray(value) ? value.length > 0 : Boolean(value));
const add = (a, b) => (Array.isArray(a) ? [...a, ...b] : a + b);
function show(value) {
  if (value === undefined || value === null) throw new Error("a sentence lacks a value");
  return String(value);
}
const SENTENCES = {
  decision(of, best, others, rival, tied, are_equal) {
    let text = "", named, further, rest;
    text += " ";
    if (!(isTrue(others))) {
    text += " Only " + show(best.name) + " is legal. ";
    } else if (isTrue(rival)) {
    text += " " + show(SENTENCES.order(of, best.name)) + " or " + show(rival.name) + ": undecided. The deals that chose prefer the first, those shown the second by " + show(FILTERS.gap(rival.lead, of.max_points)) + "; more deals decide. ";
    } else if (isTrue(tied)) {
    text += " ";
    named = ((FILTERS.length(tied) > 3) ? tied.slice(0, 2) : tied);
    text += " ";
    further = (FILTERS.length(tied) - FILTERS.length(named));
    text += " ";
    rest = (isTrue(further) ? [(show(further) + show(" other ") + show(of.kind) + show("s"))] : []);
    text += " " + show(FILTERS.listed(add(add([SENTENCES.order(of, best.name)], FILTERS.names(named)), rest), "or")) + ": ";
    if (isTrue(are_equal)) {
    text += "equally good";
    } else {
    text += "statistically tied";
    if ((FILTERS.length(tied) === 1)) {
    text += " (difference " + show(FILTERS.gap(tied[0].lead, of.max_points)) + ")";
    }
    }
    text += ". " + show(SENTENCES.order(of, best.name)) + ": " + show(SENTENCES.worth(of, best)) + ". ";
    } else {
    text += " " + show(SENTENCES.order(of, best.name)) + ": " + show(SENTENCES.worth(of, best)) + ". " + show(FILTERS.capital(SENTENCES.subject(of, others[0].name))) + " is worth " + show(FILTERS.rounded(others[0].lead, of.max_points)) + " less. ";
    }
    text += " ";
    return text;
  },
  game_decision(of, best, others, rival, tied, are_equal) {
    let text = "", chance, wins;
    text += " ";
    chance = FILTERS.brief_share(of.estimate("game_share", best.number));
    text += " ";
    wins = (show("at ") + show(FILTERS.join(of.measures.game.own_scores, ":")) + show(" you win ") + show(chance) + show(" of the games"));
    text += " ";
    if (!(isTrue(others))) {
    text += " Only " + show(best.name) + " is legal: " + show(wins) + ". ";
    } else if (isTrue(rival)) {
    text += " " + show(SENTENCES.order(of, best.name)) + " or " + show(rival.name) + ": undecided; " + show(wins) + " with the first. ";
    } else if (isTrue(tied)) {
    text += " " + show(SENTENCES.order(of, best.name)) + " or " + show(FILTERS.listed(FILTERS.names(tied), "or")) + ": " + show((isTrue(are_equal) ? "equally good" : "statistically tied")) + ". " + show(SENTENCES.order(of, best.name)) + ": " + show(wins) + ". ";
    } else {
    text += " " + show(SENTENCES.order(of, best.name)) + ": " + show(wins) + ". " + show(FILTERS.capital(SENTENCES.subject(of, others[0].name))) + " wins " + show(FILTERS.gap(FILTERS.percent(others[0].lead), of.max_points)) + " fewer games in 100. ";
    }
    text += " ";
    return text;
  },
  points_decision(of, best, rival) {
    let text = "";
    text += " ";
    if (isTrue(rival)) {
    text += " In points " + show(SENTENCES.subject(of, rival.name)) + " is better than " + show(SENTENCES.subject(of, best.name)) + ", by " + show(FILTERS.gap(rival.lead, of.max_points)) + ". ";
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
    playing = (show((isTrue(is_own) ? "your side plays" : "the opponents play")) + show(" in ") + show(share) + show(" of the rounds"));
    text += " ";
    if ((best.name === "pass")) {
    text += " ";
    made = of.estimate("own_made_share", other.number);
    text += " " + show(FILTERS.capital(SENTENCES.subject(of, other.name))) + " " + show(((of.rules.score_sign < 0) ? "wins" : "leads to a contract made in")) + " " + show(((made.value < 0.5) ? "only" : "")) + " " + show(FILTERS.chance(made)) + " of the rounds. After a pass " + show(playing) + ". ";
    } else {
    text += " ";
    value = of.estimate("value", passing);
    text += " ";
    if ((of.estimate("value", best.number).high < 0)) {
    text += "You lose on average, but a pass costs more: then";
    } else {
    text += "After a pass";
    }
    text += " " + show(playing) + ", and you " + show(((value.value >= 0) ? "still" : "")) + " " + show(SENTENCES.result(of, value)) + ". ";
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
    text += " " + " ";
    what = (isTrue(of.options[best.number].contract) ? "it" : "your side");
    text += " ";
    if ((rival.lead.low > 0)) {
    text += " Best only because the assumed opponents counter " + show(what) + " (in " + show(countered) + " of the rounds): if nobody counters, " + show(best.name) + " is worth " + show(own) + " and " + show(SENTENCES.subject(of, rival.name)) + " " + show(theirs) + ". ";
    } else {
    text += " The assumed opponents counter " + show(what) + " in " + show(countered) + " of the rounds: if nobody counters, " + show(best.name) + " is worth " + show(own) + ", statistically tied with " + show(SENTENCES.subject(of, rival.name)) + " (difference " + show(FILTERS.gap(rival.lead, of.max_points)) + "). ";
    }
    text += " ";
    return text;
  },
  card_reason(best, other, reason) {
    let text = "";
    text += " ";
    if ((isTrue(reason) && !(isTrue(other.is_tied)))) {
    text += show(best.name) + " " + show(reason) + ".";
    }
    text += " ";
    return text;
  },
  reason(name, card, other, points) {
    let text = "";
    text += " ";
    if ((name === "wins_trick")) {
    text += "wins the trick ";
    } else if ((name === "is_ahead")) {
    text += "beats the cards played so far ";
    } else if ((name === "leaves_trick")) {
    text += "leaves the trick ";
    } else if ((name === "leaves_trick_to_partner")) {
    text += "leaves the trick to a partner ";
    } else if ((name === "gives_more")) {
    text += "gives " + show(points) + " points more to a partner's trick ";
    } else if ((name === "gives_less")) {
    text += "gives " + show(FILTERS.abs(points)) + " points less to the opponents' trick ";
    } else if ((name === "cannot_be_beaten")) {
    text += "cannot be beaten ";
    } else if ((name === "is_highest")) {
    text += "is the highest " + show(FILTERS.sign(card)) + " left ";
    } else if ((name === "draws_trumps")) {
    text += "draws trumps ";
    } else if ((name === "begins_kq")) {
    text += "is the first card of KQ ";
    } else if ((name === "keeps_queen")) {
    text += "keeps " + show(FILTERS.card(other)) + " for KQ ";
    } else if ((name === "keeps_trump")) {
    text += "keeps the trump " + show(FILTERS.card(other)) + " ";
    } else if ((name === "keeps_highest")) {
    text += "keeps " + show(FILTERS.card(other)) + ", the highest " + show(FILTERS.sign(other)) + " left ";
    } else if ((name === "keeps_highest_trump")) {
    text += " keeps the trump " + show(FILTERS.card(other)) + ", the highest " + show(FILTERS.sign(other)) + " left ";
    } else if ((name === "empties_suit")) {
    text += "is the last " + show(FILTERS.sign(card)) + " of the hand ";
    }
    text += " ";
    return text;
  },
  ended_early(of) {
    let text = "";
    text += " ";
    if (isTrue(of.stop_text)) {
    text += "Ended early: " + show(of.stop_text);
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
    rest = (isTrue(further) ? [(show(further) + show(" other ") + show(kind) + show("s"))] : []);
    text += " " + show(FILTERS.capital(FILTERS.listed(add(named, rest), "and"))) + " " + show(((FILTERS.length(choices) === 1) ? "counts as an error" : "count as errors"));
    if ((kind === "call")) {
    text += ": the assumed player" + show(((FILTERS.length(choices) > 1) ? "s" : "")) + " would hardly ever call like this";
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
    text += " " + show(trumps[0][0]) + " is with a partner in " + show(FILTERS.chance(trumps[0][1])) + ", with an opponent in " + show(FILTERS.chance(trumps[0][2]));
    if ((FILTERS.length(trumps) > 1)) {
    text += "; " + show(trumps[1][0]) + " with a partner in " + show(FILTERS.chance(trumps[1][1])) + ", with an opponent in " + show(FILTERS.chance(trumps[1][2]));
    }
    if ((add(trumps[0][1].value, trumps[0][2].value) < 0.99)) {
    text += "; else undealt";
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
    text += " Only a hint: the effective sample is " + show(FILTERS.whole(of.effective_sample_size)) + " deals, since the assumed players rarely " + show((isTrue(of.uses_plays) ? "call and play" : "call")) + " like this. ";
    if (isTrue(advises)) {
    text += " Try more `deals`, another `policy`";
    if (isTrue(of.uses_plays)) {
    text += ", `ignore_plays`";
    }
    text += " or `ignore_calls`. ";
    }
    text += " ";
    }
    text += " ";
    return text;
  },
  waiting() {
    let text = "";
    text += " The assumed players wait for a good hand: who takes at once with any hand wins 4.6 ±0.3 points a round from them. ";
    return text;
  },
  left_out(of, rest, least) {
    let text = "";
    text += " ";
    if (isTrue(of.measures.game)) {
    text += " " + show(rest) + " more " + show(of.kind) + "s win at least " + show(FILTERS.tenths(FILTERS.percent(least))) + " games in 100 less";
    } else {
    text += " " + show(rest) + " more " + show(of.kind) + "s are at least " + show(FILTERS.whole(least)) + " points worse";
    }
    return text;
  },
  order(of, name) {
    let text = "";
    if ((of.kind === "card")) {
    text += "Play " + show(name);
    } else if ("0123456789".includes(name[0])) {
    text += "Bid " + show(name);
    } else if ((name.slice(0, 3) === "no ")) {
    text += "Do not " + show(name.slice(3));
    } else {
    text += show(FILTERS.capital(name));
    }
    return text;
  },
  subject(of, name) {
    let text = "";
    if (((of.kind === "card") || "0123456789".includes(name[0]))) {
    text += show(name);
    } else if ((name.slice(0, 5) === "take ")) {
    text += "taking " + show(name.slice(5));
    } else if ((name.slice(0, 3) === "no ")) {
    text += "not " + show(name.slice(3)) + "ing";
    } else {
    text += show(name) + "ing";
    }
    return text;
  },
  worth(of, option) {
    let text = "", value, half;
    text += " ";
    value = of.estimate("value", option.number);
    text += " ";
    half = FILTERS.half(value, of.max_points);
    text += " you win " + show(FILTERS.chance(of.estimate("win_share", option.number))) + " of the rounds and " + show(SENTENCES.result(of, value)) + " on average";
    if (isTrue(half)) {
    text += " (±" + show(half) + ")";
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
    others = (isTrue(several) ? "each of the other teams" : "the opponents");
    text += " ";
    if ((of.rules.score_sign < 0)) {
    text += show((isTrue(gains) ? "gain" : "lose")) + " " + show(points) + " points " + show((isTrue(gains) ? "on" : "to")) + " " + show(others);
    } else if (isTrue(gains)) {
    text += "outscore " + show(others) + " by " + show(points);
    } else {
    text += "lose " + show((isTrue(several) ? (show("to ") + show(others)) : "")) + " by " + show(points);
    }
    return text;
  },
};
