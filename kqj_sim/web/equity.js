// A worker's chance to win the game, from some scores (`kqj_sim/stats/equity.py`).  Scores are in tens here.

const AXES = 3, // Of a state; with two teams the first is always 0.
  LEVELS = [0, 1]; // Whether a gratuity is pending.

// A round of `rounds` (`tools/page/build.py`), of which the team `dealer` deals.
function readRound(row, teams, dealer) {
  const turn = (values) => values.map((_, team) => values[(team - dealer + teams) % teams]);
  return {
    result: row[0],
    left: row[1],
    wins: turn(row.slice(2, 2 + teams)),
    scores: turn(row.slice(2 + teams, 2 + 2 * teams)),
    count: row.at(-1),
  };
}

const toAxes = (scores) => [...Array(AXES - scores.length).fill(0), ...scores];

// Returns the gratuity of a litigation: the one that is pending, or else the mean.
function findGratuity({ rounds, pending }) {
  const drawn = rounds.filter((row) => row[0] === OUT.LITIGATION),
    total = drawn.reduce((sum, row) => sum + row.at(-1), 0);
  if (pending || !total) return pending;
  return 10 * Math.round(drawn.reduce((sum, row) => sum + row[1] * row.at(-1), 0) / total / 10);
}

// Returns the outcomes of a round for each dealer, with a gratuity pending or not (`EquityTable.list_transitions`).
function listTransitions({ teams, rounds, pending }, most) {
  const gratuity = findGratuity({ rounds, pending }),
    found = { steps: [], pending: [], chances: [], starts: [0], lastAxis: [] };
  for (let dealer = 0; dealer < teams; dealer++) {
    const turned = rounds.map((row) => readRound(row, teams, dealer)),
      total = turned.reduce((sum, { count }) => sum + count, 0);
    for (const level of LEVELS) {
      const counts = new Map();
      for (const { result, wins, scores, count } of turned) {
        const steps = toAxes(scores.map((score, at) => (score + level * gratuity * wins[at]) / 10)).map((step) =>
          Math.min(step, most),
        );
        const after = result === OUT.PASSED_OUT ? level : Number(result === OUT.LITIGATION),
          isLast = Number(steps.slice(0, -1).every((step) => !step)),
          // As one number, by which they are ordered.
          key = [isLast, ...steps, after].reduce((number, part) => 1024 * number + part);
        counts.set(key, (counts.get(key) ?? 0) + count);
      }
      const keys = [...counts.keys()].sort((a, b) => a - b),
        part = (key, at) => Math.floor(key / 1024 ** (AXES + 1 - at)) % 1024;
      for (const key of keys) {
        found.steps.push(...[1, 2, 3].map((at) => part(key, at)));
        found.pending.push(part(key, AXES + 1));
        found.chances.push(counts.get(key) / total);
      }
      const start = found.starts.at(-1);
      found.lastAxis.push(start + keys.filter((key) => !part(key, 0)).length);
      found.starts.push(start + keys.length);
    }
  }
  return found;
}

// Returns the chances of a team to win the game: now, by the team that deals, and after the round that team
// `teams - 1` deals, for each score and gratuity (`Equity`).
function solveGame(game) {
  const { teams, team, scores, target, pending } = game,
    end = Math.ceil(target / 10),
    base = toAxes(scores.map((score) => score / 10)),
    rounds = listTransitions(game, end),
    open = base.map((score, axis) => (axis < AXES - teams ? 1 : end - score)),
    shape = open.map((size, axis) => size + Math.max(...rounds.steps.filter((_, at) => at % AXES === axis))),
    [, height, depth] = shape,
    size = shape.reduce((product, length) => product * length, 1),
    values = engine.array("f32", [teams, 2, ...shape]);
  const first = values.view().subarray(0, size),
    own = AXES - teams + team;
  let at = 0;
  for (let x = base[0]; x < base[0] + shape[0]; x++)
    for (let y = base[1]; y < base[1] + height; y++)
      for (let z = base[2]; z < base[2] + depth; z++) {
        const best = Math.max(x, y, z),
          leaders = (x === best) + (y === best) + (z === best);
        first[at++] = [x, y, z][own] === best ? 1 / leaders : 0;
      }
  for (let part = 1; part < 2 * teams; part++) values.view().copyWithin(part * size, 0, size);
  engine.call("solve", values, engine.copy("i64", open), [
    engine.copy("i64", rounds.steps, [rounds.steps.length / AXES, AXES]),
    engine.copy("i64", rounds.pending),
    engine.copy("f64", rounds.chances),
    engine.copy("i64", rounds.starts),
    engine.copy("i64", rounds.lastAxis),
  ]);
  const all = values.view(),
    isPending = Number(pending > 0),
    now = Array.from({ length: teams }, (_, dealer) => all[(2 * dealer + isPending) * size]),
    box = shape.map((length) => Math.min(length, end + 1)), // A round brings no more than the whole target.
    after = new Float32Array(2 * box.reduce((product, length) => product * length, 1));
  let filled = 0;
  for (const level of LEVELS)
    for (let x = 0; x < box[0]; x++)
      for (let y = 0; y < box[1]; y++) {
        const row = level * size + (x * height + y) * depth;
        after.set(all.subarray(row, row + box[2]), filled);
        filled += box[2];
      }
  engine.release();
  return { teams, now, after, box, isPending };
}

// Fills the chances after rounds with some outcomes, as `GameMeasure`.
function fillGameShares({ teams, after, box, isPending }, outcomes, values) {
  const [options, deals, size] = outcomes.shape,
    all = outcomes.view(),
    found = values.view(),
    axes = box.map((_, axis) => axis - (AXES - teams));
  for (let row = 0; row < options * deals; row++) {
    const at = row * size,
      result = all[at + OUT.RESULT],
      level = Number(result === OUT.LITIGATION || (result === OUT.PASSED_OUT && isPending));
    let cell = level;
    axes.forEach((team, axis) => {
      const step = team < 0 ? 0 : all[at + OUT.TEAM_SCORES + team] / 10;
      cell = cell * box[axis] + Math.min(step, box[axis] - 1);
    });
    found[row] = after[cell];
  }
}
