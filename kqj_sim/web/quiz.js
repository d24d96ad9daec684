// The quiz: decisions of rounds that default players call and play, whose choice is open.  One chooses first, then sees
// the values; the points lost are kept in the browser.

const QUIZ_DEALS = DEALS / 4; // A decision late in an auction takes ten seconds with them.
const QUIZ_ROUNDS = 1e6;
// The number of a question is that of its deal times the first, and where in the round it is: the cards played before, or
// from the second on six times the calls before, and the place.
const QUIZ_STEPS = 1000,
  QUIZ_CALLS = 100;

// `subject` (calls, cards or both) is what the questions are about, `number` names one; without it one is chosen.  Once it is
// dealt it has a `kind` (of `TEXTS.decisions`), once it is answered a `choice`, and once that is valued `isCounted`; or it
// `hasNoAnswer`.
function askQuiz(subject, number) {
  state.quiz = { number, subject };
}

function isAsking() {
  const { quiz } = state;
  return Boolean(quiz?.kind) && quiz.choice === undefined && !quiz.hasNoAnswer;
}

// Values are hidden until a question is answered, and while one plays, unless one wants them.
function hidesValues() {
  const { quiz, suggests } = state;
  return quiz ? Boolean(quiz.kind) && !quiz.isCounted : isDealt() && !suggests;
}

// Returns a round of the default players: the cards of all places in the calls and in the play, the
// Return, and what was called and played.
function playRound(deal) {
  const { engine, rules } = state,
    { constants, table } = engine,
    i64 = (shape) => engine.array("i64", shape);
  const cards = i64(13),
    calls = i64([constants.CALLS, 3]),
    plays = i64(48);
  const count = engine.call(
    "play_round",
    i64(constants.BLOCK),
    i64(constants.LOG),
    deal,
    table.rules,
    keepTricks(table.cards),
    cards,
    calls,
    plays,
  );
  const list = (set) => DECK.filter((card) => set & bitOf(card));
  const sets = [...cards.view()].map(list),
    numbers = [...calls.view().slice(0, 3 * count)].map(Number),
    isTaking = rules.bidding === "take";
  const played = {
    hands: isTaking ? sets.slice(0, 6) : sets.slice(7),
    up: isTaking ? sets[6][0] : null,
    dealt: sets.slice(7),
    calls: Array.from({ length: count }, (_, at) => {
      const [place, kind, code] = numbers.slice(3 * at, 3 * at + 3);
      return { place, kind, code };
    }),
    plays: [...plays.view()].flatMap(list),
  };
  engine.release();
  return played;
}

// Returns the decisions with a choice: the place, and how many calls and cards come before it.
function listDecisions({ dealt, up, calls, plays }, subject) {
  const { engine, rules } = state,
    decisions = [],
    after = (own, count = calls.length) => new Calls(engine, rules, own, calls.slice(0, count));
  if (subject === "calls") {
    for (let count = 0; count <= calls.length; count++)
      for (let own = 0; own < 6; own++)
        if (after(own, count).question !== undefined) decisions.push({ own, count, at: 0 });
    return decisions;
  }
  const { holders } = plays.length ? new Play(engine, after(0), dealt[0], up, plays) : { holders: [] };
  holders.forEach((own, at) => {
    const { legal } = new Play(engine, after(own), dealt[own], up, plays.slice(0, at));
    if (legal.length > 1) decisions.push({ own, count: calls.length, at });
  });
  return decisions;
}

const stepOf = ({ own, count, at }, subject) => (subject === "calls" ? QUIZ_CALLS + 6 * count + own : at);

// Finds the question of a number, in which every number names one.
function findQuestion() {
  const { number } = state.quiz,
    step = number % QUIZ_STEPS,
    subject = step < QUIZ_CALLS ? "cards" : "calls";
  for (let deal = Math.floor(number / QUIZ_STEPS); ; deal++) {
    const played = playRound(deal),
      decisions = listDecisions(played, subject),
      decision = decisions.find((one) => stepOf(one, subject) >= step) ?? decisions[0];
    if (decision) return { ...played, ...decision, subject };
  }
}

// Returns the number of one of the questions that `tools/quiz_questions.py` found, none twice before all were there.
function chooseQuestion(subject) {
  const { questions, hadQuestions } = state,
    pick = (list) => list[Math.floor(list.length * Math.random())],
    numbers = questions[subject === "both" ? pick(["calls", "cards"]) : subject].flat(),
    fresh = numbers.filter((number) => !hadQuestions.has(number)),
    number = pick(fresh.length ? fresh : numbers);
  hadQuestions.add(number);
  return number;
}

// Returns the round before a decision, as its player sees it.
function makeRound({ subject, own, count, at, hands, up, dealt, calls, plays }) {
  const isCard = subject === "cards",
    place = (call) => (call.kind >= COUNTER ? { place: call.place } : {});
  return {
    place: own,
    hand: hands[own],
    up,
    calls: calls.slice(0, count).map((call) => ({ text: describeCall(call).text, ...place(call) })),
    more: isCard ? dealt[own].filter((card) => !hands[own].includes(card) && card !== up) : [],
    plays: plays.slice(0, at),
    begun: isCard,
  };
}

