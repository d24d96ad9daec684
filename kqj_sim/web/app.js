// The page: clicks change `round`, and `render` draws all of it anew.

const find = (id) => document.getElementById(id);
const RANK_NAMES = { A: "ace", T: "ten", H: "hero", K: "king", Q: "queen", J: "jack" };
const SUIT_NAMES = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };
const nameCard = (card) => `${RANK_NAMES[card[0]] ?? card[0]} of ${SUIT_NAMES[card[1]]}`;

let rules, round;
let past = [],
  module,
  engine,
  pool,
  odds,
  play,
  asked = "",
  deals = DEALS,
  failure = "",
  showsAll = false,
  isFinal = false;

// Data in the page.

async function unpack(name) {
  const text = find(`data-${name}`).textContent.trim();
  const packed = new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]);
  return new Response(packed.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

// Low and high bytes of the weights stand apart in the page, where they compress better.
function interleave(planes) {
  const half = planes.byteLength / 2,
    parts = new Uint8Array(planes),
    whole = new Uint8Array(2 * half);
  for (let i = 0; i < half; i++) {
    whole[2 * i] = parts[i];
    whole[2 * i + 1] = parts[half + i];
  }
  return whole.buffer;
}

async function openTable() {
  const name = `${rules.teams}-${rules.bidding}`,
    current = rules;
  module ??= await WebAssembly.compile(await unpack("engine"));
  const tables = JSON.parse(new TextDecoder().decode(await unpack("tables")));
  const weights = interleave(await unpack(`weights-${name}`));
  if (current !== rules) return;
  const { rules: packed, cards } = tables[name];
  engine = new Engine(module, { rules: packed, cards }, weights);
  engine.constants = { ...tables.constants, ...tables.questions[name] };
  pool?.workers.forEach((worker) => worker.terminate());
  const script = [find("engine").textContent, find("worker").textContent];
  const source = URL.createObjectURL(new Blob(script, { type: "text/javascript" }));
  const message = { module, table: tables[name], weights, constants: tables.constants };
  pool = new Pool(message, source, navigator.hardwareConcurrency || 2);
  if (quiz) dealQuiz();
  else render();
}

// The round.

const handSize = () => (rules.bidding === "take" ? 5 : 8);
const isComplete = () => round.hand.length === handSize() && (rules.bidding === "auction" || round.up);

function placeCalls() {
  // The calls with the places of those who made them.
  let turn = 0;
  return round.calls.map(({ text, place }) => {
    const call = { kind: rules.bidding === "take" ? TAKE : BID, ...parseCall(text) };
    call.place = call.kind >= COUNTER ? place : turn++ % 6;
    return call;
  });
}

const readCalls = () => new Calls(engine, rules, round.place, placeCalls());

function change(next) {
  quiz = undefined;
  past.push(JSON.stringify(round));
  round = { ...round, wrong: undefined, ...next };
  deals = DEALS;
  render();
}

// All eight cards of the player once the calls are over, without those still to be named.
function listHand(contract) {
  const own = contract.sender === round.place && round.up ? [round.up] : [];
  return [...round.hand, ...own, ...round.more];
}

const missingCards = (calls) => (calls.contract ? 8 - listHand(calls.contract).length : 0);

function clickCard(card) {
  const { hand, up, more, plays } = round,
    calls = engine && isComplete() && readCalls();
  if (play) {
    if (!play.legal.includes(card)) return;
    return isAsking() ? answerQuiz(card) : change({ plays: [...plays, card] });
  }
  if (quiz) return;
  if (more.includes(card)) return change({ more: more.filter((each) => each !== card) });
  if (calls?.contract) {
    if (missingCards(calls) && !hand.includes(card) && card !== up) change({ more: [...more, card] });
    return;
  }
  if (hand.includes(card)) change({ hand: hand.filter((each) => each !== card) });
  else if (card === up) change({ up: null });
  else if (hand.length < handSize()) change({ hand: [...hand, card] });
  else if (rules.bidding === "take" && !up) change({ up: card });
}

function choosePlace(place) {
  const free = round.calls.every(({ text }) => text === "pass");
  change({ place, calls: free ? Array(place).fill({ text: "pass" }) : round.calls });
}

function addCall(text, place) {
  if (isAsking()) return answerQuiz(text);
  change({
    more: [],
    plays: [],
    begun: false,
    calls: [...round.calls, { text, ...(place === undefined ? {} : { place }) }],
  });
}

function openLink() {
  ({ rules, round, quiz } = readPosition(location.hash.slice(1) || POSITION));
  for (const [name, value] of Object.entries({ ...rules, subject: quiz?.subject ?? "both" }))
    document.querySelector(`[name=${name}][value="${value}"]`).checked = true;
}

function writeCommand() {
  const words = ["kqj-sim odds", ...(play ? play.hand : round.hand)];
  if (round.up) words.push(`--return ${round.up}`);
  if (rules.teams !== 2) words.push(`--teams ${rules.teams}`);
  if (rules.bidding !== "take") words.push("--bidding auction");
  if (rules.errors !== 3) words.push(`--error-rate ${rules.errors}%`);
  if (play)
    return [
      ...words,
      `--heard "${writeHeard(round.calls)}" --played "${round.plays.join(" ")}"`,
      ...(deals !== DEALS ? [`--deals ${deals}`] : []),
    ].join(" ");
  if (round.place) words.push(`--place ${PLACES[round.place]}`);
  const onlyPasses = round.calls.every(({ text }) => text === "pass"),
    lap = Math.floor(round.calls.length / 6) + 1;
  if (rules.bidding === "auction" ? round.calls.length > round.place || !onlyPasses : !onlyPasses)
    words.push(`--heard "${writeHeard(round.calls)}"`);
  else if (lap > 1) words.push(`--lap ${lap}`);
  if (deals !== DEALS) words.push(`--deals ${deals}`);
  return words.join(" ");
}

// Drawing.

const escape = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
const colour = (html) => html.replace(/[^ ]?[♥♦]/g, (part) => `<span class="red">${part}</span>`);
const button = (action, text, more = "") =>
  `<button type="button" data-do="${escape(action)}" id="do-${escape(action).replace(/ /g, "-")}" ${more}>${text}</button>`;

// Brings an element to some HTML, and keeps what is the same: a button that is replaced while one taps it
// would not be clicked, and would lose the focus.
function draw(id, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  match(find(id), template.content);
}

function match(old, fresh) {
  const next = [...fresh.childNodes];
  next.forEach((node, at) => {
    const there = [...old.childNodes].slice(at).find((each) => isAlike(each, node));
    if (there !== old.childNodes[at] || !there) old.insertBefore(there ?? node, old.childNodes[at] ?? null);
    if (!there) return;
    if (node.nodeType === Node.TEXT_NODE) return there.data === node.data || (there.data = node.data);
    for (const { name } of [...there.attributes]) if (!node.hasAttribute(name)) there.removeAttribute(name);
    for (const { name, value } of node.attributes)
      if (there.getAttribute(name) !== value) there.setAttribute(name, value);
    match(there, node);
  });
  [...old.childNodes].slice(next.length).forEach((node) => node.remove());
}

// A list of amounts with others is another one.
const isAlike = (one, other) =>
  one.nodeName === other.nodeName &&
  one.id === other.id &&
  (one.nodeName !== "SELECT" || one.innerHTML === other.innerHTML);

const NUMBERS = ["", "", "two ", "three ", "four ", "five ", "six ", "seven ", "eight "];

function drawCard(card, { value = "", disabled = false, readOnly = false } = {}) {
  const own = round.hand.includes(card) || round.more.includes(card);
  const role =
    play && round.plays.includes(card)
      ? "gone"
      : own || (play && play.hand.includes(card))
        ? "hand"
        : card === round.up
          ? "up"
          : "";
  const label =
    nameCard(card) +
    (role && { hand: ", in your hand", up: ", the Return", gone: ", played" }[role]) +
    (value && `, value ${value}`);
  const look = `class="${"hd".includes(card[1]) ? "red" : ""}" data-role="${role}" ${readOnly ? "data-read-only disabled" : disabled ? "disabled" : ""}`;
  const text = formatCard(card) + (value && `<small>${value}</small>`);
  return button(
    `card ${card}`,
    text,
    `${look} aria-label="${label}" ${play ? "" : `aria-pressed="${role !== ""}"`}`,
  );
}

const SUITED = [...SUITS].map((suit) => [..."ATHKQJ987654"].map((rank) => rank + suit));
const drawDeck = (drawOne) =>
  SUITED.map((cards) => `<div class="suit">${cards.map(drawOne).join("")}</div>`).join("");
const drawHand = (cards, drawOne) =>
  `<div class="hand">${SUITED.flat()
    .filter((card) => cards.includes(card))
    .map(drawOne)
    .join("")}</div>`;

// Draws the deck, or once all cards are known those of the player alone.
function renderDeck(calls) {
  const { hand, up, more } = round,
    missing = handSize() - hand.length,
    setTitle = (text) => draw("cards-title", text);
  const ask = (count, what) => `Tap your ${NUMBERS[count]}${what}${count === 1 ? "card" : "cards"}`;
  if (play) return renderTable(setTitle);
  if (missing || (rules.bidding === "take" && !up)) {
    setTitle(
      missing
        ? ask(missing, missing < handSize() ? "other " : "")
        : "Tap the Return, the card that is turned up",
    );
    draw(
      "deck",
      drawDeck((card) => drawCard(card)),
    );
  } else if (calls && missingCards(calls)) {
    setTitle(ask(missingCards(calls), more.length ? "other " : "further "));
    draw(
      "deck",
      drawDeck((card) => drawCard(card, { disabled: hand.includes(card) || card === up })),
    );
  } else {
    setTitle(quiz ? "Your cards" : "Your cards (tap one to change it)");
    const one = (card) => drawCard(card, { readOnly: Boolean(quiz) });
    draw("deck", drawHand(hand, one) + (up ? `<div class="hand"><span>Return</span>${one(up)}</div>` : ""));
  }
}

// Draws the cards that may be played now, with the value of the player's own.
function renderTable(setTitle) {
  const isOwn = play.place === round.place;
  setTitle(
    play.isOver
      ? "The round is over"
      : isOwn
        ? "Your turn: play a card"
        : `Card of the ${SPEAKERS[play.place]}`,
  );
  const isValued = isOwn && odds?.kind === "card" && odds.ranking.length && !hidesValues();
  const value = (card) => {
    const option = isValued ? odds.texts.indexOf(card) : -1;
    return option < 0 ? "" : formatPoints(odds.estimate("value", option));
  };
  const one = (card) => drawCard(card, { value: value(card), disabled: !play.legal.includes(card) });
  const tricks = [];
  play.holders.forEach((place, at) => {
    if (at % 6 === 0) tricks.push([]);
    const who = place === round.place ? "you" : PLACES[place];
    tricks.at(-1).push(`<span><b>${who}</b> ${colour(formatCard(round.plays[at]))}</span>`);
  });
  const shown = tricks
    .slice(-2)
    .map((cards, at) => `<li value="${Math.max(0, tricks.length - 2) + at + 1}">${cards.join(" ")}</li>`);
  draw(
    "deck",
    (play.isOver ? "" : isOwn ? drawHand(play.left, one) : drawDeck(one)) +
      (shown.length ? `<ol id="tricks" aria-label="The last tricks">${shown.join("")}</ol>` : ""),
  );
}

function renderCalls(calls) {
  draw(
    "places",
    PLACES.map((name, place) =>
      button(`place ${place}`, name, `aria-pressed="${place === round.place}"`),
    ).join(""),
  );
  // The place can be changed until somebody has said more than pass.
  find("places").hidden = Boolean(quiz) || round.calls.some(({ text }) => text !== "pass");
  draw("round-title", find("places").hidden ? "Calls" : "Your place");
  const said = calls.calls.map((call, at) => {
    const who = call.place === round.place ? "you" : PLACES[call.place];
    const text = `<b>${who}</b> ${colour(addSigns(describeCall(call).text))}`;
    return `<li>${quiz || play ? text : button(`recall ${at}`, text)}</li>`;
  });
  let html = said.length ? `<ol id="heard" aria-label="Calls so far">${said.join("")}</ol>` : "";
  if (said.length && !quiz && !play) html += `<p class="note">Tap a call to change it.</p>`;
  if (quiz) html += `<p>You are the ${SPEAKERS[round.place]}.</p>`;
  const place = calls.turn % 6;
  if (!quiz && !calls.isClosed && place !== round.place) {
    html += `<p>Call of the ${SPEAKERS[place]}:</p><div class="buttons">${listButtons(calls, place)}</div>`;
    if (round.calls.every(({ text }) => text === "pass"))
      html += `<div class="buttons">${button("all pass", "All pass up to you")}</div>`;
  }
  if (!quiz && calls.repliers.length && !play) {
    const word = calls.calls.at(-1).kind === COUNTER ? "overcounter" : "counter";
    const others = calls.repliers.filter((each) => each !== round.place);
    const begin = calls.contract ? button("begin", "The play begins") : "";
    html += `<div class="buttons">${others.map((each) => button(`reply ${word} ${each}`, `The ${SPEAKERS[each]} ${word}s`)).join("")}${begin}</div>`;
  }
  if (calls.contract) {
    const { sender, contract, amount, capot, stake } = calls.contract,
      name = SIGNS[CONTRACTS[contract]] ?? CONTRACTS[contract];
    const who = sender === round.place ? "You play" : `The ${SPEAKERS[sender]} plays`;
    html += `<p>${who} ${amount || ""} ${colour(name)}${capot ? " Capot" : ""}${["", "", ", countered", "", ", overcountered"][stake]}.</p>`;
  }
  if (calls.isClosed && !calls.contract && !calls.repliers.length) html += "<p>All have passed.</p>";
  draw("calls", html);
}

// Returns the buttons for the call of another place.
function listButtons(calls, place) {
  if (rules.bidding === "take") {
    return calls
      .list(place, TAKE, round.up)
      .map(({ text }) => button(`call ${text}`, colour(nameOption(text))))
      .join("");
  }
  const options = calls.list(place, BID),
    lowest = options.find((option) => option.amount)?.amount;
  const amounts = [];
  for (let amount = lowest; amount <= BIDS[rules.teams][1]; amount += 10)
    amounts.push(`<option>${amount}</option>`);
  return (
    button("call pass", "pass") +
    (lowest
      ? `<select id="amount" aria-label="Amount">${amounts.join("")}</select>
    ${CONTRACTS.map((contract) => button(`bid ${contract}`, colour(SIGNS[contract] ?? contract), `aria-label="Bid ${SUIT_NAMES[contract] ?? contract}"`)).join("")}
    <label class="capot"><input type="checkbox" id="capot">Capot</label>`
      : "")
  );
}

const COLUMNS = {
  call: { win_share: "wins", own_made_share: "own contract made", own_capot_share: "Capot" },
  card: {
    win_share: "wins",
    contract_made_share: "contract made",
    own_total_mean: "own total",
    own_capot_share: "Capot",
  },
  auction: {
    win_share: "wins",
    own_countered_share: "coun&shy;tered",
    value_if_not_countered: "if not coun&shy;tered",
  },
};

function renderOdds(isPending) {
  if (hidesValues() && !quiz.hasNoAnswer && (isPending || isAsking())) return renderQuestion();
  const lines = odds && !isPending ? writeHeadline(odds) : [];
  if (quiz && lines.length) lines.unshift(writeLoss());
  const spans = lines.map((line, at) =>
    at ? ` <span class="reason">${colour(escape(line))}</span>` : colour(escape(line)),
  );
  draw("headline", spans.join(""));
  if (!odds) {
    draw("options", "");
    draw("run", "");
    return;
  }
  const columns = COLUMNS[odds.options.length > odds.count ? "auction" : odds.kind],
    [best] = odds.ranking;
  const number = (estimate, isShare) =>
    formatCell(estimate, isShare).replace(/ (±\S+)/, " <small>$1</small>");
  const most = odds.options.length > odds.count ? 5 : 8;
  const order = listRows(),
    shown = showsAll || order.length <= most + 1 ? order : order.slice(0, most);
  const rows = shown.map((option) => {
    const { text } = odds.options[option],
      name = nameOption(text, odds.kind);
    const cells = Object.keys(columns).map((column) =>
      number(odds.estimate(column, option), column.endsWith("_share")),
    );
    const lead = odds.estimate("value", best, option);
    const seemsBetter = lead.value < 0 && lead.high >= 0,
      behind = option === best ? "-" : seemsBetter ? "about 0" : number(lead, false);
    const label =
      odds.kind === "card" || text.startsWith("no ")
        ? `<b>${colour(name)}</b>`
        : button(`choose ${text}`, colour(name));
    return `<tr><th scope="row">${label}</th>${[number(odds.estimate("value", option), false), behind, ...cells].map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  });
  const heads = [odds.kind, "value", "less than the best", ...Object.values(columns)];
  draw(
    "options",
    `<table aria-label="Values" class="${isPending ? "pending" : ""}"><thead><tr>${heads.map((head, at) => `<th scope="col"${at ? "" : ' class="name"'}>${head}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>${isPending ? "" : renderRest(shown.length) + renderAmounts() + renderHidden()}`,
  );
  const count = fixed(odds.moments.deals),
    more = button("more", "Play four times as many deals");
  const end = odds.isExact
    ? `All ${count} distributions of the hidden cards: exact.`
    : `${count} deals, seed 1. ${more}`;
  draw("run", isPending ? `${count} deals…` : end);
  if (play) renderDeck();
}

// The options as the table lists them: the best first, then by their value in these deals (`Odds.rows`).
function listRows() {
  const [best, ...others] = odds.ranking,
    value = new Map(others.map((option) => [option, odds.estimate("value", option).value]));
  return [best, ...others.sort((a, b) => value.get(b) - value.get(a))];
}

// Returns a button that shows the options left out.
function renderRest(shown) {
  const rest = listRows().slice(shown),
    [best] = odds.ranking;
  if (!rest.length) return "";
  const least = Math.min(...rest.map((option) => odds.estimate("value", best, option).value));
  return `<div class="buttons">${button("show", say("left_out", odds, rest.length, least))}</div>`;
}

// Returns where the hidden cards are, behind one tap.
function renderHidden() {
  const places = odds.groups.slice(0, -2),
    percent = (at, group) => fixed(100 * odds.estimateHolding(group, at).value);
  const rows = odds.holdings.map(({ text }, at) => {
    const name = text.replace(/[shdc]$/, (suit) => SIGNS[suit]).replace("any A", "any ace");
    return `<tr><th scope="row">${colour(name)}</th>${places.map((_, group) => `<td>${percent(at, group)}%</td>`).join("")}</tr>`;
  });
  const heads = places.map(([place]) => `<th scope="col">${PLACES[place]}</th>`).join("");
  return `<details id="hidden" aria-label="Where the other cards are"><summary>Where are the other cards?</summary><div class="scroll" tabindex="0" role="region" aria-label="Where the other cards are"><table><thead><tr><th></th>${heads}</tr></thead><tbody>${rows.join("")}</tbody></table></div></details>`;
}

// Returns the chances to make some amounts in the best contracts, in auctions.
function renderAmounts() {
  if (odds.options.length === odds.count) return "";
  const played = new Map(
    odds.options.slice(odds.count).map((option, at) => [option.contract, odds.count + at]),
  );
  const best = new Set(
    odds.ranking.map((option) => odds.options[option].contract).filter((each) => played.has(each)),
  );
  const chosen = [...best].slice(0, 3),
    lowest = odds.options[odds.count].amount;
  const highest = Math.min(Math.max(250, lowest + 70), 2400),
    step = Math.max(10, 10 * Math.ceil((highest - lowest) / 70));
  const amounts = [];
  for (let amount = lowest; amount <= highest && amounts.length < 7; amount += step) amounts.push(amount);
  let half = 0;
  const rows = chosen.map((contract) => {
    const option = played.get(contract),
      chances = amounts.map((amount) => odds.estimateReach(option, amount));
    chances.push(odds.estimate("own_capot_share", option));
    half = Math.max(half, ...chances.map(({ value, low, high }) => Math.max(high - value, value - low)));
    return `<tr><th scope="row">${colour(SIGNS[contract] ?? contract)}</th>${chances.map(({ value }) => `<td>${fixed(100 * value)}%</td>`).join("")}</tr>`;
  });
  return `<div class="scroll" tabindex="0" role="region" aria-label="Chance to make an amount"><table><caption>Chance to make an amount (±${fixed(100 * half, 1)} or less)</caption><thead><tr><th></th>${[...amounts, "Capot"].map((head) => `<th scope="col">${head}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

function render() {
  const focused = document.activeElement;
  const ready = engine && isComplete(),
    calls = ready && readCalls();
  // Until the play begins, a bid that closes the calls may still be countered, and a counter overcountered.
  const isPlayed =
    calls &&
    calls.contract &&
    !missingCards(calls) &&
    (!calls.repliers.length || round.begun || round.plays.length);
  play = isPlayed ? new Play(engine, calls, listHand(calls.contract), round.up, round.plays) : undefined;
  const reason = failure || round.wrong || play?.explainWrongPlay();
  const isAsked = ready && (play ? play.place === round.place && !play.isOver : calls.question !== undefined);
  const question = isAsked && !reason ? writeCommand() : "";
  if (question !== asked) odds = undefined;
  renderDeck(calls);
  find("round").hidden = !ready;
  find("undo").disabled = !past.length;
  if (ready) renderCalls(calls);
  history.replaceState(null, "", `#${writePosition({ rules, round, quiz })}`);
  find("command").textContent = question;
  find("by-command").hidden = !question;
  find("quiz-bar").hidden = !quiz;
  find("quiz").hidden = Boolean(quiz);
  renderResults();
  if (question !== asked) ask(question, calls);
  if (!question) draw("headline", colour(escape(reason ?? "")));
  // Who goes by the keyboard goes on where the next step is asked for.
  if (focused.id && !focused.isConnected) (find(focused.id) ?? find("cards-title")).focus();
}

async function ask(question, calls) {
  asked = question;
  showsAll = isFinal = false;
  pool?.cancel();
  odds = undefined;
  renderOdds(true);
  if (!question) return;
  if (!quiz) draw("run", "Drawing deals…");
  let shown = 0;
  const show = (found, isPending) => {
    if (isPending && performance.now() - shown < 100) return;
    shown = performance.now();
    if (isPending && !found.moments.weights) {
      draw("run", `${fixed(found.hands)} hands tried, and none that would be called like this…`);
    } else if (found.ranking.length) {
      odds = found;
      isFinal = !isPending;
      renderOdds(isPending);
    }
  };
  try {
    if (play) await estimateCards(pool, play, show, deals);
    else await estimateCalls(pool, calls, round.hand, round.up, show, deals, quiz?.choice);
  } catch (error) {
    if (error instanceof Cancelled) return;
    if (!(error instanceof RareCalls)) throw error;
    odds = undefined;
    if (quiz) quiz.hasNoAnswer = true;
    renderOdds(true);
    const reason = error.odds?.asked.length
      ? `There is no answer: ${explainRareCalls(error.odds)}.`
      : "No distribution of the hidden cards agrees with the plays: a card is wrong.";
    draw("headline", colour(escape(reason)));
  }
}

// Clicks and keys.

const ACTIONS = {
  card: clickCard,
  place: (place) => choosePlace(Number(place)),
  call: (...words) => addCall(words.join(" ")),
  bid: (contract) => {
    const capot = find("capot").checked ? " capot" : "";
    find("capot").checked = false;
    addCall(`${find("amount").value} ${contract}${capot}`);
  },
  recall: (count) => change({ calls: round.calls.slice(0, count), more: [], plays: [], begun: false }),
  reply: (word, place) => addCall(word, Number(place)),
  choose: (...words) => {
    const text = words.join(" ");
    if (play) clickCard(text);
    else addCall(text, text.endsWith("counter") ? round.place : undefined);
  },
  all: () => {
    const turns = round.calls.length,
      missing = (round.place - (turns % 6) + 6) % 6;
    change({ calls: Array(turns + missing).fill({ text: "pass" }) });
  },
  begin: () => change({ begun: true }),
  show: () => {
    showsAll = true;
    renderOdds(false);
  },
  more: () => {
    deals *= 4;
    render();
  },
};

document.addEventListener("click", (event) => {
  const action = event.target.closest("[data-do]")?.dataset.do;
  if (!action) return;
  const [name, ...words] = action.split(" ");
  ACTIONS[name](...words);
});

find("rules").addEventListener("change", () => {
  const given = new FormData(find("rules"));
  rules = {
    teams: Number(given.get("teams")),
    bidding: given.get("bidding"),
    errors: Number(given.get("errors")),
  };
  engine = undefined;
  if (quiz) askQuiz(quiz.subject);
  past = [];
  round = { ...start(), place: round.place, hand: round.hand.slice(0, handSize()) };
  round.calls = Array(round.place).fill({ text: "pass" });
  render();
  openTable();
});

find("undo").addEventListener("click", () => {
  round = JSON.parse(past.pop());
  quiz = undefined;
  deals = DEALS;
  render();
});
find("again").addEventListener("click", () => change(start()));
for (const id of ["quiz", "next"]) find(id).addEventListener("click", nextQuestion);
find("quiz-subject").addEventListener("change", nextQuestion);
find("clear").addEventListener("click", () => keepResults({}));
find("share").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
  } catch {
    prompt("Copy the link:", location.href); // A page served without https may not use the clipboard.
  }
});

let typed = ""; // Cards may be typed: 9h.
document.addEventListener("keydown", ({ key, ctrlKey, metaKey, altKey }) => {
  if (ctrlKey || metaKey || altKey || key.length > 1) return;
  const card = typed + key.toLowerCase();
  typed = RANKS.includes(key.toUpperCase()) ? key.toUpperCase() : "";
  if (/^[4-9TJQKHA][shdc]$/.test(card)) {
    typed = "";
    clickCard(card);
  }
});

// Beside a page that is served stand a script that keeps it for use without a network, and what a browser
// needs to install it.
if (location.protocol !== "file:") {
  // Without it the page works, but not without a network.
  navigator.serviceWorker?.register("kqj-offline.js").catch(() => {});
  document.head.append(
    Object.assign(document.createElement("link"), { rel: "manifest", href: "kqj.webmanifest" }),
  );
}

// Says why there is no answer any more: what the browser lacks, a worker without memory, a defect.
function fail(message) {
  const missing = ["WebAssembly", "DecompressionStream"].find((name) => !(name in window));
  failure = missing
    ? `The page cannot compute: this browser lacks ${missing}, or it is switched off.`
    : `The page cannot go on: ${String(message).replace("Uncaught ", "")}. Reload it.`;
  asked = "";
  pool?.cancel();
  for (const id of ["options", "run"]) draw(id, "");
  draw("headline", escape(failure));
}

addEventListener("error", ({ error, message }) => fail(error?.message ?? message));
addEventListener("unhandledrejection", ({ reason }) => fail(reason?.message ?? reason));
addEventListener("hashchange", () => location.reload());
openLink();
render();
openTable();
