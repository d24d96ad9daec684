// The language of the page: English, or French.  Texts stand in a table for each (`texts.js`, `french.js`); a sentence of
// the package, or of a check, is an English template with fields, `{0}`, for which French has another one
// (`french_sentences.js`).

const LANGUAGES = { en: [ENGLISH, {}], fr: [FRENCH, FRENCH_SENTENCES] };
const TEXTS = {},
  language = {}; // The `code` of the language, and its `sentences`.

function speak(code) {
  const [texts, sentences] = LANGUAGES[code];
  Object.assign(TEXTS, texts);
  Object.assign(language, { code, sentences });
}

speak("en");

const isFrench = () => language.code === "fr";

// Returns a word in the language of the page: a call, a contract or a kind of option.
function translate(value) {
  if (value === undefined || value === null) throw new Error("a sentence lacks a value");
  const text = String(value);
  if (!isFrench()) return text;
  return (
    language.sentences[text] ??
    text.replace(/^take (?=.)/, "je prends ").replace(/\b[NA]T\b/g, (word) => language.sentences[word])
  );
}

// Returns a template with values in its fields.
function fill(template, ...values) {
  const put = (text, words) => text.replace(/\{(\d)\}/g, (_, number) => words[number]),
    english = put(template, values),
    { sentences } = language;
  return sentences[english] ?? put(sentences[template] ?? template, values.map(translate));
}

// A template as a literal, whose values are its fields.
const tell = ({ raw }, ...values) => fill(raw.reduce((text, part, at) => `${text}{${at - 1}}${part}`), ...values.map(String));

// Writes digits as the language does: 1,024.5 or 1 024,5.
const localize = (digits) =>
  isFrench() ? digits.replace(/[,.]/g, (sign) => (sign === "," ? "\u202f" : ",")) : digits;

// The ranks of cards that French names otherwise.
const localizeRank = (rank) => (isFrench() ? ({ K: "R", Q: "D", J: "V", T: "10" }[rank] ?? rank) : rank);

const LANGUAGE_KEY = "kqj-language";

// Returns the language that was chosen before, or that of the browser.
function findLanguage() {
  let kept;
  try {
    kept = localStorage.getItem(LANGUAGE_KEY);
  } catch {
    // The browser keeps nothing.
  }
  const wanted = [kept, ...navigator.languages].map((code) => code?.slice(0, 2));
  return wanted.find((code) => code in LANGUAGES) ?? "en";
}

function keepLanguage(code) {
  try {
    localStorage.setItem(LANGUAGE_KEY, code);
  } catch {
    // Nothing is kept.
  }
}
