// Mistakes of the quiz, and those of a review, which come back on a schedule; the browser keeps them.

const MISTAKES = "kqj-quiz-mistakes",
  DAY = 86400000,
  INTERVALS = [1, 3, 8, 21]; // Days until a mistake comes back, after each right answer.

// Returns the mistakes: the `link` of the position, the time when it is `due`, how many right answers it had, and once it
// is valued what is `best`, in words.
function readMistakes() {
  try {
    const kept = JSON.parse(localStorage.getItem(MISTAKES)) ?? [];
    return kept.filter((one) => typeof one?.link === "string" && Number.isFinite(one.due) && one.right in INTERVALS);
  } catch {
    return []; // The browser keeps nothing.
  }
}

function keepMistakes(mistakes) {
  try {
    localStorage.setItem(MISTAKES, JSON.stringify(mistakes));
  } catch {
    // Nothing is kept.
  }
  renderMistakes();
}

const findDue = () => readMistakes().find(({ due }) => due <= Date.now());

// Asks a mistake again; its rules may be others than those on the page.
function practise({ link }) {
  const { rules } = readPosition(link);
  goTo({ rules, round: start(), quiz: { link } });
  if (state.engine) dealQuiz();
}

// Keeps a question that was answered wrongly, and moves one that is practised on: 1, 3, 8 and 21 days.
function schedule(lost) {
  const { rules, round, odds } = state,
    link = state.quiz.link ?? writePosition({ rules, round }),
    mistakes = readMistakes(),
    before = mistakes.find((one) => one.link === link),
    others = mistakes.filter((one) => one !== before),
    isMistake = lost.value >= 1 && !(lost.low <= 0);
  if (!isMistake && !before) return;
  const right = isMistake ? 0 : before.right + 1,
    best = writeHeadline(odds).join(" ");
  if (right in INTERVALS) others.push({ link, due: Date.now() + INTERVALS[right] * DAY, right, best });
  keepMistakes(others);
}

// Takes the questions of `kqj-sim review --quiz` over: its mistakes, and decisions that were good.
function loadQuiz({ questions }) {
  const kept = readMistakes(),
    links = questions.map(({ link }) => link).filter((link) => typeof link === "string" && !readPosition(link).round.wrong),
    fresh = [...new Set(links)].filter((link) => kept.every((one) => one.link !== link));
  keepMistakes([...kept, ...fresh.map((link) => ({ link, due: Date.now(), right: 0 }))]);
  draw("record-error", TEXTS.loaded(fresh.length));
  const due = findDue();
  if (due) practise(due);
}

// Returns what a player knew, in lines of HTML, as the front of a card.
function writeFront(link) {
  const { rules, round } = readPosition(link),
    { bidding, teams } = rules,
    list = (cards) => cards.map(formatCard).join(" "),
    name = { 2: TEXTS.two_teams, 3: TEXTS.three_teams }[teams];
  const lines = [
    `${name}, ${TEXTS.biddings[bidding]}`,
    TEXTS.you_are(TEXTS.speakers[round.place]),
    `${TEXTS.your_cards}: ${list([...round.hand, ...round.more])}`,
    round.up ? `${TEXTS.return}: ${formatCard(round.up)}` : "",
    round.calls.length ? `${TEXTS.calls}: ${round.calls.map(({ text }) => nameOption(text)).join(", ")}` : "",
    round.plays.length ? `${TEXTS.finished_tricks}: ${list(round.plays)}` : "",
    `<b>${round.begun ? TEXTS.which_card : TEXTS.which_call}</b>`,
  ];
  return lines.filter(Boolean).join("<br>");
}

// Downloads the mistakes that were valued as cards for Anki.
function downloadCards() {
  const rows = readMistakes()
    .filter(({ best }) => best)
    .map(({ link, best }) => `${writeFront(link)}\t${escape(best)}\n`);
  save(`#separator:tab\n#html:true\n#columns:Front\tBack\n${rows.join("")}`, "text/plain", "kqj-mistakes.txt");
}

function renderMistakes() {
  const mistakes = readMistakes(),
    due = mistakes.filter((one) => one.due <= Date.now()).length;
  find("mistakes").hidden = !state.quiz || !mistakes.length;
  draw("mistakes-count", TEXTS.mistakes(mistakes.length, due));
}
