// All input: links, taps and keys, and what they do.

function readLink() {
  Object.assign(state, { quiz: undefined }, readPosition(location.hash.slice(1) || POSITION));
  state.depth = history.state?.depth ?? 0;
  find("game").open = Boolean(state.rules.scores || state.rules.pending);
}

// Back and Forward, of which the history has what was shown; a link on the page, or another address.
addEventListener("popstate", ({ state: kept }) => {
  if (kept?.round) return goTo(kept);
  const { rules } = state,
    next = readPosition(location.hash.slice(1));
  state.depth++;
  if (next.quiz) return location.reload();
  goTo({ quiz: undefined, rules, ...next });
});

function clickCard(card) {
  const { hand, up, more, plays } = state.round,
    calls = state.engine && isComplete() && readCalls();
  if (state.play) {
    if (!state.play.legal.includes(card)) return;
    if (isDealt()) return decide(card);
    return isAsking() ? answerQuiz(card) : change({ plays: [...plays, card] });
  }
  if (isFixed()) return;
  if (more.includes(card)) return change({ more: more.filter((each) => each !== card) });
  if (calls?.contract) {
    if (missingCards(calls) && !hand.includes(card) && card !== up) change({ more: [...more, card] });
    return;
  }
  if (hand.includes(card)) change({ hand: hand.filter((each) => each !== card) });
  else if (card === up) change({ up: null });
  else if (hand.length < handSize()) change({ hand: [...hand, card] });
  else if (state.rules.bidding === "take" && !up) change({ up: card });
}

function choosePlace(place) {
  if (isDealt()) return startRound(place, state.round.deal);
  const { calls } = state.round,
    isFree = calls.every(({ text }) => text === "pass");
  change({ place, calls: isFree ? Array(place).fill({ text: "pass" }) : calls });
}

function addCall(text, place) {
  if (isAsking()) return answerQuiz(text);
  if (isDealt()) return decide(text);
  changeCalls([...state.round.calls, { text, ...(place === undefined ? {} : { place }) }]);
}

const changeCalls = (calls) => change({ calls, more: [], plays: [], begun: false });

// A page served without https may not use the clipboard.
async function copyLink() {
  const isCopied = await navigator.clipboard?.writeText(location.href).then(
    () => true,
    () => false,
  );
  draw("copied", isCopied ? TEXTS.copied : escape(TEXTS.copy_by_hand(location.href)));
}

function switchLanguage() {
  const code = isFrench() ? "en" : "fr";
  speak(code);
  keepLanguage(code);
  fillTexts();
  if (state.round.wrong) readLink(); // What is wrong is said anew.
  render();
  if (state.asked) renderOdds(!state.isFinal);
}

// What buttons do, by the first word of their `data-do`.
const ACTIONS = {
  card: clickCard,
  place: (place) => choosePlace(Number(place)),
  call: (...words) => addCall(words.join(" ")),
  bid: (contract) => {
    const capot = find("capot").checked ? " capot" : "";
    find("capot").checked = false;
    addCall(`${find("amount").value} ${contract}${capot}`);
  },
  recall: (count) => changeCalls(state.round.calls.slice(0, count)),
  reply: (word, place) => addCall(word, Number(place)),
  choose: (...words) => {
    const text = words.join(" ");
    if (state.play) clickCard(text);
    else addCall(text, text.endsWith("counter") ? state.round.place : undefined);
  },
  all: () => {
    const turns = state.round.calls.length,
      missing = (state.round.place - (turns % 6) + 6) % 6;
    change({ calls: Array(turns + missing).fill({ text: "pass" }) });
  },
  begin: () => change({ begun: true }),
  show: () => {
    state.showsAll = true;
    renderOdds(false);
  },
  more: () => {
    state.deals *= 4;
    render();
  },
  undo,
  explain: (...terms) => {
    draw("explained", drawTerms(terms));
    find("explanation").showPopover?.();
  },
  again: () => change({ ...start(), deal: undefined }),
  share: copyLink,
  quiz: nextQuestion,
  clear: () => {
    keepResults({});
    keepMistakes([]);
  },
  anki: downloadCards,
  play: () => startRound(),
  game: startGame,
  next: nextRound,
  suggest: () => {
    state.suggests = true;
    render();
    renderOdds(!state.isFinal);
  },
  confirm: () => decide(state.doubt),
  save: saveRecord,
  open: (number) => openRecord(readKept()[number]),
  load: () => find("record-file").click(),
  download: () => download(readKept(), "kqj-rounds.jsonl"),
  forget: () => keepRounds([]),
  language: switchLanguage,
};

document.addEventListener("click", ({ target }) => {
  const action = target.closest("[data-do]")?.dataset.do;
  if (!action) return;
  const [name, ...words] = action.split(" ");
  ACTIONS[name](...words);
});

find("rules").addEventListener("change", () => {
  const { teams, bidding, errors } = Object.fromEntries(new FormData(find("rules")));
  changeRules({ ...state.rules, teams: Number(teams), bidding, errors: Number(errors) });
});
find("scores").addEventListener("change", enterScores);
find("scores").addEventListener("submit", (event) => event.preventDefault());
find("warn").addEventListener("change", ({ target }) => {
  state.warns = target.checked;
});
find("record-file").addEventListener("change", ({ target }) => {
  openFile(target.files[0]);
  target.value = "";
});
find("quiz-subject").addEventListener("change", nextQuestion);

// Cards may be typed: 9h.
document.addEventListener("keydown", ({ target, key, ctrlKey, metaKey, altKey }) => {
  if (ctrlKey || metaKey || altKey || target.matches("input[type=number]")) return;
  if (key === "Backspace") undo();
  if (key.length > 1) return;
  const card = state.typed + key.toLowerCase(),
    isCard = /^[4-9TJQKHA][shdc]$/.test(card);
  state.typed = !isCard && RANKS.includes(key.toUpperCase()) ? key.toUpperCase() : "";
  if (isCard) clickCard(card);
});
