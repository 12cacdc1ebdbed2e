// Charts that can be hovered and zoomed. Without this script the still pictures are there.
(function () {
  "use strict";

  const IS_DARK = window.matchMedia("screen and (prefers-color-scheme: dark)").matches;
  const INK = IS_DARK ? "#c9ced6" : "#333333";
  const GRID = { stroke: IS_DARK ? "#2c3038" : "#e6e6e6", width: 1 };
  const WIDTH = 1.8;
  const LEAST = 320; // pixels of height

  // A zoomed logarithmic axis may span less than a decade: round steps then serve better.
  function ticks(low, high, isLog, most) {
    if (isLog && high / low > 4) {
      for (const steps of [[1, 2, 5], [1, 3], [1]]) {
        const found = [];
        for (let d = Math.floor(Math.log10(low)); d <= Math.log10(high); d += 1) {
          for (const step of steps) found.push(step * Math.pow(10, d));
        }
        const inside = found.filter((each) => each >= low && each <= high);
        if (inside.length <= most || steps.length === 1) return inside;
      }
    }
    const raw = (high - low) / most;
    const unit = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 2.5, 5, 10].map((each) => each * unit).find((each) => each >= raw);
    const marks = [];
    for (let i = Math.ceil(low / step); i * step <= high * (1 + 1e-12); i += 1) marks.push(i * step);
    return marks;
  }

  function written(value) {
    if (value === null || value === undefined) return "";
    const digits = Math.abs(value) >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 };
    return (value + 0).toLocaleString("en-US", digits); // or zero could be written -0
  }

  function element(name, parent, text) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text; // never HTML: names come from files
    parent.append(made);
    return made;
  }

  // The darkest colours are chosen for white paper; halfway to white they are seen on dark paper, too.
  function onPaper(colour) {
    const parts = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
    const brightness = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    if (!IS_DARK || brightness >= 80) return colour;
    return "#" + parts.map((part) => Math.round((part + 255) / 2).toString(16).padStart(2, "0")).join("");
  }

  function swatch(series, parent) {
    const space = "http://www.w3.org/2000/svg";
    const drawn = document.createElementNS(space, "svg");
    drawn.setAttribute("width", "28");
    drawn.setAttribute("height", "8");
    drawn.setAttribute("aria-hidden", "true");
    const line = document.createElementNS(space, "path");
    line.setAttribute("d", "M0 4H28");
    line.setAttribute("stroke", onPaper(series.colour));
    line.setAttribute("stroke-width", "2.5");
    line.setAttribute("stroke-dasharray", series.dash.map((each) => each * 1.5).join(" "));
    drawn.append(line);
    parent.append(drawn);
  }

  // Columns for uPlot: the mean of each policy, then its band and theory's line where there are any.
  function columns(chart) {
    const data = [chart.x], series = [{}], bands = [], own = [];
    for (const each of chart.series) {
      const places = [data.length];
      data.push(each.mean);
      // Not rounded to whole pixels: a narrow band would seem to lie beside its line.
      series.push({
        pxAlign: 0, show: each.isShown, stroke: onPaper(each.colour), width: WIDTH, dash: each.dash.map((part) => part * WIDTH),
        points: { show: chart.isLog, size: 6, fill: onPaper(each.colour) },
      });
      const silent = { pxAlign: 0, show: each.isShown, stroke: onPaper(each.colour), width: 0, points: { show: false } };
      if (each.low) {
        bands.push({ series: [data.length + 1, data.length], fill: onPaper(each.colour) + "38" });
        places.push(data.length, data.length + 1);
        data.push(each.low, each.high);
        series.push({ ...silent }, { ...silent });
      }
      if (each.theory) {
        places.push(data.length);
        data.push(each.theory);
        series.push({ ...silent, width: 1, dash: [6, 4] });
      }
      own.push(places);
    }
    return { data, series, bands, own };
  }

  function range(isLog) {
    return (plot, low, high) => {
      if (low === null || high === null) return [isLog ? 1 : 0, isLog ? 10 : 1];
      if (isLog) return [low / 1.12, high * 1.12];
      const room = 0.05 * (high - low || 1);
      // From zero, unless what is looked at lies far above it.
      return [low > 0.5 * high ? low - room : Math.min(0, low), high + room];
    };
  }

  function axis(chart, isAcross, width) {
    const most = isAcross ? Math.max(2, Math.floor(width / 130)) : 6;
    return {
      label: isAcross ? chart.xLabel || `${chart.xName} (rounds)`.replace("round (rounds)", "round") : chart.yName,
      labelSize: 20, size: isAcross ? 34 : 62, stroke: INK, grid: GRID, ticks: { stroke: "#888888", width: 1, size: 4 },
      font: "12px system-ui, sans-serif", labelFont: "13px system-ui, sans-serif",
      splits: (plot, i, low, high) => {
        const isAll = isAcross && chart.isLog && chart.x.length <= most;
        return isAll ? chart.x.filter((x) => x >= low && x <= high) : ticks(low, high, chart.isLog, most);
      },
      values: (plot, found) => found.map(written),
      filter: (plot, found) => found,
    };
  }

  function draw(chart) {
    const figure = document.getElementById(chart.id);
    const live = figure.querySelector(".live");
    element("h4", live, chart.title);
    const frame = element("div", live);
    frame.className = "plot";
    frame.tabIndex = 0;
    frame.setAttribute("role", "application");
    frame.setAttribute("aria-label", `${chart.title}: arrow keys read values, plus and minus zoom, Escape shows all`);
    const { data, series, bands, own } = columns(chart);
    const table = legend(chart, live, (place, isShown) => {
      for (const column of own[place]) plot.setSeries(column, { show: isShown });
    });
    const tip = document.createElement("div");
    tip.className = "tip";
    tip.hidden = true;

    function nearest(index, top) {
      let found = -1, distance = Infinity;
      own.forEach((places, i) => {
        if (!plot.series[places[0]].show) return;
        const away = Math.abs(plot.valToPos(data[places[0]][index], "y") - top);
        if (away < distance) [found, distance] = [i, away];
      });
      return found;
    }

    function read() {
      const { idx, left, top } = plot.cursor;
      const isOver = idx !== null && idx !== undefined && left >= 0;
      const index = isOver ? idx : chart.x.length - 1;
      const near = isOver ? nearest(index, top) : -1;
      table.read(index, near, isOver);
      tip.hidden = near < 0;
      if (near < 0) return;
      const each = chart.series[near];
      tip.textContent = "";
      tip.style.color = onPaper(each.colour);
      element("b", tip, each.name);
      element("span", tip, `${chart.xName} ${written(chart.x[index])}: ${valueOf(each, index)} reward`);
      const x = plot.valToPos(chart.x[index], "x"), y = plot.valToPos(each.mean[index], "y");
      const isRight = x > plot.over.clientWidth / 2;
      tip.style.left = isRight ? "auto" : `${x + 12}px`;
      tip.style.right = isRight ? `${plot.over.clientWidth - x + 12}px` : "auto";
      tip.style.top = `${Math.min(Math.max(0, y - 44), plot.over.clientHeight - 44)}px`;
    }

    const size = () => ({ width: Math.max(200, frame.clientWidth), height: Math.max(LEAST, Math.min(440, frame.clientWidth * 0.55)) });
    const scale = { distr: chart.isLog ? 3 : 1 };
    const plot = new uPlot({
      ...size(), series, bands,
      scales: {
        x: { ...scale, time: false, range: chart.isLog ? range(true) : (u, low, high) => [low, high] },
        y: { ...scale, range: range(chart.isLog) },
      },
      axes: [axis(chart, true, frame.clientWidth), axis(chart, false, frame.clientWidth)],
      legend: { show: false },
      cursor: {
        drag: { x: true, y: true, uni: 40, dist: 8 },
        points: { size: (u, i) => (own.some((places) => places[0] === i) ? 8 : 0) },
      },
      hooks: { setCursor: [read], ready: [(u) => { u.over.append(tip); }] },
    }, data, frame);
    read();
    listen(plot, frame, chart, own);
    new ResizeObserver(() => plot.setSize(size())).observe(frame);
    figure.querySelector(".still").open = false;
    return plot;
  }

  function valueOf(series, index) {
    const mean = written(series.mean[index]);
    return series.low ? `${mean} [${written(series.low[index])}, ${written(series.high[index])}]` : mean;
  }

  function legend(chart, live, toggle) {
    const table = element("table", live);
    table.className = "values";
    const caption = element("caption", table), body = element("tbody", table);
    const cells = chart.series.map((series, i) => {
      const row = element("tr", body);
      const label = element("label", element("th", row));
      row.firstChild.scope = "row";
      const box = element("input", label);
      box.type = "checkbox";
      box.checked = series.isShown;
      swatch(series, label);
      element("span", label, series.name);
      const value = element("td", row);
      if (series.note) element("td", row, series.note);
      const mark = () => row.classList.toggle("off", !box.checked);
      box.addEventListener("change", () => { mark(); toggle(i, box.checked); });
      mark();
      return { row, value };
    });
    const how = "Drag to zoom, double click to see all. Tick a policy to show or hide it.";
    element("p", live, how).className = "how";
    return {
      read(index, near, isOver) {
        const at = `${chart.xName} ${written(chart.x[index])}`;
        const isBanded = chart.series.some((series) => series.low);
        caption.textContent = `${isOver ? "At" : "At the end,"} ${at}: ${chart.what || "mean regret"}${isBanded ? " [95% interval]" : ""}`;
        cells.forEach(({ row, value }, i) => {
          value.textContent = valueOf(chart.series[i], index);
          row.classList.toggle("near", i === near);
        });
      },
    };
  }

  function listen(plot, frame, chart, own) {
    let index = chart.x.length - 1;
    const moves = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
    frame.addEventListener("keydown", (event) => {
      if (event.key in moves) {
        index = Math.min(Math.max(0, index + moves[event.key]), chart.x.length - 1);
        const first = own.find((places) => plot.series[places[0]].show) || own[0];
        plot.setCursor({ left: plot.valToPos(chart.x[index], "x"), top: plot.valToPos(plot.data[first[0]][index], "y") });
      } else if (event.key === "+" || event.key === "-") {
        zoom(plot, chart, index, event.key === "+" ? 0.5 : 2);
      } else if (event.key === "Escape") {
        plot.setData(plot.data);
      } else {
        return;
      }
      event.preventDefault();
    });
  }

  function zoom(plot, chart, index, factor) {
    const into = chart.isLog ? Math.log : (each) => each, back = chart.isLog ? Math.exp : (each) => each;
    const middle = into(chart.x[index]), { min, max } = plot.scales.x;
    const ends = [min, max].map((end) => back(middle + factor * (into(end) - middle)));
    if (ends[0] <= chart.x[0] && ends[1] >= chart.x[chart.x.length - 1]) plot.setData(plot.data);
    else plot.setScale("x", { min: ends[0], max: ends[1] });
  }

  for (const chart of JSON.parse(document.getElementById("charts").textContent)) draw(chart);

  // A narrow screen has no room for the contents; paper has room for everything that is folded.
  if (matchMedia("(max-width: 75rem)").matches) document.querySelector("nav details").open = false;
  document.querySelectorAll("nav a").forEach((link) => link.addEventListener("click", () => {
    if (matchMedia("(max-width: 75rem)").matches) document.querySelector("nav details").open = false;
  }));
  addEventListener("beforeprint", () => document.querySelectorAll("main details").forEach((each) => { each.open = true; }));
})();
