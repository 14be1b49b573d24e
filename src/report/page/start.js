// The parts that are written once, and what starts the page.
const PAUSE_COLOURS = { PE: "#7c5cd6", Vector: "#2f9e6e", Scalar: "#d9822b", GpSimd: "#c2528b", Sync: "#8a93a5", DMA: "#3b7ddd", "own result": "#b0a12f", barrier: "#555f70", done: "transparent" };

const drawSummary = () => {
  const r = DATA.roofline, d = DATA.dma, sbuf = DATA.occupancy.find((o) => o.space === "SBUF");
  document.title = `${DATA.file} – OpenNeuron report`;
  $("title").textContent = `${DATA.file} on ${DATA.target}`;
  const facts = [
    ["Estimated time", time(DATA.estimated_ns), `${time(DATA.launch_ns)} of it launch${DATA.data_dependent ? "; loops of unknown length counted once" : ""}`],
    ["Against the roofline", r.bound_ns > 0 ? `${(r.time_ns / r.bound_ns).toFixed(2)} ×` : "–", `no schedule below ${time(r.bound_ns)}`],
    ["PE on full tiles", percent(r.pe_ideal_ns, r.time_ns), flops(DATA.flops)],
    ["HBM traffic", d.lower_bound_bytes ? `${(d.hbm_bytes / d.lower_bound_bytes).toFixed(2)} ×` : "–", `${bytes(d.hbm_bytes)}, at least ${bytes(d.lower_bound_bytes)}`],
    ["DMA at its peak", percent(d.hbm_bytes, d.busy_ns * d.peak_bytes_per_ns), `${Number((d.bytes / Math.max(d.descriptors, 1)).toPrecision(4))} B a descriptor`],
    ["SBUF at most", sbuf ? percent(sbuf.peak_bytes, sbuf.capacity_bytes) : "–", sbuf ? `${bytes(sbuf.peak_bytes)} of a partition` : ""],
    ["Routines", `${(100 * DATA.routine_share).toFixed(1)} %`, `of busy time, ${DATA.routine_instructions.toLocaleString("en")} calls`],
  ];
  $("summary").replaceChildren(...facts.map(([name, value, more]) => make("div", {}, make("dt", { textContent: name }), make("dd", {}, value, make("small", { textContent: more })))));
};

const drawChanges = () => {
  const most = DATA.changes.length ? DATA.changes[0].saves_up_to_ns : 1;
  $("change-list").replaceChildren(...DATA.changes.map((c) => {
    const fill = make("i");
    fill.style.width = `${(100 * c.saves_up_to_ns) / most}%`;
    return make("li", {}, make("span", { className: "saves", textContent: `up to ${time(c.saves_up_to_ns)} (${percent(c.saves_up_to_ns, DATA.estimated_ns)})` }),
      make("span", { className: "meter" }, fill), make("strong", { textContent: c.title }),
      make("span", { className: "where", textContent: c.op == null ? "whole program" : `${opName(c.op)} ${opPlace(c.op)}` }), make("span", { textContent: c.detail }));
  }));
  if (!DATA.changes.length) $("change-list").append(make("li", { textContent: "Nothing on the critical path could be saved by the changes that are known." }));
};

const drawEngines = () => {
  const lanes = DATA.engines.filter((e) => e.instructions);
  $("engine-bars").replaceChildren(...lanes.map((e) => {
    const part = (ns, colour, title) => {
      const piece = make("i", { title });
      piece.style.cssText = `width:${(100 * ns) / TOTAL}%;background:${colour}`;
      return piece;
    };
    const track = make("div", { className: "track" }, part(e.busy_ns, css("--ink"), `at work ${time(e.busy_ns)}`),
      ...Object.entries(e.pauses_ns).map(([name, ns]) => part(ns, PAUSE_COLOURS[name], name === "done" ? `nothing left to do ${time(ns)}` : `waiting for ${name} ${time(ns)}`)));
    return make("div", { className: "lane" }, make("span", { textContent: e.name }), track, make("span", { className: "value", textContent: percent(e.busy_ns, TOTAL) }));
  }));
  const keys = make("div", { className: "keys" });
  const used = Object.keys(PAUSE_COLOURS).filter((name) => name !== "done" && lanes.some((e) => e.pauses_ns[name] > 0));
  for (const [name, colour] of [["at work", css("--ink")], ...used.map((n) => [`waits for ${n}`, PAUSE_COLOURS[n]])]) {
    const swatch = make("i", { className: "swatch" });
    swatch.style.background = colour;
    keys.append(make("span", {}, swatch, name));
  }
  $("engine-bars").append(keys);
};

