// What the page says in English, but for the sentences of `kqj-sim odds` (`built.js`).  In the page's HTML `data-text`
// and `data-label` name texts.

const TEXTS = {
  title: "KQJ: what should I call?",
  answer: "Answer",
  rules: "Rules",
  teams: "Teams",
  two_teams: "Two teams",
  three_teams: "Three teams",
  bidding: "Bidding",
  taking: "Taking",
  auctions: "Auctions",
  error_rates: "How often others err",
  no_errors: "Nobody errs",
  few_errors: "Errors: 3%",
  many_errors: "10%",
  game: "Score of the game",
  own_score: "Your score",
  other_scores: { 2: ["Theirs"], 3: ["On your left", "On your right"] },
  target: "The game goes to",
  pending: "Gratuity",
  apply: "Apply",
  wrong_scores: (target) => `Scores are multiples of 10 below ${target}; give all of them, or none.`,
  quiz: "Quiz",
  questions: "Questions",
  questions_about: "Questions about",
  about_calls: "Calls",
  about_cards: "Cards",
  about_both: "Both",
  next: "Next",
  undo: "Undo",
  new_round: "New round",
  copy_link: "Copy link",
  copy_by_hand: "Copy the link:",
  clear_results: "Clear the results",
  same_command: "The same answer by the command line:",
  command: "Command",
  assumptions:
    "All others are assumed to call and play like kqj-sim's default player. Value: the points by which your side " +
    "outscores the others, on average; ± gives 95% intervals. The page works without a network and sends nothing.",
  version: (version, engine) => `kqj-sim ${version}, engine ${engine}.`,
  lacks: (name) => `The page cannot compute: this browser lacks ${name}, or it is switched off.`,
  stopped: (reason) => `The page cannot go on: ${reason}. Reload it.`,

  // Cards.
  ranks: { A: "ace", T: "ten", H: "hero", K: "king", Q: "queen", J: "jack" },
  suits: { s: "spades", h: "hearts", d: "diamonds", c: "clubs" },
  card: (rank, suit) => `${rank} of ${suit}`,
  roles: { hand: "in your hand", up: "the Return", gone: "played" },
  card_value: (value) => `value ${value}`,
  tap_cards: (count, size) => {
    const number = ["", "", "two ", "three ", "four ", "five ", "six ", "seven ", "eight "][count];
    return `Tap your ${number}${count < size ? "other " : ""}${count === 1 ? "card" : "cards"}`;
  },
  tap_further: (count, size) => {
    const number = ["", "", "two ", "three "][count];
    return `Tap your ${number}${count < size ? "other " : "further "}${count === 1 ? "card" : "cards"}`;
  },
  tap_return: "Tap the Return, the card that is turned up",
  your_cards: "Your cards",
  change_cards: "Your cards (tap one to change it)",
  return: "Return",

  // Calls.
  places: ["opener", "2nd", "3rd", "4th", "5th", "dealer"],
  speakers: ["opener", "2nd to speak", "3rd to speak", "4th to speak", "5th to speak", "dealer"],
  you: "you",
  your_place: "Your place",
  calls: "Calls",
  calls_so_far: "Calls so far",
  tap_call: "Tap a call to change it.",
  you_are: (speaker) => `You are the ${speaker}.`,
  call_of: (speaker) => `Call of the ${speaker}:`,
  all_pass: "All pass up to you",
  replies: {
    counter: (speaker) => `The ${speaker} counters`,
    overcounter: (speaker) => `The ${speaker} overcounters`,
  },
  play_begins: "The play begins",
  // `contract` is one such as `150 ♥`.
  contract: (speaker, contract, stake) =>
    `${speaker ? `The ${speaker} plays` : "You play"} ${contract}${["", "", ", countered", "", ", overcountered"][stake]}.`,
  all_passed: "All have passed.",
  amount: "Amount",
  bid: (contract) => `Bid ${contract}`,
  capot: "Capot",

  // Play.
  round_over: "The round is over",
  your_turn: "Your turn: play a card",
  card_of: (speaker) => `Card of the ${speaker}`,
  last_tricks: "The last tricks",

  // Values.
  values: "Values",
  kinds: { call: "call", card: "card" },
  wins_game: "wins the game",
  fewer_games: "less than the best, games",
  value: "value",
  behind: "less than the best",
  about_zero: "about 0",
  columns: {
    win_share: "wins",
    own_made_share: "own contract made",
    own_capot_share: "Capot",
    contract_made_share: "contract made",
    own_total_mean: "own total",
    own_countered_share: "coun&shy;tered",
    value_if_not_countered: "if not coun&shy;tered",
  },
  hidden_cards: "Where the other cards are",
  ask_hidden_cards: "Where are the other cards?",
  any_ace: "any ace",
  amounts: "Chance to make an amount",
  within: (half) => `(±${half} or less)`,
  drawing: "Drawing deals…",
  solving: (isLong) => `Working out the chance to win the game${isLong ? ", which takes up to a minute" : ""}…`,
  deals_so_far: (count) => `${count} deals…`,
  deals: (count) => `${count} deals, seed 1.`,
  exact: (count) => `All ${count} distributions of the hidden cards: exact.`,
  more_deals: "Play four times as many deals",
  no_hand_yet: (count) => `${count} hands tried, and none that would be called like this…`,
  no_answer: (reason) => `There is no answer: ${reason}.`,
  wrong_card: "No distribution of the hidden cards agrees with the plays: a card is wrong.",

  // Quiz.
  decisions: {
    take: "Taking",
    bid: "Bids and counters",
    lead: "Leads",
    follow: "Cards after the lead",
  },
  which_card: "Which card do you play?",
  which_call: "What do you call?",
  drawing_choice: (name) => `You chose ${name}. Drawing deals…`,
  best_choice: (name) => `You chose ${name}: the best, nothing lost.`,
  lost: (name, points) => `You chose ${name}: ${points} points lost.`,
  results: "Your quiz, kept in this browser",
  decision: "decision",
  answered: "answered",
  points_lost: "points lost each",
};
