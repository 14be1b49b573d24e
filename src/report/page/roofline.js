// FLOP/s against FLOP per byte of HBM, both logarithmic; the program and its ops as points.
const drawRoofline = () => {
  const r = DATA.roofline, width = 560, height = 300, left = 58, bottom = 34, top = 14, right = 30;
  if (!(r.flops > 0 && r.hbm_bytes > 0)) {
    $("roof").replaceChildren(make("p", { className: "none", textContent: "The program multiplies nothing on the PE." }));
    return;
  }
  const bend = r.peak_flops_per_ns / r.peak_bytes_per_ns;
  const points = OPS.map((op, index) => {
    const moved = op.hbm_read_bytes + op.hbm_written_bytes, busy = Math.max(op.busy_ns.PE || 0, op.busy_ns.Dma || 0, op.path_ns);
    return { index, x: op.flops / moved, y: op.flops / busy, label: opName(index) };
  }).filter((p) => p.x > 0 && Number.isFinite(p.x) && p.y > 0 && Number.isFinite(p.y)).slice(0, 24);
  const whole = { index: -2, x: r.flops_per_byte, y: r.flops / r.time_ns, label: "whole program" };
  const xs = [...points, whole].map((p) => p.x), ys = [...points, whole].map((p) => p.y);
  const low = Math.floor(Math.log10(Math.min(...xs, bend / 30))), high = Math.ceil(Math.log10(Math.max(...xs, bend * 20)));
  const ceiling = Math.log10(r.peak_flops_per_ns * 2), floor = Math.max(Math.floor(Math.log10(Math.min(...ys, r.peak_flops_per_ns / 300))), ceiling - 6);
  const X = (v) => left + ((Math.log10(v) - low) / (high - low)) * (width - left - right);
  const Y = (v) => top + ((ceiling - Math.max(Math.log10(v), floor)) / (ceiling - floor)) * (height - top - bottom);
  const svg = (tag, attributes, text) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text) node.textContent = text;
    return node;
  };
  const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Roofline" });
  for (let p = low; p <= high; ++p) {
    chart.append(svg("line", { x1: X(10 ** p), x2: X(10 ** p), y1: top, y2: height - bottom, stroke: css("--line") }));
    chart.append(svg("text", { x: X(10 ** p), y: height - bottom + 15, "text-anchor": "middle" }, p < 0 ? (10 ** p).toString() : (10 ** p).toLocaleString("en")));
  }
  for (let p = Math.ceil(floor); p <= ceiling; ++p) {
    chart.append(svg("line", { x1: left, x2: width - right, y1: Y(10 ** p), y2: Y(10 ** p), stroke: css("--line") }));
    chart.append(svg("text", { x: left - 6, y: Y(10 ** p) + 4, "text-anchor": "end" }, scaled(10 ** (p + 9), 1000, ["", "k", "M", "G", "T", "P"])));
  }
  chart.append(svg("text", { x: (left + width) / 2, y: height - 3, "text-anchor": "middle" }, "FLOP per byte of HBM"));
  chart.append(svg("text", { x: 2, y: top - 2 }, "FLOP/s"));
  const edge = Math.max(10 ** low, (10 ** floor) / r.peak_bytes_per_ns);
  chart.append(svg("path", { d: `M${X(edge)},${Y(edge * r.peak_bytes_per_ns)} L${X(bend)},${Y(r.peak_flops_per_ns)} L${X(10 ** high)},${Y(r.peak_flops_per_ns)}`,
    fill: "none", stroke: css("--accent"), "stroke-width": 2 }));
  for (const p of [...points, whole]) {
    const dot = svg("circle", { cx: X(p.x), cy: Y(p.y), r: p.index === -2 ? 7 : 4.5, fill: p.index === -2 ? css("--ink") : colour(p.index), "fill-opacity": 0.9 });
    const lines = () => [p.label, opPlace(p.index), `${p.x.toPrecision(3)} FLOP per byte`, `${scaled(p.y * 1e9, 1000, ["", "k", "M", "G", "T", "P"])}FLOP/s`].filter(Boolean);
    dot.addEventListener("pointermove", (event) => showTip(event.clientX, event.clientY, lines()));
    dot.addEventListener("pointerleave", hideTip);
    chart.append(dot);
  }
  chart.append(svg("text", { x: X(whole.x) + 10, y: Y(whole.y) + 4, style: `fill:${css("--ink")};font-weight:600` }, "whole program"));
  $("roof").replaceChildren(chart);
  $("roof-text").textContent = `${Number(r.flops_per_byte.toPrecision(4))} FLOP per byte; the roof bends at ${Number(bend.toPrecision(4))}. No schedule of this work is shorter than ${time(r.bound_ns)}; this one takes ${(r.time_ns / r.bound_ns).toFixed(2)} times that.`;
};
