// One stretch of time for all canvases: wheel and pinch zoom, dragging and arrow keys move.
const view = { begin: 0, end: TOTAL };
const LEFT = () => (innerWidth < 600 ? 58 : 92);  // room for names
const SHORTEST = 20;  // ns

const setView = (begin, end) => {
  const length = Math.min(Math.max(end - begin, SHORTEST), Math.max(TOTAL, SHORTEST));
  const first = Math.min(Math.max(begin, 0), Math.max(TOTAL, SHORTEST) - length);
  view.begin = first;
  view.end = first + length;
  requestDraw();
};
const zoomAt = (factor, at) => {
  const length = (view.end - view.begin) / factor;
  const share = (at - view.begin) / (view.end - view.begin);
  setView(at - share * length, at + (1 - share) * length);
};
let asked = false;
const requestDraw = () => {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => { asked = false; redraw(); });
};

// A canvas of the given height in CSS pixels, cleared; x(t) and t(x) translate.
const prepare = (canvas, height) => {
  const ratio = devicePixelRatio || 1, width = canvas.clientWidth;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const left = LEFT(), room = Math.max(1, width - left);
  const x = (ns) => left + ((ns - view.begin) / (view.end - view.begin)) * room;
  return { context, width, height, left, x };
};
const timeAt = (canvas, clientX) => {
  const box = canvas.getBoundingClientRect(), left = LEFT();
  return view.begin + ((clientX - box.left - left) / Math.max(1, box.width - left)) * (view.end - view.begin);
};

const niceStep = (length, most) => {
  const raw = length / most, power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
};
const drawAxis = ({ context, width, height, left, x }, top) => {
  const step = niceStep(view.end - view.begin, Math.max(2, (width - left) / 110));
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "top";
  for (let t = Math.ceil(view.begin / step) * step; t <= view.end; t += step) {
    const at = Math.round(x(t)) + 0.5;
    context.fillStyle = css("--line");
    context.fillRect(at, top ? 14 : 0, 1, height);
    if (!top) continue;
    context.fillStyle = css("--soft");
    const text = time(t), half = context.measureText(text).width / 2;
    context.fillText(text, Math.min(Math.max(at - half, left), width - 2 * half), 0);
  }
};

const attach = (canvas, describe, pick) => {
  const fingers = new Map();
  let moved = 0;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = (event.deltaX / canvas.clientWidth) * (view.end - view.begin);
      setView(view.begin + by, view.end + by);
    } else {
      zoomAt(Math.exp(-event.deltaY * 0.0022), timeAt(canvas, event.clientX));
    }
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    moved = 0;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) {
      const lines = describe(event.clientX, event.clientY);
      if (lines) showTip(event.clientX, event.clientY, lines); else hideTip();
      return;
    }
    hideTip();
    const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
    moved += Math.abs(event.clientX - before.x);
    if (others.length) {
      const anchor = others[0].x, old = Math.abs(before.x - anchor), now = Math.abs(event.clientX - anchor);
      if (old > 8 && now > 8) zoomAt(now / old, timeAt(canvas, anchor));
    } else {
      const by = ((before.x - event.clientX) / Math.max(1, canvas.clientWidth - LEFT())) * (view.end - view.begin);
      setView(view.begin + by, view.end + by);
    }
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  const lift = (event) => {
    if (fingers.delete(event.pointerId) && moved < 4 && event.type === "pointerup") {
      const lines = describe(event.clientX, event.clientY);
      if (lines && event.pointerType !== "mouse") showTip(event.clientX, event.clientY, lines);
      if (pick) pick(event.clientX, event.clientY);
    }
  };
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("keydown", (event) => {
    const length = view.end - view.begin, middle = view.begin + length / 2;
    const act = {
      ArrowLeft: () => setView(view.begin - length / 5, view.end - length / 5),
      ArrowRight: () => setView(view.begin + length / 5, view.end + length / 5),
      "+": () => zoomAt(1.6, middle), "=": () => zoomAt(1.6, middle), "-": () => zoomAt(1 / 1.6, middle), 0: () => setView(0, TOTAL),
    }[event.key];
    if (act) { act(); event.preventDefault(); }
  });
};

// The idle ground of a plot with its axis; what is drawn until context.restore() stays inside.
const beginPlot = (area) => {
  const { context, width, height, left } = area;
  context.fillStyle = css("--idle");
  context.fillRect(left, 0, width - left, height);
  drawAxis(area, false);
  context.save();
  context.beginPath();
  context.rect(left, 0, width - left, height);
  context.clip();
};
