// The quiz: a decision of a round that default players call and play.  One chooses first, then sees
// the values; the points lost are kept in the browser.

const QUIZ_DEALS = DEALS / 4; // A decision late in an auction takes ten seconds with them.
const QUIZ_ROUNDS = 1e6;
const DECISIONS = {
  take: "Taking",
  bid: "Bids and counters",
  lead: "Leads",
  follow: "Cards after the lead",
};
// `number` and `subject` (calls, cards or both) name a question.  Once it is dealt it has a `kind`, once it
// is answered a `choice`, and once that is valued `isCounted`; or it `hasNoAnswer`.
let quiz;

const isAsking = () => Boolean(quiz?.kind) && quiz.choice === undefined && !quiz.hasNoAnswer;
const hidesValues = () => Boolean(quiz?.kind) && !quiz.isCounted;
const askQuiz = (subject, number = Math.floor(QUIZ_ROUNDS * Math.random())) => (quiz = { number, subject });

// Returns a round of the default players: the cards of all places in the calls and in the play, the
// Return, and what was called and played.
function playRound(deal) {
  const { constants, table } = engine,
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
  const decisions = [],
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

// Finds the question of a number; if its round has no such decision, that of a later one.
function findQuestion() {
  for (; ; quiz.number++) {
    const subject = quiz.subject === "both" ? ["calls", "cards"][quiz.number % 2] : quiz.subject;
    const played = playRound(quiz.number),
      decisions = listDecisions(played, subject),
      decision = decisions[Math.floor(quiz.number / 2) % decisions.length];
    if (decision) return { ...played, ...decision, subject };
  }
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
  const question = findQuestion(),
    { subject, at } = question;
  const kindOfCall = rules.bidding === "take" ? "take" : "bid";
  quiz.kind = subject === "calls" ? kindOfCall : at % 6 ? "follow" : "lead";
  past.push(JSON.stringify(round));
  round = makeRound(question);
  deals = QUIZ_DEALS;
  render();
  find("cards-title").focus();
}

function nextQuestion() {
  askQuiz(new FormData(find("quiz-subject")).get("subject"));
  dealQuiz();
}

function answerQuiz(text) {
  quiz.choice = text;
  // A bid that is not among those of the answer is valued, too.
  if (/^\d/.test(text) && !odds?.texts.includes(text)) ask(asked, readCalls());
  else renderOdds(!isFinal);
  find("next").focus();
}

// Draws the question, or the choice while deals are drawn; an order of calls that tells nothing.
function renderQuestion() {
  const name = quiz.choice && nameOption(quiz.choice, play ? "card" : "call");
  draw("headline", name ? "" : play ? "Which card do you play?" : "What do you call?");
  draw("run", name ? `You chose ${colour(name)}. Drawing deals…` : "");
  draw("options", name || play ? "" : `<div class="buttons">${listOwnButtons(readCalls())}</div>`);
}

function listOwnButtons(calls) {
  const texts = calls.list(calls.own, calls.question, round.up).map((option) => option.text);
  const simple = (text) => button(`call ${text}`, colour(nameOption(text)));
  if (calls.question !== BID) return texts.map(simple).join("");
  return (texts.includes("counter") ? simple("counter") : "") + listButtons(calls, calls.own);
}

// Returns what the choice lost, in words, and adds it to the results once.
function writeLoss() {
  const chosen = odds.texts.indexOf(quiz.choice),
    [best] = odds.ranking,
    lost = chosen === best ? { value: 0, low: NaN, high: NaN } : odds.estimate("value", best, chosen);
  if (!quiz.isCounted) addLoss(quiz.kind, lost.value);
  quiz.isCounted = true;
  const name = nameOption(quiz.choice, odds.kind);
  return `You chose ${name}: ${chosen === best ? "the best, nothing lost" : `${writeMean(lost)} points lost`}.`;
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
  const moments = new Moments(engine, ["loss"], 1);
  moments.add({ drawn: count, sums: [count, sum], products: [count, sum, sum, squares] });
  return moments.estimate("loss", 0);
}

function renderResults(results = readResults()) {
  const rows = Object.keys(DECISIONS)
    .filter((kind) => engine && results[kind])
    .map((kind) => {
      const mean = writeMean(estimateMean(results[kind]));
      return `<tr><th scope="row">${DECISIONS[kind]}</th><td>${fixed(results[kind][0])}</td><td>${mean}</td></tr>`;
    });
  find("results").hidden = !quiz || !rows.length;
  draw(
    "results-table",
    `<caption>Your quiz, kept in this browser</caption><thead><tr><th scope="col" class="name">decision</th><th scope="col">answered</th><th scope="col">points lost each</th></tr></thead><tbody>${rows.join("")}</tbody>`,
  );
}
