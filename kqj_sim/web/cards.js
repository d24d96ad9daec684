// The cards: the deck, the player's hand, and the last tricks.

const SUITED = [...SUITS].map((suit) => [..."ATHKQJ987654"].map((rank) => rank + suit));

const namePlace = (place) => (place === state.round.place ? TEXTS.you : TEXTS.places[place]);
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

const drawSuits = (suits, drawOne) => suits.map((cards) => `<div class="suit">${cards.map(drawOne).join("")}</div>`).join("");
const drawDeck = (drawOne) => drawSuits(SUITED, drawOne);

// Draws the cards that may be tapped once the player's are known; on a phone two suits stand side by side.
function drawRestOfDeck(mayTap, drawOne) {
  const suits = SUITED.map((cards) => cards.filter(mayTap)).filter((cards) => cards.length);
  return `<div class="suits">${drawSuits(suits, drawOne)}</div>`;
}

function drawHand(cards, drawOne) {
  const sorted = SUITED.flat().filter((card) => cards.includes(card));
  return `<div class="hand">${sorted.map(drawOne).join("")}</div>`;
}

// Whether the cards are not the player's to tap: they were dealt.
const isFixed = () => Boolean(state.quiz) || isDealt();

// Draws the deck, or once all cards are known those of the player alone.
function renderDeck({ calls }) {
  if (state.play) return renderTable();
  if (isDealt() && !state.engine) return draw("cards-title", TEXTS.dealing);
  const { hand, up, more } = state.round,
    missing = isDealt() ? 0 : handSize() - hand.length,
    further = calls && !isDealt() ? missingCards(calls) : 0;
  const [title, html] =
    missing || (state.rules.bidding === "take" && !up && !isDealt())
      ? [
          missing ? TEXTS.tap_cards(missing, handSize()) : TEXTS.tap_return,
          drawDeck((card) => drawCard(card)),
        ]
      : further
        ? [
            TEXTS.tap_further(further, further + more.length),
            drawRestOfDeck(
              (card) => !hand.includes(card) && card !== up,
              (card) => drawCard(card),
            ),
          ]
        : [isFixed() ? TEXTS.your_cards : TEXTS.change_cards, drawKnown(hand, up)];
  draw("cards-title", title);
  draw("deck", html);
}

function drawKnown(hand, up) {
  const one = (card) => drawCard(card, { readOnly: isFixed() });
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
  const mayTap = (card) => play.legal.includes(card),
    one = (card) => drawCard(card, { value: value(card), disabled: !mayTap(card) }),
    cards = play.isOver ? "" : isOwn ? drawHand(play.left, one) : drawRestOfDeck(mayTap, one);
  draw("cards-title", play.isOver ? TEXTS.round_over : title);
  draw("deck", cards);
}

// Draws the trick on the table, the points so far, and who won the tricks before.
function renderTricks({ play }) {
  find("table").hidden = !play?.plays.length;
  if (!play) return;
  const finished = listTricks(play),
    now = play.isOver ? finished.length - 1 : finished.length,
    cards = play.plays.slice(6 * now, 6 * now + 6),
    // While nobody has led, the last trick lies there.
    trick = cards.length || !now ? now : now - 1;
  draw("table-title", TEXTS.trick_number(trick + 1));
  draw("trick", drawTrick(play, trick, finished[trick]?.winner) + drawPoints(play));
  const items = finished.map(({ leader, cards: played, winner }) => {
    const names = played.map((card, step) => {
      const place = (leader + step) % 6,
        text = `${namePlace(place)} ${colour(formatCard(card))}`;
      return `<span>${place === winner ? `<b>${text}</b>` : text}</span>`;
    });
    return `<li>${names.join(" ")}</li>`;
  });
  const list = `<ol id="tricks" aria-label="${TEXTS.finished_tricks}">${items.join("")}</ol>`;
  draw("finished", finished.length ? `<summary>${TEXTS.finished_tricks}</summary>${list}` : "");
  find("finished").hidden = !finished.length;
}

// Returns a trick as it lies on the table: the player at the bottom, the others clockwise.
function drawTrick(play, trick, winner) {
  const cards = play.plays.slice(6 * trick, 6 * trick + 6),
    items = cards.map((card, step) => {
      const place = play.holders[6 * trick + step],
        role = [place === winner ? TEXTS.wins : "", step ? "" : TEXTS.led].filter(Boolean).join(", "),
        seat = (place - state.round.place + 6) % 6;
      return `<li class="seat-${seat}${place === winner ? " winner" : ""}"><span>${namePlace(place)}</span><b class="${"hd".includes(card[1]) ? "red" : ""}">${formatCard(card)}</b><small>${role}</small></li>`;
    });
  return `<ol class="trick" aria-label="${TEXTS.trick_number(trick + 1)}">${items.join("")}</ol>`;
}
