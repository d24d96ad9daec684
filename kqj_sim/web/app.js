// The page: input changes `state`, and `render` draws all of it anew.

function render() {
  const focused = document.activeElement,
    { round } = state,
    calls = state.engine && isComplete() ? readCalls() : undefined,
    play = (state.play = readPlay(calls));
  const reason = state.failure || round.wrong || play?.explainWrongPlay(),
    isTurn = calls && (play ? play.place === round.place && !play.isOver : calls.question !== undefined),
    question = isTurn && !reason ? writeCommand() : "";
  if (question !== state.asked) state.odds = undefined;
  renderScores();
  renderDeck(calls);
  find("round").hidden = !calls;
  find("undo").disabled = !state.past.length;
  if (calls) renderCalls(calls);
  history.replaceState(null, "", `#${writePosition(state)}`);
  find("command").textContent = question;
  find("by-command").hidden = !question;
  find("quiz-bar").hidden = !state.quiz;
  find("quiz").hidden = Boolean(state.quiz);
  renderResults();
  if (question !== state.asked) ask(question, calls);
  if (!question) draw("headline", colour(escape(reason ?? "")));
  // Who goes by the keyboard goes on where the next step is asked for.
  if (focused.id && !focused.isConnected) (find(focused.id) ?? find("cards-title")).focus();
}

// Writes the texts into the page's HTML.
function fillTexts() {
  for (const element of document.querySelectorAll("[data-text]"))
    element.textContent = TEXTS[element.dataset.text];
  for (const element of document.querySelectorAll("[data-label]"))
    element.setAttribute("aria-label", TEXTS[element.dataset.label]);
  const { version, engine } = find("version").dataset;
  find("version").textContent = TEXTS.version(version, engine);
  document.title = TEXTS.title;
}

// Says why there is no answer any more: what the browser lacks, a worker without memory, a defect.
function fail(message) {
  const missing = ["WebAssembly", "DecompressionStream"].find((name) => !(name in window)),
    failure = missing ? TEXTS.lacks(missing) : TEXTS.stopped(String(message).replace("Uncaught ", ""));
  Object.assign(state, { failure, asked: "" });
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

fillTexts();
openLink();
render();
openTable();
