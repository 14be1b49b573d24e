// The map of on-chip memory and the occupancy curves. A stay is [space, core, address, bytes, partitions, begin, end, op, name].
const STAYS = DATA.draw.stays.map(([space, core, address, size, partitions, begin, end, op, name]) =>
  ({ space: space ? "PSUM" : "SBUF", core, address, size, partitions, begin: begin / 10, end: end / 10, op, name }));
const MEMORIES = DATA.occupancy.filter((o) => o.space !== "HBM");
let shown = 0;  // in MEMORIES
const memoryName = (o) => (DATA.occupancy.some((p) => p.core > 0) && o.space !== "HBM" ? `${o.space}, core ${o.core}` : o.space);

const drawMap = () => {
  const memory = MEMORIES[shown];
  if (!memory) return;
  $("map-title").textContent = `${memoryName(memory)}: bytes of a partition over time, at most ${bytes(memory.peak_bytes)} of ${bytes(memory.capacity_bytes)}`;
  const area = prepare($("map"), innerWidth < 600 ? 150 : innerWidth > 2000 ? 320 : 220);
  const { context, width, height, left, x } = area;
  const used = STAYS.filter((s) => s.space === memory.space && s.core === memory.core);
  const y = (address) => height - (address / memory.capacity_bytes) * height;
  beginPlot(area);
  for (const stay of used) {
    if (stay.end < view.begin || stay.begin > view.end) continue;
    const from = x(stay.begin), size = Math.max(x(stay.end) - from, 0.7);
    const top = y(stay.address + stay.size), tall = Math.max(y(stay.address) - top, 0.7);
    context.globalAlpha = chosen < 0 || chosen === stay.op ? 0.85 : 0.12;
    context.fillStyle = colour(stay.op);
    context.fillRect(from, top, size > 3 ? size - 0.5 : size, tall > 3 ? tall - 0.5 : tall);
  }
  context.restore();
  context.globalAlpha = 1;
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = css("--soft");
  context.textBaseline = "top";
  context.fillText(bytes(memory.capacity_bytes), 0, 0, left - 6);
  context.textBaseline = "bottom";
  context.fillText("0", 0, height, left - 6);
};
const stayAt = (clientX, clientY) => {
  const memory = MEMORIES[shown], box = $("map").getBoundingClientRect();
  if (!memory || clientX < box.left + LEFT()) return null;
  const t = timeAt($("map"), clientX), address = (1 - (clientY - box.top) / box.height) * memory.capacity_bytes;
  const reach = memory.capacity_bytes / box.height;
  return STAYS.filter((s) => s.space === memory.space && s.core === memory.core && s.begin <= t && t <= s.end &&
    s.address <= address + reach && address - reach < s.address + s.size).sort((a, b) => a.size - b.size)[0] || null;
};
const describeStay = (clientX, clientY) => {
  const stay = stayAt(clientX, clientY);
  if (!stay) return null;
  return [`${stay.name} · ${bytes(stay.size)} in each of ${stay.partitions} partitions`, `${opName(stay.op)} ${opPlace(stay.op)}`,
    `address ${stay.address} to ${stay.address + stay.size}`, `${time(stay.begin)} to ${time(stay.end)}`];
};

const CURVES = { SBUF: "#3b7ddd", PSUM: "#d9822b", HBM: "#2f9e6e" };
const valueAt = (points, t) => {
  let low = 0, high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (points[middle][0] <= t) low = middle + 1; else high = middle;
  }
  return low ? points[low - 1][1] : 0;
};
const drawCurve = () => {
  const area = prepare($("curve"), 110), { context, width, height, left, x } = area;
  beginPlot(area);
  for (const o of DATA.occupancy) {
    const y = (n) => height - 2 - (n / o.capacity_bytes) * (height - 6);
    context.beginPath();
    context.moveTo(x(0), y(o.points.length ? o.points[0][1] : 0));
    o.points.forEach(([t, n], i) => {
      if (i) context.lineTo(x(t), y(o.points[i - 1][1]));
      context.lineTo(x(t), y(n));
    });
    if (o.points.length) context.lineTo(x(TOTAL), y(o.points[o.points.length - 1][1]));
    context.strokeStyle = CURVES[o.space];
    context.lineWidth = 1.8;
    context.stroke();
  }
  context.restore();
  context.font = "12px system-ui, sans-serif";
  context.textBaseline = "middle";
  DATA.occupancy.forEach((o, i) => {
    context.fillStyle = CURVES[o.space];
    context.fillText(memoryName(o), 0, 14 + i * 18, left - 6);
  });
};
const describeCurve = (clientX) => {
  if (clientX < $("curve").getBoundingClientRect().left + LEFT()) return null;
  const t = timeAt($("curve"), clientX);
  return [time(t), ...DATA.occupancy.map((o) => {
    const n = valueAt(o.points, t);
    return `${memoryName(o)}: ${bytes(n)} of ${bytes(o.capacity_bytes)} (${percent(n, o.capacity_bytes)})`;
  })];
};
