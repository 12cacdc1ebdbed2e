// What the service tells, second by second, as a page: see http/stream.py for the documents.
"use strict";

(() => {
  const { areas, bar, lines, swatch, whiskers, written } = Drawing;
  const BRANCHES = ["policy", "explore", "baseline", "forced", "sticky"];
  const MOST_ARMS = 8; // with a colour of their own
  const SPANS = { seconds: { period: 1, kept: 600, mean: 60 }, minutes: { period: 60, kept: 1440, mean: 15 }, hours: { period: 3600, kept: 2160, mean: 6 } };
  const problem = encodeURIComponent(document.body.dataset.problem);
  const place = (id) => document.getElementById(id);
  let past = null;
  let span = "seconds";

  function element(name, parent, text) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text; // never HTML: names come from outside
    parent.append(made);
    return made;
  }

  function table(id, head, rows, draw) {
    const target = place(id);
    target.replaceChildren();
    const top = element("tr", element("thead", target));
    for (const word of head) element("th", top, word).scope = "col";
    const body = element("tbody", target);
    rows.forEach((row, i) => {
      const line = element("tr", body);
      row.forEach((word) => element("td", line, word));
      if (draw) draw(line, i);
    });
  }

  // A beat brings the last two seconds; minutes and hours take in each second when it is over.
  function take(beat) {
    const { last } = beat;
    for (const [name, { period, kept }] of Object.entries(SPANS)) {
      const moments = past[name];
      last.t.forEach((second, i) => {
        if (name !== "seconds" && (i > 0 || second <= past.over)) return;
        const t = second - (second % period);
        let k = moments.t.lastIndexOf(t);
        const isNew = k < 0;
        if (isNew) k = moments.t.push(t) - 1;
        for (const [column, values] of Object.entries(last)) {
          if (column === "t") continue;
          const known = moments[column][k];
          moments[column][k] = name === "seconds" || isNew ? values[i] : joined(column, known, values[i]);
        }
        while (moments.t.length > kept) Object.values(moments).forEach((values) => values.shift());
      });
    }
    past.over = last.t[0];
    const known = new Set(past.changes.map(({ t, what }) => `${t} ${what}`));
    past.changes.push(...beat.changes.filter(({ t, what }) => !known.has(`${t} ${what}`)));
    past.now = beat;
  }

  function joined(column, known, value) {
    if (column === "memory" || column === "noise") return value ?? known;
    return Array.isArray(value) ? value.map((each, i) => each + (known[i] ?? 0)) : known + value;
  }

  // Sums over the last n periods, by running totals.
  function rolling(values, n) {
    let sum = 0;
    return values.map((value, i) => {
      sum += value - (i >= n ? values[i - n] : 0);
      return sum;
    });
  }

  const over = (sums, counts) => sums.map((sum, i) => (counts[i] > 0 ? sum / counts[i] : null));

  function drawReward(moments, n) {
    const count = rolling(moments.explored, n);
    const baseline = over(rolling(moments.explored_sum, n), count);
    const squares = over(rolling(moments.explored_squares, n), count);
    const error = baseline.map((mean, i) => (count[i] > 1 ? 1.96 * Math.sqrt(Math.max(squares[i] - mean * mean, 0) / (count[i] - 1)) : null));
    const end = (sign) => baseline.map((mean, i) => (error[i] === null ? null : mean + sign * error[i]));
    lines(place("reward"), moments.t, [
      { name: "all decisions", values: over(rolling(moments.reward_sum, n), rolling(moments.rewards, n)), colour: "c0" },
      { name: "any arm (explored)", values: baseline, low: end(-1), high: end(1), colour: "c1" },
    ], { moments: past.changes });
  }

  // The most played arms by name, all others together.
  function drawShares(id, names, counts, t, n) {
    const totals = names.map((_, i) => counts.reduce((sum, row) => sum + (row[i] ?? 0), 0));
    const order = names.map((_, i) => i).sort((i, j) => totals[j] - totals[i]);
    const own = order.slice(0, names.length <= MOST_ARMS ? MOST_ARMS : MOST_ARMS - 1).sort((i, j) => i - j);
    const parts = own.map((i, k) => ({ name: names[i], colour: `c${k}`, counts: counts.map((row) => row[i] ?? 0) }));
    const rest = order.slice(own.length);
    if (rest.length) parts.push({ name: `${rest.length} others`, colour: "rest", counts: counts.map((row) => rest.reduce((sum, i) => sum + (row[i] ?? 0), 0)) });
    const all = rolling(counts.map((row) => row.reduce((sum, each) => sum + each, 0)), n);
    areas(place(id), t, parts.map((part) => ({ ...part, values: over(rolling(part.counts, n), all) })));
    const key = place(`${id}-key`);
    key.replaceChildren();
    for (const part of parts) {
      const item = element("li", key);
      swatch(item, part.colour);
      item.append(part.name);
    }
  }

  function drawCharts() {
    const moments = past[span];
    const n = SPANS[span].mean;
    const { arms } = past.head;
    drawReward(moments, n);
    lines(place("memory"), moments.t, [{ name: "memory", values: moments.memory, colour: "c0" }], { moments: past.changes });
    lines(place("noise"), moments.t, [{ name: "noise", values: moments.noise, colour: "c0" }], { moments: past.changes });
    place("arms-part").hidden = arms.length === 0;
    if (arms.length) drawShares("arms", arms, moments.arms, moments.t, n);
    drawShares("branches", BRANCHES, moments.branches, moments.t, n);
  }

  function tellHead() {
    const { head, now } = past;
    place("about").textContent = `${head.policy}, version ${head.version}; a reward is waited for ${duration(head.window)}, `
      + `and ${head.default === null ? "none is learnt" : `${written(head.default)} is learnt`} if it does not come.`;
    const alarms = [];
    if (!now.is_ready) alarms.push("Not ready: a failed write is being repaired.");
    if (now.mode === "fallback") alarms.push(`Fallback: every decision is ${head.fallback ?? "the fallback arm"}.`);
    if (now.mode === "apprentice") alarms.push("Apprentice: callers get their own choice back.");
    if (now.is_frozen) alarms.push("Learning is frozen: rewards are kept, not learnt.");
    if (now.off.length) alarms.push(`Switched off: ${now.off.join(", ")}.`);
    alarm(alarms.join(" "));
    const tiles = {
      "decisions a second": written(now.decisions_per_second), "rewards a second": written(now.rewards_per_second),
      "waiting for a reward": written(now.open), "explored on purpose": `${written(100 * now.share)} %`,
      "commit, p99": now.commit_p99 === null ? "–" : `${written(1000 * now.commit_p99)} ms`, "events in the log": now.seq.toLocaleString("en-US"),
    };
    if (now.epoch !== null) tiles["owners so far"] = written(now.epoch);
    place("tiles").replaceChildren();
    for (const [name, value] of Object.entries(tiles)) {
      const tile = element("div", place("tiles"));
      element("dt", tile, name);
      element("dd", tile, value);
    }
  }

  function alarm(text) {
    place("alarm").textContent = text;
    place("alarm").hidden = text === "";
  }

  function tellBelief() {
    const { belief } = past.now;
    const { head } = past;
    if (!belief) return;
    place("summary").replaceChildren();
    for (const sentence of belief.summary) element("li", place("summary"), sentence);
    const isScaled = head.reward_low !== 0 || head.reward_high !== 1;
    place("scaled").hidden = !isScaled;
    place("winner").textContent = belief.winner;
    // The policy is told rewards between 0 and 1; people think in their own.
    const scale = head.reward_high - head.reward_low;
    const rows = belief.arms.length
      ? belief.arms.map((arm) => ({ name: arm.name, mean: head.reward_low + scale * arm.mean, error: scale * arm.standard_error, upper: head.reward_low + scale * arm.upper_bound }))
      : belief.estimate.map((value, i) => ({ name: head.features[i] ?? `feature ${i}`, mean: scale * value, error: scale * (belief.errors[i] ?? 0), upper: null }));
    const ends = rows.flatMap(({ mean, error, upper }) => [mean - error, upper ?? mean + error]);
    const room = 0.02 * (Math.max(...ends) - Math.min(...ends));
    const range = [Math.min(...ends) - room, Math.max(...ends) + room];
    const what = belief.arms.length ? ["arm", "mean reward", "± error", "upper bound"] : ["feature", "estimate", "± error", ""];
    const drawn = belief.arms.length ? "mean and error (blue), upper bound (orange)" : "estimate and error";
    table("belief", [...what, drawn], rows.map(({ name, mean, error, upper }) => [name, written(mean), written(error), upper === null ? "" : written(upper), ""]), (line, i) => {
      line.lastChild.className = "whiskers";
      whiskers(line.lastChild, rows[i], range);
    });
  }

  function tellHealth() {
    const { now } = past;
    const decided = Object.values(now.branches).reduce((sum, each) => sum + each, 0);
    const share = decided ? now.expired / decided : 0;
    place("health").textContent = `${written(100 * share)} % of ${written(decided)} decisions ran out without a reward; `
      + `${written(now.waiting)} rewards wait for a decision that nobody has made.`;
    const { bounds, counts } = now.delays;
    const most = Math.max(...counts, 1);
    table("delays", ["up to", "rewards", ""], counts.map((count, i) => [i < bounds.length ? duration(bounds[i]) : "longer", written(count), ""]), (line, i) => {
      line.lastChild.className = "bar";
      bar(line.lastChild, counts[i] / most);
    });
    table("statuses", ["status", "rewards"], Object.entries(now.statuses).map(([status, count]) => [status, written(count)]));
    table("recent", ["when", "event", "id", "what"], now.recent.map(({ t, kind, id, what }) => [new Date(t * 1000).toLocaleTimeString(), kind, id, what]));
    place("shadows-part").hidden = now.shadows.length === 0;
    table("shadows", ["shadow", "policy", "gain", "at least", "at most", "decisions scored", "worth of its own", "chose the same"], now.shadows.map((each) => [
      each.name, each.policy, written(each.gain), written(each.low), written(each.high), written(each.scored), written(each.effective), `${written(100 * each.agreement)} %`,
    ]));
    place("changes").replaceChildren();
    for (const { t, what, who, why } of past.changes.slice(-5).reverse()) {
      element("li", place("changes"), `${new Date(t * 1000).toLocaleString()}: ${what}${who ? `, by ${who}` : ""}${why ? `: ${why}` : ""}`);
    }
  }

  function duration(seconds) {
    for (const [unit, length] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
      if (seconds >= length) return `${written(seconds / length)} ${unit}${seconds === length ? "" : "s"}`;
    }
    return `${written(seconds)} s`;
  }

  function tell() {
    tellHead();
    tellBelief();
    tellHealth();
    if (!document.hidden) drawCharts();
  }

  async function open() {
    const answer = await fetch(`/v1/${problem}/past`);
    if (!answer.ok) throw new Error(`${answer.status}`);
    past = await answer.json();
    past.over = past.now.last.t[0] ?? 0;
    document.querySelector("main").hidden = false;
    tell();
    const stream = new EventSource(`/v1/${problem}/stream`);
    stream.onmessage = ({ data }) => {
      take(JSON.parse(data));
      tell();
    };
    stream.onerror = () => {
      stream.close();
      again();
    };
  }

  // After a restart the past is asked for anew: the service may have lived on without this page.
  function again() {
    alarm("The service does not answer. Trying again.");
    setTimeout(() => open().catch(again), 1000);
  }

  place("spans").addEventListener("click", ({ target }) => {
    if (!target.dataset.span) return;
    span = target.dataset.span;
    for (const each of place("spans").children) each.setAttribute("aria-pressed", String(each === target));
    drawCharts();
  });
  for (const event of ["resize", "visibilitychange"]) addEventListener(event, () => past && drawCharts());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => past && tell());
  open().catch(again);
})();
