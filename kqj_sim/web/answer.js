// The answer: sentences, and the tables of options, amounts and hidden cards.

const COLUMNS = {
  call: ["win_share", "own_made_share", "own_capot_share"],
  card: ["win_share", "contract_made_share", "own_total_mean", "own_capot_share"],
  auction: ["win_share", "own_countered_share", "value_if_not_countered"],
};

function renderOdds(isPending) {
  const { odds, quiz } = state,
    isDraft = isPending && Boolean(odds) && !hidesValues();
  find("headline").classList.toggle("pending", isDraft);
  find("headline").ariaBusy = isDraft; // Whoever listens to the page hears what is final.
  if (hidesValues() && !quiz?.hasNoAnswer && (!quiz || isPending || isAsking())) return renderQuestion();
  // From the first deals on the decision stands there, its reasons with the last ones.
  const lines = odds ? writeHeadline(odds).slice(0, isPending ? 1 : undefined) : [];
  if (quiz && odds && !isPending) lines.unshift(writeLoss());
  const spans = lines.map((line, at) =>
    at ? ` <span class="reason">${colour(escape(line))}</span>` : colour(escape(line)),
  );
  draw("headline", spans.join(""));
  draw("options", odds ? drawOptions(isPending) : "");
  draw("run", odds ? drawRun(isPending) : "");
  if (odds && state.play) renderTable();
}