function dealQuiz() {
  const { quiz } = state;
  if (!quiz.link) quiz.number ??= chooseQuestion(quiz.subject);
  const { round } = quiz.link ? readPosition(quiz.link) : { round: makeRound(findQuestion()) };
  quiz.kind = classify(readTurn(round));
  Object.assign(state, { round, deals: QUIZ_DEALS });
  render();
  find("cards-title").focus();
}

// Returns the kind of a question, of `TEXTS.decisions`.
function classify({ calls, play }) {
  if (!play) return calls.question >= COUNTER ? "counter" : calls.isTaking ? "take" : "bid";
  if (!play.position) return "lead";
  const [, suit] = play.plays[6 * play.trick];
  return play.legal.some((card) => card[1] === suit) ? "follow" : "discard";
}

// Asks a mistake that is due, or one of the questions whose choice is open.
function nextQuestion() {
  if (!state.engine) return;
  remember();
  const due = Math.random() < 0.5 && findDue();
  if (due) return practise(due);
  askQuiz(new FormData(find("quiz-subject")).get("subject"));
  dealQuiz();
}

function answerQuiz(text) {
  state.quiz.choice = text;
  // A bid that is not among those of the answer is valued, too.
  if (/^\d/.test(text) && !state.odds?.texts.includes(text)) ask(state.asked, readCalls());
  else renderOdds(!state.isFinal);
  find("next").focus();
}

// Draws the question, or the choice while deals are drawn; an order of calls that tells nothing.
function renderQuestion() {
  const { quiz, play } = state,
    name = quiz?.choice && nameOption(quiz.choice, play ? "card" : "call");
  draw("headline", name || !(quiz || play) ? "" : play ? TEXTS.which_card : TEXTS.which_call);
  draw("run", name ? TEXTS.drawing_choice(colour(name)) : "");
  draw("options", name || play || !quiz ? "" : `<div class="buttons">${listOwnButtons(readCalls())}</div>`);
}

function listOwnButtons(calls) {
  const texts = calls.list(calls.own, calls.question, state.round.up).map((option) => option.text);
  const simple = (text) => button(`call ${text}`, colour(nameOption(text)));
  if (calls.question !== BID) return texts.map(simple).join("");
  return (texts.includes("counter") ? simple("counter") : "") + listButtons(calls, calls.own);
}

// Returns what the choice lost, in words, and adds it to the results once.
function writeLoss() {
  const { quiz, odds } = state,
    chosen = odds.texts.indexOf(quiz.choice),
    [best] = odds.ranking,
    lost = chosen === best ? { value: 0, low: NaN, high: NaN } : odds.estimate("value", best, chosen);
  if (!quiz.isCounted) {
    addLoss(quiz.kind, lost.value);
    schedule(lost);
  }
  quiz.isCounted = true;
  const [name, other] = [quiz.choice, odds.texts[best]].map((text) => nameOption(text, odds.kind));
  if (chosen === best) return TEXTS.best_choice(name);
  return lost.value <= 0 || lost.low <= 0 ? TEXTS.equal_choice(name, other) : TEXTS.lost(name, writeMean(lost));
}

function writeMean(estimate) {
  const half = formatHalf(estimate);
  return fixed(estimate.value, 1) + (half && ` ±${half}`);
}

// The results: for each kind the number answered, and the sums of points lost and of their squares.

// Another version of the page may have stored something else.
const isResult = (sums) =>
  Array.isArray(sums) && sums.length === 3 && sums.every(Number.isFinite) && sums[0] > 0;

function readResults() {
  try {
    const stored = Object.entries(JSON.parse(localStorage.getItem("kqj-quiz-results")) ?? {});
    return Object.fromEntries(stored.filter(([, sums]) => isResult(sums)));
  } catch {
    return {}; // The browser keeps nothing.
  }
}

function keepResults(results) {
  try {
    localStorage.setItem("kqj-quiz-results", JSON.stringify(results));
  } catch {
    // Nothing is kept.
  }
  renderResults(results);
}

function addLoss(kind, lost) {
  const results = readResults(),
    [count, sum, squares] = results[kind] ?? [0, 0, 0];
  keepResults({ ...results, [kind]: [count + 1, sum + lost, squares + lost * lost] });
}

// Returns the mean of points lost with its interval.
function estimateMean([count, sum, squares]) {
  const moments = new Moments(state.engine, ["loss"], 1);
  moments.add({ drawn: count, sums: [count, sum], products: [count, sum, sum, squares] });
  return moments.estimate("loss", 0);
}

function renderResults(results = readResults()) {
  const rows = Object.keys(TEXTS.decisions)
    .filter((kind) => state.engine && results[kind])
    .map((kind) => {
      const mean = writeMean(estimateMean(results[kind]));
      return drawRow(TEXTS.decisions[kind], [fixed(results[kind][0]), mean]);
    });
  find("results").hidden = !state.quiz || !rows.length;
  const heads = drawHeads([TEXTS.answered, TEXTS.points_lost]);
  draw(
    "results-table",
    `<caption>${TEXTS.results}</caption><thead><tr><th scope="col" class="name">${TEXTS.decision}</th>${heads}</tr></thead><tbody>${rows.join("")}</tbody>`,
  );
}
