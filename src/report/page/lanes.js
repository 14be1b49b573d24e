// The engines' lanes. A block is [begin, length, op, opcode, count, busy, pause, pause kind, cause op], times in tenths of ns.
const LANES = DATA.draw.lanes.map((rows, i) => {
  let begin = 0;
  const blocks = rows.map(([after, length, op, opcode, count, busy, pause, kind, cause]) => {
    begin += after;
    return { begin: begin / 10, end: (begin + length) / 10, op, opcode, count, busy: busy / 10, pause: pause / 10, kind, cause };
  });
  return { name: DATA.engines[i].name, blocks };
}).filter((lane) => lane.blocks.length);
const LANE_TOP = 20, lanePitch = () => (innerWidth < 600 ? 20 : 24);

// The first block that ends after t.
const firstAfter = (blocks, t) => {
  let low = 0, high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (blocks[middle].end <= t) low = middle + 1; else high = middle;
  }
  return low;
};

const drawLanes = () => {
  const pitch = lanePitch();
  const area = prepare($("lanes"), LANE_TOP + pitch * LANES.length + 2);
  const { context, width, left, x } = area;
  drawAxis(area, true);
  context.textBaseline = "middle";
  LANES.forEach((lane, row) => {
    const top = LANE_TOP + row * pitch, height = pitch - 5;
    context.fillStyle = css("--idle");
    context.fillRect(left, top, width - left, height);
    context.save();
    context.beginPath();
    context.rect(left, top, width - left, height);
    context.clip();
    for (let i = firstAfter(lane.blocks, view.begin); i < lane.blocks.length && lane.blocks[i].begin < view.end; ++i) {
      const block = lane.blocks[i], from = x(block.begin), size = Math.max(x(block.end) - from, 0.6);
      const share = block.count > 1 ? Math.min(1, block.busy / Math.max(block.end - block.begin, 0.1)) : 1;
      context.globalAlpha = (chosen < 0 || chosen === block.op ? 1 : 0.14) * (0.25 + 0.75 * share);
      context.fillStyle = colour(block.op);
      context.fillRect(from, top, size > 3 ? size - 0.5 : size, height);
      if (size > 46 && height > 13) {
        context.globalAlpha = chosen < 0 || chosen === block.op ? 1 : 0.3;
        context.fillStyle = dark ? "#0c0f14" : "#ffffff";
        context.font = "11px system-ui, sans-serif";
        context.save();
        context.beginPath();
        context.rect(from, top, size - 4, height);
        context.clip();
        context.fillText(block.count > 1 ? opName(block.op) : DATA.draw.opcodes[block.opcode], Math.max(from, left) + 4, top + height / 2);
        context.restore();
      }
    }
    context.restore();
    context.globalAlpha = 1;
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = css("--ink");
    context.fillText(lane.name, 0, top + height / 2, left - 6);
  });
  $("range").textContent = `${time(view.begin)} – ${time(view.end)}`;
};

const blockAt = (clientX, clientY) => {
  const box = $("lanes").getBoundingClientRect();
  const row = Math.floor((clientY - box.top - LANE_TOP) / lanePitch());
  if (row < 0 || row >= LANES.length || clientX < box.left + LEFT()) return null;
  const t = timeAt($("lanes"), clientX), lane = LANES[row];
  const reach = (view.end - view.begin) / 400;  // slivers can be hit too
  const i = firstAfter(lane.blocks, t - reach);
  const near = lane.blocks.slice(i, i + 4).filter((b) => b.begin <= t + reach);
  const distance = (b) => Math.max(b.begin - t, t - b.end, 0);
  near.sort((a, b) => distance(a) - distance(b));
  return near.length ? { lane, block: near[0] } : null;
};
const describeBlock = (clientX, clientY) => {
  const hit = blockAt(clientX, clientY);
  if (!hit) return null;
  const { lane, block } = hit, lines = [];
  const what = block.count > 1 ? `${block.count} instructions, busy ${percent(block.busy, block.end - block.begin)}` : DATA.draw.opcodes[block.opcode];
  lines.push(`${opName(block.op)} · ${what}`);
  lines.push(opPlace(block.op) || "no source line");
  lines.push(`${lane.name}: ${time(block.begin)} to ${time(block.end)} (${time(block.end - block.begin)})`);
  if (block.pause > 0.05) {
    const cause = block.cause >= 0 ? ` (${opName(block.cause)} ${opPlace(block.cause)})` : "";
    lines.push(`waited ${time(block.pause)} for ${DATA.draw.pauses[block.kind]}${cause}`);
  } else {
    lines.push("did not wait");
  }
  return lines;
};
