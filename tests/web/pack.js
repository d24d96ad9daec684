// Packs positions as the page does: `node pack.js FOLDER < positions`, where the folder has the engine.

const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [folder] = process.argv.slice(2);
for (const name of ["texts.js", "french.js", "french_sentences.js", "language.js", "engine.js", "words.js", "calls.js", "round.js"])
  vm.runInThisContext(fs.readFileSync(path.join(__dirname, "../../kqj_sim/web", name), "utf8"));
const module_ = new WebAssembly.Module(fs.readFileSync(path.join(folder, "engine.wasm")));
const tables = JSON.parse(fs.readFileSync(path.join(folder, "tables.json"), "utf8"));
const { constants, positions } = JSON.parse(fs.readFileSync(0, "utf8"));

function openTable(name) {
  const { rules, cards } = tables[name];
  return Object.assign(new Engine(module_, { rules, cards }), { constants });
}

function pack(engine, { table, own, hand, up, calls, plays, amount, isChecked }) {
  const [teams, bidding] = table.split("-");
  const kind = bidding === "take" ? TAKE : BID,
    parsed = calls.map(([place, text]) => ({ place, kind, ...parseCall(text) }));
  const called = new Calls(engine, { teams: Number(teams), bidding, pending: 0 }, own, parsed);
  if (plays !== null) {
    const play = new Play(engine, called, hand, up, plays);
    if (isChecked) return { wrong: play.explainWrongPlay() };
    return { question: "card", ...play.pack(), texts: play.legal, layouts: [...play.listLayouts(20000)] };
  }
  const { question } = called,
    options = called.list(own, question, up),
    isBid = question === BID && amount;
  return {
    question,
    ...called.pack(hand, up),
    texts: options.map((option) => option.text),
    options: options.map((option) => option.packed),
    contracts: isBid ? CONTRACTS.map((_, at) => called.makeContract(amount, at).packed) : [],
    bids: isBid ? CONTRACTS.map((_, at) => called.makeBid(amount, at, at % 2 > 0).packed) : [],
  };
}

const engines = Object.fromEntries(Object.keys(tables).map((name) => [name, openTable(name)]));
const answers = positions.map((position) => pack(engines[position.table], position));
// Numbers of 64 bits as text.
const write = (_, value) =>
  typeof value === "bigint" ? value.toString() : ArrayBuffer.isView(value) ? [...value] : value;
console.log(JSON.stringify(answers, write));
