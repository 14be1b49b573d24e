// Numbers, names and colours that every part uses.
const $ = (id) => document.getElementById(id);
const make = (tag, properties = {}, ...children) => {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
};
const scaled = (value, step, units) => {
  let unit = 0;
  for (; Math.abs(value) >= step && unit + 1 < units.length; ++unit) value /= step;
  return `${Number(value.toPrecision(4))} ${units[unit]}`;
};
const time = (ns) => scaled(ns, 1000, ["ns", "µs", "ms", "s"]);
const bytes = (n) => scaled(n, 1024, ["B", "KiB", "MiB", "GiB", "TiB"]);
const flops = (n) => scaled(n, 1000, ["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"]);
const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : "–");
const sum = (object) => Object.values(object).reduce((a, b) => a + b, 0);

const OPS = DATA.ops;
const TOTAL = DATA.roofline.time_ns;  // between the launches
const opName = (op) => (op == null || op < 0 ? "the whole program" : OPS[op].op || OPS[op].place || "(no location)");
const opPlace = (op) => (op == null || op < 0 ? "" : [OPS[op].place, OPS[op].function && `(${OPS[op].function})`].filter(Boolean).join(" "));
const valueName = (r) => (r.values > 1 ? `${r.value} (${r.values} values)` : r.value);

// The ops that take most have a hue of their own; the others share a grey.
const COLOURED = Math.min(OPS.length, 24);
let dark = false;
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colourOf = (op) => {
  if (op < 0 || op >= COLOURED) return dark ? "#6b7484" : "#a9b1bf";
  const hue = (op * 137.5 + 215) % 360;
  return `hsl(${hue.toFixed(0)} ${css("--saturation")} ${css("--lightness")})`;
};
let palette = [];
const colour = (op) => (op >= 0 && op < COLOURED ? palette[op] : palette[COLOURED]);
const mixPalette = () => { palette = Array.from({ length: COLOURED + 1 }, (_, op) => colourOf(op === COLOURED ? -1 : op)); };

let chosen = -1;  // the op that is picked out
const listeners = [];
const redraw = () => listeners.forEach((draw) => draw());
const choose = (op) => { chosen = chosen === op ? -1 : op; redraw(); };

// -- the note at the pointer
const tip = $("tip");
const showTip = (x, y, lines) => {
  tip.replaceChildren(...lines.map((line, i) => make(i ? "div" : "b", { textContent: line })));
  tip.hidden = false;
  const width = tip.offsetWidth, height = tip.offsetHeight;
  tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - width - 8))}px`;
  tip.style.top = `${y + 18 + height > innerHeight ? Math.max(8, y - height - 12) : y + 18}px`;
};
const hideTip = () => { tip.hidden = true; };
