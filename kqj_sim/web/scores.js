// The form for the scores of the game, in which the chance to win it depends on them.

function renderScores() {
  const { teams, scores, target, pending } = state.rules,
    names = [TEXTS.own_score, ...TEXTS.other_scores[teams]],
    input = (name, label, value) =>
      `<label>${label}<input type="number" name="${name}" id="${name}" inputmode="numeric" step="10" data-value="${value}"></label>`,
    inputs = names.map((label, number) => input(`score-${number}`, label, scores?.[number] ?? "")),
    targets = [...new Set([500, 1000, 2000, target])].sort((a, b) => a - b),
    options = targets.map((each) => `<option${each === target ? " selected" : ""}>${each}</option>`);
  draw(
    "scores",
    `${inputs.join("")}<label>${TEXTS.target}<select name="target" id="target">${options.join("")}</select></label>` +
      input("pending", TEXTS.pending, pending || "") +
      drawHelp("litigation"),
  );
  // What is being typed stays as it is.
  for (const element of find("scores").querySelectorAll("input"))
    if (element !== document.activeElement) element.value = element.dataset.value;
}

// Takes what the form says over; scores that cannot be are said to be wrong.
function enterScores() {
  const given = new FormData(find("scores")),
    texts = Array.from({ length: state.rules.teams }, (_, number) => given.get(`score-${number}`)),
    target = Number(given.get("target")),
    isEmpty = texts.every((text) => text === ""),
    scores = isEmpty ? undefined : texts.map((text) => (text === "" ? NaN : Number(text))),
    pending = Number(given.get("pending")),
    isRight = (number) => number % 10 === 0;
  const isWrong =
    scores?.some((score) => !isRight(score) || score >= target) || !isRight(pending) || pending < 0;
  find("wrong-scores").textContent = isWrong ? TEXTS.wrong_scores(target) : "";
  if (!isWrong) {
    state.rules = { ...state.rules, scores, target, pending };
    render();
  }
}
