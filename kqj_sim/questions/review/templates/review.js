"use strict";
(() => {
  const data = JSON.parse(document.getElementById("review").textContent);
  const SIGNS = { s: "\u2660", h: "\u2665", d: "\u2666", c: "\u2663" };
  const sections = [...document.querySelectorAll("section.round")];
  if (!sections.length) return;
  const viewer = document.getElementById("viewer").content.firstElementChild.cloneNode(true);
  // The players as nouns, and by decision what was done and the best option in words.
  const nouns = sections.map((section) => JSON.parse(section.dataset.nouns));
  const words = sections.map((section) => JSON.parse(section.dataset.words));
  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  let round = 0, step = 0, open = true, steps = [];
  // The decisions of all rounds that lost most, as on the screen: shown mistakes first.
  const worst = data.rounds.flatMap((played, number) => played.worst.map((index) => ({
    ...played.decisions.find((decision) => decision.number === index), round: number,
  }))).sort((a, b) => b.mistake - a.mistake || b["loss_" + data.grade] - a["loss_" + data.grade]);
  let next = 0;
  // How the round goes on after a card, if that is followed: the decision, and `choice` or `best`.
  let line = null;
  const readRecord = () => {
    const record = data.rounds[round].record;
    if (!line) return record;
    return { ...record, tricks: record.tricks.slice(0, line.decision.trick - 1).concat(line.decision.lines[line.name]) };
  };

  const make = (tag, text, kind) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  };
  const points = (number) => number.toFixed(1).replace(/^-0\.0$/, "0.0").replace("-", "\u2212");
  const share = (number) => points(100 * number) + "%";
  const look = (path) => path.split(".").reduce((value, key) => value[key], data);
  const value = (path, show) => {
    const made = make("span", show(look(path)));
    made.dataset.value = path;
    return made;
  };
  const signed = (text) => text.replace(/\b([ATHKQJ987654]?)([shdc])\b/g, (all, rank, suit) => rank + SIGNS[suit]).replace("capot", "Capot");

  function listSteps() {
    const record = readRecord(), { decisions } = data.rounds[round];
    const made = [{ at: "start" }];
    // What follows a card is graded only in the round itself.
    const grade = (at) => decisions.findIndex((each) => each.at === at && (!line || each.number <= line.decision.number));
    (record.calls || []).forEach((call, k) => {
      const at = "c." + (k + 1);
      made.push({ at, call: k, seat: call.seat, decision: grade(at) });
      decisions.forEach((each, index) => {
        if (each.at.startsWith(at + ".")) made.push({ at: each.at, call: k + 1, seat: each.seat, decision: index });
      });
    });
    (record.tricks || []).forEach((trick, t) => trick.cards.forEach((card, k) => {
      const at = (t + 1) + "." + (k + 1), seats = data.rounds[round].players.length;
      made.push({ at, trick: t, card: k, seat: (trick.leader + k) % seats, decision: grade(at) });
    }));
    made.push({ at: "end" });
    return made;
  }

  function findPlayed(record, now) {
    const played = [];
    (record.tricks || []).forEach((trick, t) => trick.cards.forEach((card, k) => {
      if (now.at === "end" || (now.trick !== undefined && (t < now.trick || (t === now.trick && k < now.card)))) played.push(card);
    }));
    return new Set(played);
  }

  function drawCard(name, decision, path) {
    const made = make("span", name[0] + SIGNS[name[1]], "card" + ("hd".includes(name[1]) ? " red" : ""));
    if (!decision) return made;
    const index = decision.options.findIndex((each) => each.name === name);
    if (index < 0) return made;
    const small = make("small");
    small.append(value(path + ".options." + index + ".value", points));
    made.append(small);
    if (name === decision.best) made.classList.add("best");
    if (name === decision.choice) made.classList.add("chosen");
    if (name === decision.choice && decision.mistake) made.classList.add("wrong");
    return made;
  }

  function drawTable() {
    const found = data.rounds[round], record = readRecord(), now = steps[step];
    const index = now.decision === undefined ? -1 : now.decision;
    const decision = index >= 0 ? found.decisions[index] : null;
    const path = "rounds." + round + ".decisions." + index;
    const played = findPlayed(record, now);
    const table = viewer.querySelector(".table");
    table.className = "table seats" + found.players.length;
    table.replaceChildren();
    const calling = now.at === "start" ? (record.calls || []).length > 0 : now.call !== undefined;
    found.players.forEach((player) => {
      const seat = make("div", undefined, "seat team" + player.team + (player.seat === now.seat ? " turn" : ""));
      seat.style.gridArea = "p" + player.seat;
      seat.append(make("b", player.label));
      const places = ["opener", "2nd", "3rd", "4th", "5th"].slice(0, found.players.length - 1).concat("dealer");
      const role = { sender: record.game === "kqj" ? "Sender" : "caller" }[player.role] || "";
      const roles = [places[player.place], calling ? "" : role].filter((text) => text && text !== player.label);
      seat.append(make("small", roles.join(", ")));
      const all = (calling ? record.dealt : record.hands) || record.dealt || [];
      const hand = all[player.seat];
      const cards = make("div", undefined, "cards");
      if (!hand || !hand.length) cards.append(make("small", "cards not known"));
      else if (open || player.seat === now.seat) {
        const order = (card) => "shdc".indexOf(card[1]) * 20 + "ATHKQJ987654".indexOf(card[0]);
        [...hand].sort((a, b) => order(a) - order(b)).filter((card) => !played.has(card))
          .forEach((card) => cards.append(drawCard(card, player.seat === now.seat ? decision : null, path)));
      } else cards.append(make("small", hand.filter((card) => !played.has(card)).length ? "hidden" : ""));
      seat.append(cards);
      table.append(seat);
    });
    const center = make("div", undefined, "center");
    if (calling) {
      center.append(make("strong", record.turned ? "Return " + signed(record.turned) : "Auction"));
      const calls = make("div", undefined, "calls");
      (record.calls || []).slice(0, now.call === undefined ? 0 : now.call).forEach((call) => {
        const text = call.call === "bid" ? call.amount + " " + call.contract + (call.capot ? " capot" : "") : call.call + (call.contract ? " " + call.contract : "");
        calls.append(make("div", found.players[call.seat].label + ": " + signed(text)));
      });
      center.append(calls);
    } else if (now.trick !== undefined || now.at === "end") {
      const t = now.at === "end" ? record.tricks.length - 1 : now.trick, trick = record.tricks[t];
      if (trick) {
        center.append(make("strong", "Trick " + (t + 1)));
        const cards = make("div", undefined, "cards");
        trick.cards.forEach((card, k) => {
          const by = found.players[(trick.leader + k) % found.players.length];
          if (now.at !== "end" && k > now.card) return;
          const made = drawCard(card, null);
          made.append(make("small", by.label));
          if (k === now.card) made.classList.add("chosen");
          if (k === now.card && decision && decision.mistake) made.classList.add("wrong");
          cards.append(made);
        });
        center.append(cards);
        if (now.at === "end" || now.card === found.players.length - 1)
          center.append(make("div", trick.winner === null || trick.winner === undefined ? "" : capital(nouns[round][trick.winner]) + " wins the trick"));
      }
    }
    table.append(center);
    drawValues(found, decision, path, now);
  }

  function drawValues(found, decision, path, now) {
    const box = viewer.querySelector(".values");
    box.replaceChildren();
    if (!decision) {
      const name = now.seat === undefined ? "" : capital(nouns[round][now.seat]);
      if (line) box.append(writeLine(now));
      const text = line ? "" : now.at === "start" ? "The start of the round." : now.at === "end" ? "The end of the round." : name + " had no choice, or the choice could not be graded.";
      box.append(make("p", text, "note"));
      return;
    }
    const name = nouns[round][decision.seat], lost = path + ".loss_" + data.grade;
    const [deed, best] = words[round][found.decisions.indexOf(decision)];
    const verdict = make("p", undefined, "verdict " + (decision.mistake ? "mistake" : decision.choice === decision.best ? "fine" : ""));
    verdict.append(decision.mistake ? "Mistake: " + deed : capital(deed));
    if (decision.choice === decision.best) verdict.append(", the best option.");
    else {
      verdict.append("; " + best + " was worth ", look(lost) < 0 ? "about 0" : value(lost, points));
      if (look(lost) >= 0 && look(lost + "_low") !== null) {
        const interval = make("span", undefined, "interval");
        verdict.append(" ");
        interval.append("(", value(lost + "_low", points), " to ", value(lost + "_high", points), ")");
        verdict.append(interval);
      }
      const large = decision.large_loss_share;
      if (large >= 0.005 && large < 1) verdict.append(" " + data.unit + " more, and 30 or more in ", value(path + ".large_loss_share", share), " of the deals");
      else verdict.append(" " + data.unit + " more");
      if (decision.outcome === "lucky") verdict.append(" (lucky: with these cards it cost nothing)");
      verdict.append((decision.reason ? ": " + decision.reason : "") + (decision.mistake ? "." : ". This is not shown to be a mistake."));
    }
    box.append(verdict);
    const table = make("table"), head = table.createTHead().insertRow(), body = table.createTBody();
    const hindsight = decision.options.some((each) => each.hindsight_value !== null && each.hindsight_value !== undefined);
    ["option", data.unit, "wins", ...(hindsight ? ["in hindsight"] : [])].forEach((text, k) => {
      const heading = make("th", text, k ? "" : "key");
      heading.scope = "col";
      head.append(heading);
    });
    decision.options.forEach((option, k) => {
      const row = make("tr", undefined, (option.name === decision.choice ? "chosen " : "") + (option.name === decision.best ? "best" : ""));
      const heading = make("th", signed(option.name));
      heading.scope = "row";
      row.append(heading);
      const at = path + ".options." + k, cell = make("td");
      cell.append(value(at + ".value", points));
      if (option.value_low !== null) {
        const interval = make("span", undefined, "interval");
        cell.append(" ");
        interval.append("(", value(at + ".value_low", points), " to ", value(at + ".value_high", points), ")");
        cell.append(interval);
      }
      row.append(cell);
      const wins = make("td");
      wins.append(value(at + ".win_share", share));
      row.append(wins);
      if (hindsight) {
        const after = make("td");
        const known = option.open_value !== null ? ".open_value" : ".hindsight_value";
        if (look(at + known) !== null) after.append(value(at + known, points));
        row.append(after);
      }
      body.append(row);
    });
    const scroll = make("div", undefined, "scroll");
    scroll.append(table);
    box.append(scroll);
    if (decision.hidden) box.append(writeHidden(found, decision, path));
    const how = make("p", undefined, "note");
    if (decision.exact) how.append("Exact: all ", value(path + ".layouts", String), " distributions of the hidden cards.");
    else how.append(value(path + ".n", String), " sampled deals that agree with what " + name + " knew.");
    const exact = decision.options.every((each) => each.open_value !== null);
    if (hindsight) how.append(" In hindsight: with the actual hands and " + (exact ? "the best play of all, exactly." : "the reference player's play."));
    const told = make("div");
    told.append(how, make("code", decision.command));
    if (line) told.prepend(writeLine(now));
    else if (decision.lines) {
      const ways = make("p", "How the round goes on with these cards: ", "lines");
      ["choice", "best"].forEach((name) => {
        const button = make("button", "after " + signed(decision[name]));
        button.dataset.line = name;
        ways.append(button, " ");
      });
      told.prepend(ways);
    }
    box.append(told);
  }

  // Where the hidden cards were thought to be, a column for each other player; bold: who had them.
  function writeHidden(found, decision, path) {
    const folded = make("details"), scroll = make("div", undefined, "scroll"), table = make("table");
    const head = table.createTHead().insertRow(), body = table.createTBody();
    head.append(make("th", "card", "key"));
    decision.hidden.forEach((hidden, k) => {
      const row = body.insertRow();
      row.append(make("th", signed(hidden.card)));
      hidden.places.forEach((held, j) => {
        if (!k) head.append(make("th", found.players.find((player) => player.place === held.place).label));
        const cell = make("td"), shown = value(path + ".hidden." + k + ".places." + j + ".held_share", share);
        cell.append(shown);
        if (held.held) shown.style.fontWeight = "bold";
        row.append(cell);
      });
    });
    scroll.append(table);
    folded.append(make("summary", "Where the hidden cards were thought to be (bold: where they were)"), scroll);
    return folded;
  }

  // Which card the round goes on after, with its end, and the way back.
  function writeLine(now) {
    const { decision, name } = line, made = make("p", undefined, "lines");
    const path = "rounds." + round + ".decisions." + data.rounds[round].decisions.indexOf(decision);
    made.append("After " + signed(decision[name]) + " in trick " + decision.trick + ", as the reference player goes on. ");
    if (now.at === "end") {
      const option = decision.options.findIndex((each) => each.name === decision[name]);
      made.append((data.grade === "games" ? "Games won in 100 by " : "Difference of the scores for ") + nouns[round][decision.seat] + ": ", value(path + ".options." + option + ".hindsight_value", points), ". ");
    }
    const button = make("button", "back to the round");
    button.dataset.line = "";
    made.append(button);
    return made;
  }

  // Follow a line from the decision shown, or go back to where it left the round.
  function turn(name) {
    const at = line ? line.decision.at : steps[step].at;
    line = name ? { decision: data.rounds[round].decisions[steps[step].decision], name } : null;
    steps = listSteps();
    step = steps.findIndex((each) => each.at === at);
    show(true);
  }

  function describeStep(now) {
    if (now.at === "start" || now.at === "end") return now.at === "start" ? "Start" : "End";
    const [first, second] = now.at.split(".");
    return first === "c" ? "Call " + second : "Trick " + first + ", card " + second;
  }

  function show(push) {
    sections.forEach((section, k) => { section.hidden = k !== round; });
    const here = sections[round].querySelector(".viewer-here");
    if (viewer.parentElement !== here) here.append(viewer);
    viewer.querySelector(".where").textContent = describeStep(steps[step]);
    drawTable();
    document.querySelectorAll("circle.here").forEach((each) => each.classList.remove("here"));
    const mark = sections[round].querySelector('circle[data-at="' + steps[step].at + '"]');
    if (mark) mark.classList.add("here");
    const at = line ? line.decision.at + "+" + line.name : steps[step].at;
    if (push) history.replaceState(null, "", "#r" + round + "-" + at);
  }

  function move(name) {
    const trick = steps[step].trick === undefined ? -1 : steps[step].trick;
    const find = (test) => { const found = steps.findIndex(test); return found < 0 ? step : found; };
    const last = steps.length - 1;
    if (name === "start") step = 0;
    if (name === "end") step = last;
    if (name === "back") step = Math.max(0, step - 1);
    if (name === "on") step = Math.min(last, step + 1);
    if (name === "on-trick") step = find((each, k) => k > step && (each.card === 0 || k === last));
    if (name === "back-trick") {
      for (let k = step - 1; k >= 0; k -= 1) if (steps[k].card === 0 || k === 0) { step = k; break; }
    }
    if (name === "mistake") {
      const decisions = data.rounds[round].decisions;
      if (line) turn("");
      const wrong = (each) => each.decision >= 0 && decisions[each.decision].mistake;
      const next = steps.findIndex((each, k) => k > step && wrong(each));
      step = next >= 0 ? next : find(wrong);
    }
    if (name === "worst" && worst.length) {
      ({ round } = worst[next % worst.length]);
      line = null;
      steps = listSteps();
      step = steps.findIndex((each) => each.at === worst[next % worst.length].at);
      next += 1;
    }
    if (name === "hands") {
      open = !open;
      viewer.querySelector('[data-move="hands"]').setAttribute("aria-pressed", String(open));
    }
    show(true);
    if (name === "worst") viewer.scrollIntoView({ block: "start" });
  }

  function follow(scroll) {
    const found = location.hash.match(/^#r(\d+)(?:-([^+]+)(?:\+(choice|best))?)?$/);
    if (found && data.rounds[Number(found[1])]) {
      round = Number(found[1]);
      line = null;
      steps = listSteps();
      const at = steps.findIndex((each) => each.at === found[2]);
      step = at < 0 ? 0 : at;
    } else steps = listSteps();
    const decision = data.rounds[round].decisions[steps[step].decision];
    if (found && found[3] && decision && decision.lines) turn(found[3]);
    else show(false);
    if (found && found[2] && scroll) viewer.scrollIntoView({ block: "start" });
  }

  viewer.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button && button.dataset.line !== undefined) turn(button.dataset.line);
    else if (button) move(button.dataset.move);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const name = { ArrowLeft: "back", ArrowRight: "on", ArrowUp: "back-trick", ArrowDown: "on-trick", Home: "start", End: "end", w: "worst", W: "worst", m: "mistake", M: "mistake", h: "hands", H: "hands" }[event.key];
    if (!name || event.target.closest(".scroll")) return;
    event.preventDefault();
    move(name);
  });
  document.querySelectorAll("[data-print]").forEach((box) => box.addEventListener("change", () => {
    sections[box.dataset.print].classList.toggle("asked", box.checked);
  }));
  let touch = null;
  viewer.addEventListener("touchstart", (event) => { touch = event.changedTouches[0]; }, { passive: true });
  viewer.addEventListener("touchend", (event) => {
    const end = event.changedTouches[0];
    const across = end.clientX - touch.clientX, down = end.clientY - touch.clientY;
    if (Math.abs(across) > 50 && Math.abs(across) > 2 * Math.abs(down)) move(across < 0 ? "on" : "back");
  }, { passive: true });
  window.addEventListener("hashchange", () => follow(true));
  follow(true);
})();