const drawRow = (head, cells) =>
  `<tr><th scope="row">${head}</th>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
const drawHeads = (heads) => heads.map((head) => `<th scope="col">${head}</th>`).join("");

function drawOptions(isPending) {
  const { odds } = state,
    { scores } = odds.rules,
    hasContracts = odds.options.length > odds.count,
    columns = COLUMNS[hasContracts ? "auction" : odds.kind].slice(0, scores ? 2 : undefined),
    [best] = odds.ranking,
    most = hasContracts ? 5 : 8;
  const number = (estimate, isShare) =>
    formatCell(estimate, isShare).replace(/ (±\S+)/, " <small>$1</small>");
  const order = listRows(),
    listed = state.showsAll || order.length <= most + 1 ? order : order.slice(0, most);
  const rows = listed.map((option) => {
    const { text } = odds.options[option],
      name = colour(nameOption(text, odds.kind)),
      isButton = odds.kind === "call" && !text.startsWith("no "),
      lead = odds.estimate(odds.moments.ranking, best, option),
      seemsBetter = lead.value < 0 && lead.high >= 0,
      behind = option === best ? "-" : seemsBetter ? TEXTS.about_zero : number(lead, Boolean(scores)),
      value = number(odds.estimate("value", option), false);
    return drawRow(isButton ? button(`choose ${text}`, name) : `<b>${name}</b>`, [
      ...(scores ? [number(odds.estimate(GAME_MEASURE, option), true), behind, value] : [value, behind]),
      ...columns.map((column) => number(odds.estimate(column, option), column.endsWith("_share"))),
    ]);
  });
  const first = scores ? [TEXTS.wins_game, TEXTS.fewer_games, TEXTS.value] : [TEXTS.value, TEXTS.behind],
    heads = [...first, ...columns.map((column) => TEXTS.columns[column])],
    head = `<tr><th scope="col" class="name">${TEXTS.kinds[odds.kind]}</th>${drawHeads(heads)}</tr>`,
    note = `<p class="note">${odds.kind === "call" ? TEXTS.tap_row : ""} ${drawHelp("value", "capot")}</p>`,
    further = isPending ? "" : note + drawRest(listed.length) + drawAmounts() + drawHidden();
  return `<table aria-label="${TEXTS.values}" class="${isPending ? "pending" : ""}"><thead>${head}</thead><tbody>${rows.join("")}</tbody></table>${further}`;
}

function drawRun(isPending) {
  const { odds } = state,
    count = fixed(odds.moments.deals);
  if (isPending) return TEXTS.deals_so_far(count);
  if (odds.isExact) return TEXTS.exact(count);
  const early = odds.early && fixed(odds.early.deals);
  return `${TEXTS.deals(count, early)} ${button("more", TEXTS.more_deals)}`;
}

// The options as the table lists them: the best first, then by their value in these deals (`Odds.rows`).
function listRows() {
  const { odds } = state,
    [best, ...others] = odds.ranking,
    value = new Map(others.map((option) => [option, odds.estimate(odds.moments.ranking, option).value]));
  return [best, ...others.sort((a, b) => value.get(b) - value.get(a))];
}

// Returns a button that shows the options left out.
function drawRest(listed) {
  const { odds } = state,
    rest = listRows().slice(listed);
  if (!rest.length) return "";
  const { ranking } = odds.moments,
    least = Math.min(...rest.map((option) => odds.estimate(ranking, odds.ranking[0], option).value)),
    of = { kind: odds.kind, measures: { game: odds.rules.scores } };
  return `<div class="buttons">${button("show", say("left_out", of, rest.length, least))}</div>`;
}

const drawScroll = (label, table) =>
  `<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>${table}</table></div>`;

// Returns a card, or a kind of cards such as `any h` or `KQJ h`.
const nameHolding = (text) =>
  text === "any A"
    ? TEXTS.any_ace
    : [...text.slice(0, -1)].map(text.startsWith("any") ? String : localizeRank).join("").replace("any", TEXTS.any) + SIGNS[text.at(-1)];

// Returns where the hidden cards are, behind one tap.
function drawHidden() {
  const { odds } = state,
    places = odds.groups.slice(0, -2);
  const rows = odds.holdings.map(({ text }, at) => {
    const name = nameHolding(text),
      percent = (group) => `${fixed(100 * odds.estimateHolding(group, at).value)}%`;
    return drawRow(
      colour(name),
      places.map((_, group) => percent(group)),
    );
  });
  const heads = drawHeads(places.map(([place]) => TEXTS.places[place])),
    table = `<thead><tr><th></th>${heads}</tr></thead><tbody>${rows.join("")}</tbody>`;
  return `<details id="hidden" aria-label="${TEXTS.hidden_cards}"><summary>${TEXTS.ask_hidden_cards}</summary>${drawScroll(TEXTS.hidden_cards, table)}</details>`;
}

// Returns the chances to make some amounts in the best contracts, in auctions.
function drawAmounts() {
  const { odds } = state;
  if (odds.options.length === odds.count) return "";
  const played = new Map(
    odds.options.slice(odds.count).map((option, at) => [option.contract, odds.count + at]),
  );
  const best = new Set(
    odds.ranking.map((option) => odds.options[option].contract).filter((each) => played.has(each)),
  );
  const lowest = odds.options[odds.count].amount,
    highest = Math.min(Math.max(250, lowest + 70), 2400),
    step = Math.max(10, 10 * Math.ceil((highest - lowest) / 70));
  const amounts = [];
  for (let amount = lowest; amount <= highest && amounts.length < 7; amount += step) amounts.push(amount);
  let half = 0;
  const rows = [...best].slice(0, 3).map((contract) => {
    const option = played.get(contract),
      chances = amounts.map((amount) => odds.estimateReach(option, amount));
    chances.push(odds.estimate("own_capot_share", option));
    half = Math.max(half, ...chances.map(({ value, low, high }) => Math.max(high - value, value - low)));
    return drawRow(
      colour(SIGNS[contract] ?? translate(contract)),
      chances.map(({ value }) => `${fixed(100 * value)}%`),
    );
  });
  const caption = `${TEXTS.amounts} ${TEXTS.within(`${fixed(100 * half, 1)}`)}`,
    heads = drawHeads([...amounts, TEXTS.capot]);
  return drawScroll(
    TEXTS.amounts,
    `<caption>${caption}</caption><thead><tr><th></th>${heads}</tr></thead><tbody>${rows.join("")}</tbody>`,
  );
}
