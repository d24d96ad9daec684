// The page: input changes `state`, and `render` draws all of it anew.

function render() {
  const focused = document.activeElement,
    turn = readTurn(state.round),
    { calls, play } = turn,
    reason = state.failure || turn.wrong,
    question = state.failure ? "" : turn.question;
  state.play = play;
  if (question !== state.asked) state.odds = undefined;
  renderRules();
  renderScores();
  renderDeck(turn);
  find("round").hidden = !calls;
  find("undo").disabled = !state.depth;
  if (calls) renderCalls(turn);
  renderTricks(turn);
  renderPlay(turn);
  keepInHistory();
  find("command").textContent = question;
  find("by-command").hidden = !question;
  find("quiz-bar").hidden = !state.quiz;
  find("quiz").hidden = Boolean(state.quiz);
  renderResults();
  renderMistakes();
  if (question !== state.asked) ask(question, calls);
  if (!question) draw("headline", colour(escape(reason ?? "")));
  if (turn.isOver && state.review?.round !== state.round) reviewRound();
  else renderReview();
  // Who goes by the keyboard goes on where the next step is asked for.
  if (focused.id && !focused.isConnected) (find(focused.id) ?? find("cards-title")).focus();
}

// Checks the inputs for the rules, as these may come from a link or the history.
function renderRules() {
  const { teams, bidding, errors } = state.rules,
    subject = state.quiz?.subject,
    name = { 2: TEXTS.two_teams, 3: TEXTS.three_teams }[teams];
  draw("rules-now", TEXTS.rules_now(name, TEXTS.biddings[bidding], TEXTS.rates[errors]));
  // Once, with the first card, the rules are folded.
  if (!state.isFolded && (state.round.hand.length || isDealt())) {
    find("settings").open = false;
    state.isFolded = true;
  }
  for (const [name, value] of Object.entries({ teams, bidding, errors, subject }))
    if (value !== undefined) document.querySelector(`[name=${name}][value="${value}"]`).checked = true;
}

// Writes the texts into the page's HTML.
function fillTexts() {
  document.documentElement.lang = language.code;
  find("language").lang = isFrench() ? "en" : "fr";
  for (const element of document.querySelectorAll("[data-text]"))
    element.textContent = TEXTS[element.dataset.text];
  for (const element of document.querySelectorAll("[data-label]"))
    element.setAttribute("aria-label", TEXTS[element.dataset.label]);
  for (const element of document.querySelectorAll("[data-do^='explain ']"))
    element.setAttribute("aria-label", nameTerms(element.dataset.do.split(" ").slice(1)));
  draw("terms", drawTerms(Object.keys(TEXTS.terms)));
  const { version, engine } = find("version").dataset;
  find("version").textContent = TEXTS.version(version, engine);
  document.title = TEXTS.title;
}

// Says what failed: what the browser lacks, memory, a worker, a defect.  Without an engine there are no answers any more;
// else the next step is tried again.
function fail(message) {
  const missing = ["WebAssembly", "DecompressionStream"].find((name) => !(name in window)),
    reason = String(message).replace("Uncaught ", ""),
    failure = missing ? TEXTS.lacks(missing) : state.engine ? TEXTS.failed(reason) : TEXTS.stopped(reason);
  if (missing || !state.engine) state.failure = failure;
  state.asked = "";
  state.pool?.cancel();
  for (const id of ["options", "run"]) draw(id, "");
  draw("headline", escape(failure));
}

addEventListener("error", ({ error, message }) => fail(error?.message ?? message));
addEventListener("unhandledrejection", ({ reason }) => fail(reason?.message ?? reason));

// Beside a page that is served stand a script that keeps it for use without a network, and what a browser
// needs to install it.
if (location.protocol !== "file:") {
  // Without it the page works, but not without a network.
  navigator.serviceWorker?.register("kqj-offline.js").catch(() => {});
  document.head.append(
    Object.assign(document.createElement("link"), { rel: "manifest", href: "kqj.webmanifest" }),
  );
}

speak(findLanguage());
fillTexts();
renderKept();
renderHands();
readLink();
render();
openTable();
