// Drawing: HTML as text, and how elements are brought to it.

const find = (id) => document.getElementById(id);

const escape = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
const colour = (html) => html.replace(/(10|[^ ])?[♥♦]/g, (part) => `<span class="red">${part}</span>`);
const button = (action, text, more = "") =>
  `<button type="button" data-do="${escape(action)}" id="do-${escape(action).replace(/ /g, "-")}" ${more}>${text}</button>`;

// A button that opens a line of help on some terms of `TEXTS.terms`.
const nameTerms = (terms) => TEXTS.explain(terms.map((term) => TEXTS.terms[term][0]).join(", "));
const drawHelp = (...terms) =>
  `<button type="button" class="help" data-do="explain ${terms.join(" ")}" aria-label="${nameTerms(terms)}">?</button>`;
const drawTerms = (terms) => terms.map((term) => TEXTS.terms[term]).map(([name, meaning]) => `<dt>${name}</dt><dd>${meaning}</dd>`).join("");

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

