// The calls: the player's place, what was said, and buttons for what others say.

function renderCalls({ calls, play, question }) {
  const { round, quiz } = state,
    isOpen = !isFixed() && !play;
  draw(
    "places",
    PLACES.map((_, place) =>
      button(`place ${place}`, TEXTS.places[place], `aria-pressed="${place === round.place}"`),
    ).join(""),
  );
  find("places").hidden = !mayMove(calls, play);
  draw("round-title", find("places").hidden ? TEXTS.calls : isDealt() ? TEXTS.your_seat : TEXTS.your_place);
  let html = drawHeard(calls, isOpen);
  if (isFixed()) html += `<p>${TEXTS.you_are(TEXTS.speakers[round.place])}</p>`;
  if (!isFixed() && !calls.isClosed && calls.turn % 6 !== round.place) html += drawTurn(calls, calls.turn % 6);
  if (isOpen && calls.repliers.length) html += drawReplies(calls);
  if (calls.contract) html += `<p>${nameContract(calls.contract)}</p>`;
  if (calls.isClosed && !calls.contract && !calls.repliers.length) html += `<p>${TEXTS.all_passed}</p>`;
  if (isDealt() && question && !play)
    html += `<p><b>${TEXTS.which_call}</b></p><div class="buttons">${listOwnButtons(calls)}</div>`;
  draw("calls", html);
}

// Whether the player's place may be changed: before their own first step in a single round that is dealt, or until
// somebody has said more than pass.
function mayMove(calls, play) {
  const { round, quiz, rules } = state,
    isOwn = (place) => place === round.place;
  if (quiz) return false;
  if (!isDealt()) return round.calls.every(({ text }) => text === "pass");
  return !rules.scores && !calls.calls.some((call) => isOwn(call.place)) && !play?.holders.some(isOwn);
}

// Returns what was said; a tap changes it.
function drawHeard(calls, isOpen) {
  const items = calls.calls.map((call, at) => {
    const text = `<b>${namePlace(call.place)}</b> ${colour(nameOption(describeCall(call).text))}`;
    return `<li>${isOpen ? button(`recall ${at}`, text) : text}</li>`;
  });
  if (!items.length) return "";
  const note = isOpen ? `<p class="note">${TEXTS.tap_call}</p>` : "";
  return `<ol id="heard" aria-label="${TEXTS.calls_so_far}">${items.join("")}</ol>${note}`;
}

// Returns the buttons for the turn of another place.
function drawTurn(calls, place) {
  const buttons = `<div class="buttons">${listButtons(calls, place)}</div>`,
    onlyPasses = state.round.calls.every(({ text }) => text === "pass"),
    all = onlyPasses ? `<div class="buttons">${button("all pass", TEXTS.all_pass)}</div>` : "";
  return `<p>${TEXTS.call_of(TEXTS.speakers[place])}</p>${buttons}${all}`;
}

// Returns buttons for counters of others, or overcounters.
function drawReplies(calls) {
  const word = calls.calls.at(-1).kind === COUNTER ? "overcounter" : "counter",
    others = calls.repliers.filter((place) => place !== state.round.place),
    buttons = others.map((place) =>
      button(`reply ${word} ${place}`, TEXTS.replies[word](TEXTS.speakers[place])),
    );
  if (calls.contract) buttons.push(button("begin", TEXTS.play_begins));
  return `<div class="buttons">${buttons.join("")}</div>`;
}

function nameContract({ sender, contract, amount, capot, stake }) {
  const name = SIGNS[CONTRACTS[contract]] ?? translate(CONTRACTS[contract]),
    parts = [amount || "", colour(name), capot ? TEXTS.capot : ""],
    speaker = sender === state.round.place ? "" : TEXTS.speakers[sender];
  return TEXTS.contract(speaker, parts.filter(Boolean).join(" "), stake);
}

// Returns the buttons for the calls that a place may make.
function listButtons(calls, place) {
  const { rules, round } = state;
  if (rules.bidding === "take") {
    return calls
      .list(place, TAKE, round.up)
      .map(({ text }) => button(`call ${text}`, colour(nameOption(text))))
      .join("");
  }
  const lowest = calls.list(place, BID).find((option) => option.amount)?.amount;
  return button("call pass", nameOption("pass")) + (lowest ? drawBids(lowest) : "");
}

function drawBids(lowest) {
  const amounts = [];
  for (let amount = lowest; amount <= BIDS[state.rules.teams][1]; amount += 10)
    amounts.push(`<option>${amount}</option>`);
  const contracts = CONTRACTS.map((contract) => {
    const label = TEXTS.bid(TEXTS.suits[contract] ?? translate(contract));
    return button(`bid ${contract}`, colour(SIGNS[contract] ?? translate(contract)), `aria-label="${label}"`);
  });
  return `<select id="amount" aria-label="${TEXTS.amount}">${amounts.join("")}</select>
    ${contracts.join("")}
    <label class="capot"><input type="checkbox" id="capot">${TEXTS.capot}</label>`;
}
