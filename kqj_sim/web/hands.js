// Hands that were tapped, by their links: the browser keeps the latest.

const KEPT_HANDS = "kqj-hands",
  MAX_HANDS_KEPT = 20;

function readHands() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT_HANDS)) ?? [];
    return Array.isArray(kept) ? kept.filter((hand) => typeof hand?.link === "string") : [];
  } catch {
    return []; // The browser keeps nothing.
  }
}

// Keeps the hand that is shown, with how far its round has come, in place of what was kept of it before.
function keepHand() {
  const { rules, round, quiz } = state;
  if (quiz || isDealt()) return;
  const cards = [...round.hand, round.up].filter(Boolean).join(" "),
    others = readHands().filter((hand) => hand.cards !== cards),
    hand = { cards, link: writePosition({ rules, round }), day: new Date().toISOString().slice(0, 10) };
  try {
    localStorage.setItem(KEPT_HANDS, JSON.stringify([...others, hand].slice(-MAX_HANDS_KEPT)));
  } catch {
    return; // Nothing is kept.
  }
  renderHands();
}

function renderHands() {
  const items = readHands().map(({ cards, link, day }) => {
    const text = `${cards}`.split(" ").map((card) => colour(escape(formatCard(card))));
    return `<li><a href="#${escape(link)}">${escape(`${day}`)} ${text.join(" ")}</a></li>`;
  });
  find("hands-kept").hidden = !items.length;
  draw("hands-list", items.reverse().join(""));
}
