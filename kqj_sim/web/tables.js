// The data in the page, and the engine for its rules.

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

const nameTable = ({ teams, bidding }) => `${teams}-${bidding}`;

async function openTable() {
  const name = nameTable(state.rules);
  state.module ??= await WebAssembly.compile(await unpack("engine"));
  const [tables, questions] = (await Promise.all(["tables", "questions"].map(unpack))).map((data) =>
    JSON.parse(new TextDecoder().decode(data)),
  );
  const weights = interleave(await unpack(`weights-${name}`));
  if (name !== nameTable(state.rules)) return; // Other rules were chosen meanwhile.
  const { module } = state,
    { rules: packed, cards } = tables[name];
  state.engine = new Engine(module, { rules: packed, cards }, weights);
  state.engine.constants = { ...tables.constants, ...tables.questions[name] };
  state.engine.rounds = tables.rounds[name];
  state.questions = questions[name];
  state.pool?.workers.forEach((worker) => worker.terminate());
  const script = [find("engine").textContent, find("worker").textContent];
  const source = URL.createObjectURL(new Blob(script, { type: "text/javascript" }));
  const message = { module, table: tables[name], weights, constants: tables.constants };
  state.pool = new Pool(message, source, navigator.hardwareConcurrency || 2);
  if (state.quiz) return dealQuiz();
  if (isDealt()) state.round = advance(state.round);
  return render();
}
