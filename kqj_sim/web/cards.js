// The cards: the deck, the player's hand, and the last tricks.

const SUITED = [...SUITS].map((suit) => [..."ATHKQJ987654"].map((rank) => rank + suit));

const nameCard = ([rank, suit]) => TEXTS.card(TEXTS.ranks[rank] ?? rank, TEXTS.suits[suit]);

function findRole(card) {
  const { round, play } = state;
  if (play && round.plays.includes(card)) return "gone";
  if ([...round.hand, ...round.more, ...(play?.hand ?? [])].includes(card)) return "hand";
  return card === round.up ? "up" : "";
}

function drawCard(card, { value = "", disabled = false, readOnly = false } = {}) {
  const role = findRole(card),
    label = [nameCard(card), role && TEXTS.roles[role], value && TEXTS.card_value(value)];
  const attributes = [
    `class="${"hd".includes(card[1]) ? "red" : ""}" data-role="${role}"`,
    readOnly ? "data-read-only disabled" : disabled ? "disabled" : "",
    `aria-label="${label.filter(Boolean).join(", ")}"`,
    state.play ? "" : `aria-pressed="${role !== ""}"`,
  ];
  const text = formatCard(card) + (value && `<small>${value}</small>`);
  return button(`card ${card}`, text, attributes.join(" "));
}

const drawDeck = (drawOne) =>
  SUITED.map((cards) => `<div class="suit">${cards.map(drawOne).join("")}</div>`).join("");

function drawHand(cards, drawOne) {
  const sorted = SUITED.flat().filter((card) => cards.includes(card));
  return `<div class="hand">${sorted.map(drawOne).join("")}</div>`;
}

// Draws the deck, or once all cards are known those of the player alone.
function renderDeck(calls) {
  if (state.play) return renderTable();
  const { hand, up, more } = state.round,
    missing = handSize() - hand.length,
    further = calls ? missingCards(calls) : 0;
  const [title, html] =
    missing || (state.rules.bidding === "take" && !up)
      ? [
          missing ? TEXTS.tap_cards(missing, handSize()) : TEXTS.tap_return,
          drawDeck((card) => drawCard(card)),
        ]
      : further
        ? [
            TEXTS.tap_further(further, further + more.length),
            drawDeck((card) => drawCard(card, { disabled: hand.includes(card) || card === up })),
          ]
        : [state.quiz ? TEXTS.your_cards : TEXTS.change_cards, drawKnown(hand, up)];
  draw("cards-title", title);
  draw("deck", html);
}

function drawKnown(hand, up) {
  const one = (card) => drawCard(card, { readOnly: Boolean(state.quiz) });
  return drawHand(hand, one) + (up ? `<div class="hand"><span>${TEXTS.return}</span>${one(up)}</div>` : "");
}

// Draws the cards that may be played now, with the value of the player's own.
function renderTable() {
  const { play, odds, round } = state,
    isOwn = play.place === round.place,
    title = isOwn ? TEXTS.your_turn : TEXTS.card_of(TEXTS.speakers[play.place]);
  const isValued = isOwn && odds?.kind === "card" && odds.ranking.length && !hidesValues();
  const value = (card) => {
    const option = isValued ? odds.texts.indexOf(card) : -1;
    return option < 0 ? "" : formatPoints(odds.estimate("value", option));
  };
  const one = (card) => drawCard(card, { value: value(card), disabled: !play.legal.includes(card) });
  const cards = play.isOver ? "" : isOwn ? drawHand(play.left, one) : drawDeck(one);
  draw("cards-title", play.isOver ? TEXTS.round_over : title);
  draw("deck", cards + drawTricks());
}

function drawTricks() {
  const { play, round } = state,
    tricks = [];
  play.holders.forEach((place, at) => {
    if (at % 6 === 0) tricks.push([]);
    const who = place === round.place ? TEXTS.you : TEXTS.places[place];
    tricks.at(-1).push(`<span><b>${who}</b> ${colour(formatCard(round.plays[at]))}</span>`);
  });
  if (!tricks.length) return "";
  const first = Math.max(0, tricks.length - 2),
    items = tricks.slice(first).map((cards, at) => `<li value="${first + at + 1}">${cards.join(" ")}</li>`);
  return `<ol id="tricks" aria-label="${TEXTS.last_tricks}">${items.join("")}</ol>`;
}
