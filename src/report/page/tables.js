// Tables that sort by any column. A column: [title, value(row), shown(row) or null, class].
const sortable = (table, columns, rows, options = {}) => {
  const state = { column: options.by ?? 0, down: true };
  const head = make("tr"), body = make("tbody");
  const heads = columns.map(([title, , , kind], i) => {
    const button = make("button", { type: "button", textContent: title });
    button.addEventListener("click", () => {
      state.down = state.column === i ? !state.down : kind !== "text";
      state.column = i;
      fill();
    });
    const cell = make("th", { className: kind || "", scope: "col" }, button);
    head.append(cell);
    return cell;
  });
  const fill = () => {
    const value = columns[state.column][1];
    const wanted = rows.filter((row) => !options.matches || options.matches(row));
    wanted.sort((a, b) => {
      const p = value(a), q = value(b);
      return (typeof p === "string" ? p.localeCompare(q) : p - q) * (state.down ? -1 : 1);
    });
    heads.forEach((cell, i) => cell.setAttribute("aria-sort", i === state.column ? (state.down ? "descending" : "ascending") : "none"));
    body.replaceChildren(...wanted.slice(0, 400).map((row) => {
      const line = make("tr");
      for (const [, get, show, kind] of columns) {
        const cell = make("td", { className: kind || "" });
        const content = show ? show(row) : String(get(row));
        cell.append(content);
        if (kind === "text" && typeof content === "string") cell.title = content;
        line.append(cell);
      }
      if (options.row) options.row(line, row);
      return line;
    }));
    if (!wanted.length) body.append(make("tr", {}, make("td", { className: "none text", colSpan: columns.length, textContent: "none" })));
  };
  table.replaceChildren(make("thead", {}, head), body);
  fill();
  return fill;
};

const opCell = (op) => {
  const swatch = make("span", { className: "swatch" });
  swatch.style.background = colour(op ?? -1);
  return make("span", { title: op != null && op >= 0 ? OPS[op].location : "" }, swatch, ` ${opName(op)} `, make("span", { className: "none", textContent: opPlace(op) }));
};
const opColumn = ["for which op", (r) => opName(r.op) + opPlace(r.op), (r) => opCell(r.op), "text"];
const numeric = (title, get, show) => [title, get, (row) => show(get(row)), ""];

const drawTables = () => {
  const rows = OPS.map((op, index) => ({ ...op, index, busy: sum(op.busy_ns), hbm: op.hbm_read_bytes + op.hbm_written_bytes }));
  const wanted = () => $("filter").value.toLowerCase();
  const fill = sortable($("op-table"), [
    ["op", (r) => r.op, (r) => opCell(r.index), "text"],
    numeric("time", (r) => r.path_ns, time), numeric("share", (r) => r.path_ns, (n) => percent(n, TOTAL)), numeric("busy", (r) => r.busy, time),
    numeric("FLOP", (r) => r.flops, (n) => (n ? flops(n) : "–")), numeric("HBM bytes", (r) => r.hbm, (n) => (n ? bytes(n) : "–")),
    numeric("FLOP / byte", (r) => (r.hbm ? r.flops / r.hbm : 0), (n) => (n ? n.toPrecision(3) : "–")),
    numeric("instructions", (r) => r.instructions, (n) => n.toLocaleString("en")),
    ...["PE", "Vector", "Scalar", "GpSimd", "Dma"].map((e) => numeric(e === "Dma" ? "DMA" : e, (r) => r.busy_ns[e] || 0, (n) => (n ? time(n) : "–"))),
  ], rows, {
    by: 1, matches: (r) => `${r.op} ${r.location}`.toLowerCase().includes(wanted()),
    row: (line, r) => { line.dataset.op = r.index; line.classList.toggle("chosen", r.index === chosen); line.addEventListener("click", () => choose(r.index)); },
  });
  $("filter").oninput = fill;

  const d = DATA.dma;
  sortable($("class-table"), [
    ["descriptors of", (r) => r.up_to_bytes ?? Infinity, (r) => (r.up_to_bytes == null ? "more" : `up to ${r.up_to_bytes} B`), "text"],
    numeric("number", (r) => r.descriptors, (n) => n.toLocaleString("en")), numeric("bytes", (r) => r.bytes, bytes), numeric("busy", (r) => r.busy_ns, time),
    numeric("share of DMA time", (r) => r.busy_ns, (n) => percent(n, d.busy_ns)),
  ], d.classes.filter((c) => c.descriptors), { by: 3 });
  sortable($("dma-table"), [
    ["what moves", (r) => valueName(r), (r) => `${r.direction} ${valueName(r)}`, "text"], opColumn,
    numeric("busy", (r) => r.busy_ns, time), numeric("at the peak rate", (r) => r.ideal_ns, time), numeric("bytes", (r) => r.bytes, bytes),
    numeric("bytes a descriptor", (r) => r.bytes / Math.max(r.descriptors, 1), (n) => String(Number(n.toPrecision(4)))),
    numeric("transfers", (r) => r.transfers, (n) => n.toLocaleString("en")), numeric("on path", (r) => r.path_ns, time),
  ], d.rows, { by: 2 });
  sortable($("turn-table"), [
    ["how", (r) => r.how, (r) => (r.how === "PE" ? "on the PE" : "DMA, element by element"), "text"], ["value", (r) => r.value, null, "text"], opColumn,
    numeric("busy", (r) => r.busy_ns, time), numeric("on path", (r) => r.path_ns, time), numeric("instructions", (r) => r.instructions, (n) => n.toLocaleString("en")),
    ["why", (r) => r.why, null, "text why"],
  ], DATA.transposes, { by: 3 });
  sortable($("spill-table"), [
    ["value", (r) => valueName(r), null, "text"], opColumn, numeric("busy", (r) => r.busy_ns, time), numeric("on path", (r) => r.path_ns, time),
    numeric("written", (r) => r.written_bytes, bytes), numeric("read", (r) => r.read_bytes, bytes), ["why", (r) => r.why, null, "text why"],
  ], DATA.spills, { by: 2 });
  sortable($("routine-table"), [
    ["routine", (r) => r.name, null, "text"], opColumn, numeric("busy", (r) => r.busy_ns, time), numeric("on path", (r) => r.path_ns, time), numeric("calls", (r) => r.calls, String),
  ], DATA.routines, { by: 2 });
  for (const [section, list] of [["turns", DATA.transposes], ["spills", DATA.spills], ["routines", DATA.routines]]) $(section).classList.toggle("empty", !list.length);
};
