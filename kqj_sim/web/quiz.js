// The quiz: a decision of a round that default players call and play.  One chooses first, then sees
// the values; the points lost are kept in the browser.

const QUIZ_DEALS = DEALS / 4; // A decision late in an auction takes ten seconds with them.
const QUIZ_ROUNDS = 1e6;

// `number` and `subject` (calls, cards or both) name a question.  Once it is dealt it has a `kind` (of
// `TEXTS.decisions`), once it is answered a `choice`, and once that is valued `isCounted`; or it `hasNoAnswer`.
function askQuiz(subject, number = Math.floor(QUIZ_ROUNDS * Math.random())) {
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

// Finds the question of a number; if its round has no such decision, that of a later one.
function findQuestion() {
  const { quiz } = state;
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
  const { quiz, rules } = state,
    { round } = quiz.link ? readPractice(quiz) : dealQuestion(),
    kindOfCall = rules.bidding === "take" ? "take" : "bid";
  quiz.kind = !round.begun ? kindOfCall : round.plays.length % 6 ? "follow" : "lead";
  Object.assign(state, { round, deals: QUIZ_DEALS });
  render();
  find("cards-title").focus();
}

const dealQuestion = () => ({ round: makeRound(findQuestion()) });

// Asks a mistake that is due, or looks for a question whose choice is open.
async function nextQuestion() {
  if (!state.engine) return;
  remember();
  const subject = new FormData(find("quiz-subject")).get("subject"),
    due = Math.random() < 0.5 && findDue();
  if (due) return practise(due);
  state.pool.cancel();
  Object.assign(state, { quiz: undefined, asked: "", odds: undefined });
  for (const id of ["headline", "options"]) draw(id, "");
  draw("run", TEXTS.looking);
  const { rules } = state,
    number = await findOpen(subject);
  if (number === undefined || state.rules !== rules) return;
  askQuiz(subject, number);
  dealQuiz();
}

const LEAST_LEAD = 10, // The best option of a question leads by so many points,
  MOST_LEAD = 40, // and one that a default player finds by no more.
  SCREENING_DEALS = [256, 1024], // The first reject most.
  MAX_SEARCH = 8000, // Milliseconds; twice as many until the best option leads clearly.
  UNCLEAR = 1000;

// Returns the number of a question whose choice is open: the best option leads, by not very much, or a default player
// missed it.  In auctions it is a pass, or no counter, as often as not; with taking it hardly ever is.  Once the time is over, it is the best of those tried: an open
// one, else that with the least clear lead.
async function findOpen(subject) {
  const end = performance.now() + MAX_SEARCH,
    isQuiet = state.rules.bidding === "auction" ? Math.random() < 0.5 : undefined;
  let best = { rank: Infinity };
  do {
    askQuiz(subject, Math.floor(QUIZ_ROUNDS * Math.random()));
    const question = findQuestion(),
      { number } = state.quiz;
    state.quiz = undefined;
    let lead;
    try {
      for (const deals of SCREENING_DEALS) {
        lead = await estimateLead(question, deals);
        if (lead.high < LEAST_LEAD) break;
      }
    } catch (error) {
      if (error instanceof Cancelled) return undefined;
      if (!(error instanceof RareCalls)) throw error;
      continue;
    }
    const isOpen = lead.low >= LEAST_LEAD && (lead.isMissed || lead.value <= MOST_LEAD);
    if (isOpen && (lead.isQuiet ?? isQuiet) === (isQuiet ?? lead.isQuiet)) return number;
    const rank = isOpen ? 0 : lead.low >= LEAST_LEAD ? lead.value : UNCLEAR - lead.low;
    if (rank < best.rank) best = { rank, number };
  } while (performance.now() < (best.rank < UNCLEAR ? end : end + MAX_SEARCH) || best.number === undefined);
  return best.number;
}

// Returns by how much the best option of a question leads, whether a default player missed it, and whether a call is
// one that says nothing.
async function estimateLead(question, deals) {
  const { own, count, at, calls, plays } = question,
    round = makeRound(question),
    { calls: heard, play } = readTurn(round),
    show = () => {};
  if (heard.rules.scores) await openGame(own % heard.rules.teams);
  const odds = play
    ? await estimateCards(state.pool, play, show, deals)
    : await estimateCalls(state.pool, heard, round.hand, round.up, show, deals);
  const [best, ...others] = odds.ranking,
    leads = others.map((other) => odds.estimate("value", best, other)),
    name = odds.texts[best];
  if (!leads.length) return { value: 0, low: -Infinity, high: 0 };
  const lead = leads.reduce((a, b) => (b.value < a.value ? b : a)),
    next = calls[count],
    said = next?.place === own ? describeCall(next).text : "",
    isMissed = play ? name !== plays[at] : said ? name !== said : !name.startsWith("no "),
    isQuiet = play ? undefined : name === "pass" || name.startsWith("no ");
  return { ...lead, isMissed, isQuiet };
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
  const name = nameOption(quiz.choice, odds.kind);
  return chosen === best ? TEXTS.best_choice(name) : TEXTS.lost(name, writeMean(lost));
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