const drawLegend = () => {
  $("legend").replaceChildren(...palette.slice(0, COLOURED).map((tint, op) => {
    const swatch = make("i", { className: "swatch" });
    swatch.style.background = tint;
    const button = make("button", { type: "button", title: OPS[op].location }, swatch, make("span", { textContent: `${opName(op)} ${opPlace(op)}` }));
    button.setAttribute("aria-pressed", String(op === chosen));
    button.addEventListener("click", () => choose(op));
    return button;
  }));
};

const drawDmaSummary = () => {
  const d = DATA.dma;
  const facts = [["transfers", d.transfers.toLocaleString("en")], ["descriptors", d.descriptors.toLocaleString("en")], ["bytes a descriptor", String(Number((d.bytes / Math.max(d.descriptors, 1)).toPrecision(4)))],
    ["queues", d.queues], ["share of the peak while busy", percent(d.hbm_bytes, d.busy_ns * d.peak_bytes_per_ns)], ["share of the peak over all", percent(d.hbm_bytes, TOTAL * d.peak_bytes_per_ns)],
    ["HBM traffic", bytes(d.hbm_bytes)], ["lower bound", bytes(d.lower_bound_bytes)]];
  $("dma-summary").replaceChildren(...facts.map(([name, value]) => make("div", {}, make("dt", { textContent: name }), make("dd", { textContent: value }))));
};

const setTheme = (name) => {
  document.documentElement.dataset.theme = name;
  dark = name === "dark";
  mixPalette();
  drawTables();
  drawEngines();
  drawRoofline();
  redraw();
};

listeners.push(drawLanes, drawMap, drawCurve);
let drawnChoice = null;
listeners.push(() => {  // what shows the chosen op
  if (drawnChoice === chosen + dark * 1e9) return;
  drawnChoice = chosen + dark * 1e9;
  drawLegend();
  document.querySelectorAll("#op-table tbody tr").forEach((line) => line.classList.toggle("chosen", Number(line.dataset.op) === chosen));
});
drawSummary();
drawChanges();
drawDmaSummary();
for (const section of document.querySelectorAll("main section")) $("nav").append(make("a", { href: `#${section.id}`, textContent: section.querySelector("h2").textContent }));
$("layout-text").textContent = DATA.layouts || "The file holds none: it is stripped, or was assembled from stream text.";
$("drawn").textContent = [
  DATA.draw.resolution_ns ? `Instructions shorter than ${time(DATA.draw.resolution_ns)} are drawn together; paler blocks were busy for a part of their time.` : "",
  DATA.draw.stays_left_out ? `${DATA.draw.stays_left_out.toLocaleString("en")} small buffers are in the curve but not in the map.` : "",
  DATA.draw.stays.length ? "" : "The file holds no buffers: it is stripped, or was assembled from stream text.",
  DATA.op_count > OPS.length ? `${(DATA.op_count - OPS.length + 1).toLocaleString("en")} ops that take least are one row.` : "",
].filter(Boolean).join(" ");
MEMORIES.forEach((memory, i) => {
  const button = make("button", { type: "button", textContent: memoryName(memory) });
  button.setAttribute("aria-pressed", String(i === shown));
  button.addEventListener("click", () => {
    shown = i;
    [...$("space").children].forEach((b, n) => b.setAttribute("aria-pressed", String(n === i)));
    requestDraw();
  });
  $("space").append(button);
});
document.querySelectorAll("[data-zoom]").forEach((button) => button.addEventListener("click", () => {
  const factor = Number(button.dataset.zoom);
  if (factor) zoomAt(factor, (view.begin + view.end) / 2); else setView(0, TOTAL);
}));
attach($("lanes"), describeBlock, (x, y) => { const hit = blockAt(x, y); if (hit) choose(hit.block.op); });
attach($("map"), describeStay, (x, y) => { const stay = stayAt(x, y); if (stay) choose(stay.op); });
attach($("curve"), describeCurve, null);
addEventListener("resize", requestDraw);
$("theme").addEventListener("click", () => setTheme(dark ? "light" : "dark"));
setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
