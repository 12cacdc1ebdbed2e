// Charts over time (uPlot), and small pictures in tables (SVG). Nothing here knows where numbers come from.
"use strict";

const Drawing = (() => {
  const HEIGHT = 200; // pixels
  const made = new Map(); // by the id of their place: how to draw again, when the width or the theme changes

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

  function written(value) {
    if (value === null || value === undefined || !Number.isFinite(value)) return "–";
    const digits = Math.abs(value) >= 1000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 };
    return value.toLocaleString("en-US", digits);
  }

  // Vertical lines at the moments of changes, over what is drawn.
  function marks(moments) {
    return (plot) => {
      const { left, top, width, height } = plot.bbox;
      plot.ctx.save();
      plot.ctx.strokeStyle = colour("bad");
      plot.ctx.setLineDash([4, 4]);
      for (const { t } of moments) {
        const x = Math.round(plot.valToPos(t, "x", true));
        if (x < left || x > left + width) continue;
        plot.ctx.beginPath();
        plot.ctx.moveTo(x, top);
        plot.ctx.lineTo(x, top + height);
        plot.ctx.stroke();
      }
      plot.ctx.restore();
    };
  }

  // A range around what is shown: never of no height, and from zero unless that would flatten everything.
  function room(isShare) {
    return (plot, low, high) => {
      if (isShare) return [0, 1];
      if (low === null || high === null) return [0, 1];
      const margin = 0.08 * (high - low || Math.abs(high) || 1);
      return [low >= 0 && low < 0.5 * high ? 0 : low - margin, high + margin];
    };
  }

  // Write one column for each series and one for each end of a band into `place`.
  // series: [{name, values, colour, low, high, fill}]; low and high are the ends of its band.
  function lines(place, t, series, { moments = [], isShare = false } = {}) {
    const data = [t];
    const kinds = [{ value: (plot, x) => (x === null ? "–" : new Date(x * 1000).toLocaleString()) }];
    const bands = [];
    for (const each of series) {
      const stroke = colour(each.colour);
      data.push(each.values);
      kinds.push({ label: each.name, stroke, width: 1.6, points: { show: false }, value: (plot, y) => written(y) });
      if (!each.low) continue;
      bands.push({ series: [data.length + 1, data.length], fill: `${stroke}33` });
      data.push(each.low, each.high);
      kinds.push({ label: "low", show: true, width: 0, points: { show: false } }, { label: "high", width: 0, points: { show: false } });
    }
    show(place, { data, kinds, bands, moments, isShare, hasLegend: series.length > 1 && !isShare });
  }

  // Shares that add up to one, as areas above each other.
  function areas(place, t, parts) {
    const data = [t];
    const kinds = [{}];
    const bands = [];
    let below = t.map(() => 0);
    parts.forEach(({ values, colour: name }, i) => {
      const top = below.map((sum, k) => (values[k] === null ? null : sum + values[k]));
      const shade = colour(name);
      data.push(top);
      kinds.push({ stroke: shade, width: 0.5, fill: i === 0 ? shade : undefined, points: { show: false } });
      if (i > 0) bands.push({ series: [i + 1, i], fill: shade });
      below = top.map((value) => value ?? 0);
    });
    show(place, { data, kinds, bands, moments: [], isShare: true, hasLegend: false });
  }

  function show(place, chart) {
    const known = made.get(place);
    const form = JSON.stringify([chart.kinds.map((kind) => kind.stroke), place.clientWidth]);
    if (known && known.form === form) {
      known.moments.splice(0, Infinity, ...chart.moments);
      known.plot.setData(chart.data);
      return;
    }
    if (known) known.plot.destroy();
    const axis = { stroke: colour("soft"), grid: { stroke: colour("line"), width: 1 }, ticks: { stroke: colour("line"), width: 1 } };
    const moments = [...chart.moments];
    // Room for the widest that is written there, a date with a time, where there is any.
    const plot = new uPlot({
      width: place.clientWidth, height: HEIGHT, series: chart.kinds, bands: chart.bands,
      legend: { show: chart.hasLegend }, cursor: { drag: { x: false, y: false }, y: false },
      scales: { y: { range: room(chart.isShare) } },
      axes: [{ ...axis, space: Math.min(96, place.clientWidth / 3) }, { ...axis, size: 56, values: (u, found) => found.map(chart.isShare ? (v) => `${Math.round(100 * v)} %` : written) }],
      hooks: { draw: [marks(moments)] },
    }, chart.data, place);
    // The ends of a band have no line of their own, and so no place in the legend.
    plot.root.querySelectorAll(".u-series").forEach((row, i) => { row.hidden = ["low", "high"].includes(chart.kinds[i].label); });
    made.set(place, { plot, form, moments });
  }

  function svg(name, attributes, parent) {
    const drawn = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) drawn.setAttribute(key, value);
    parent.append(drawn);
    return drawn;
  }

  // A mean with its standard error and, if there is one, its upper bound, on a scale that a table shares.
  function whiskers(parent, { mean, error, upper }, [low, high]) {
    const at = (value) => (100 * (value - low)) / (high - low || 1);
    const box = svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, parent);
    const line = { "vector-effect": "non-scaling-stroke", "stroke-width": 2 };
    if (low < 0 && high > 0) svg("line", { ...line, x1: at(0), x2: at(0), y1: 0, y2: 10, stroke: colour("line") }, box);
    svg("line", { ...line, x1: at(mean - error), x2: at(mean + error), y1: 5, y2: 5, stroke: colour("c0") }, box);
    svg("line", { ...line, "stroke-width": 4, x1: at(mean), x2: at(mean), y1: 2, y2: 8, stroke: colour("c0") }, box);
    if (upper !== null && upper !== undefined) svg("line", { ...line, x1: at(upper), x2: at(upper), y1: 1, y2: 9, stroke: colour("c1") }, box);
  }

  function bar(parent, share) {
    const box = svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, parent);
    svg("rect", { width: 100 * share, height: 10, fill: colour("c0") }, box);
  }

  function swatch(parent, name) {
    svg("rect", { width: 12, height: 12, fill: colour(name) }, svg("svg", { width: 12, height: 12, "aria-hidden": "true" }, parent));
  }

  return { areas, bar, lines, swatch, whiskers, written };
})();
