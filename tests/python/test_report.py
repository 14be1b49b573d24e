"""The report: its numbers against arithmetic by hand, its page in a real browser, timelines in Perfetto's own reader."""

import json
import shutil

import pytest

import large_programs
import trace_processor
from playwright.sync_api import sync_playwright
from programs import model, neff, run, source, succeed

# K=64, M=32, N=128 in fp32, then a detour through HBM.
KNOWN = """tile "known" target "trn2" {
  %left = private_hbm input f32[64,32]
  %right = private_hbm input f32[64,128]
  %out = private_hbm output f32[32,128]
  %scratch = private_hbm scratch f32[32,128]
  %a = sbuf partitions=64 bytes=128 address=1024
  %b = sbuf partitions=64 bytes=512 address=4096
  %sum = psum partitions=32 bytes=512
  %c = sbuf partitions=32 bytes=512 address=8192
  location 1 = "dir/model.py:3:5 (f) (jit(f)/dot_general)"
  location 2 = "dir/model.py:4:5 (f) (jit(f)/transpose(jvp(f))/add)"
  core 0 loops=0 {
    dma %a[0:64, 0, [4,32]]: f32, %left[0:64*128, 0, [4,32]]: f32, none indirect=0 loc(1)
    dma %b[0:64, 0, [4,128]]: f32, %right[0:64*512, 0, [4,128]]: f32, none indirect=0 loc(1)
    load_stationary %a[0:64, 0, [4,32]]: f32 loc(1)
    matmul %sum[0:32, 0, [4,128]]: f32, %b[0:64, 0, [4,128]]: f32 loc(1)
    copy %c[0:32, 0, [4,128]]: f32, %sum[0:32, 0, [4,128]]: f32 loc(1)
    dma %scratch[0:32*512, 0, [4,128]]: f32, %c[0:32, 0, [4,128]]: f32, none indirect=0 loc(1)
    dma %c[0:32, 0, [4,128]]: f32, %scratch[0:32*512, 0, [4,128]]: f32, none indirect=0 loc(2)
    dma %out[0:32*512, 0, [4,128]]: f32, %c[0:32, 0, [4,128]]: f32, none indirect=0 loc(2)
  }
}
"""
SIZES = {"phone": (375, 812), "large screen": (2560, 1440)}
MODELS = ("mlp", "gpt", "resnet", "tiny_dot_131x257x515", "tiny_while_unknown_trips", "threefry_permutation")


def report(*arguments):
    return json.loads(succeed("openneuron", "report", *arguments, "--json").stdout)


@pytest.fixture(scope="module")
def browser():
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert path, "no Chromium; scripts/setup.sh installs Debian's"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        yield browser
        browser.close()


class Opened:
    """A page of a report, with what went wrong on it and what it fetched."""

    def __init__(self, browser, file, size=(1280, 900), scheme="light"):
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.wrong, self.fetched = [], []
        self.page.on("console", lambda message: self.wrong.append(message.text) if message.type in ("error", "warning") else None)
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: self.fetched.append(request.url))
        self.page.goto(f"file://{file}")
        self.settle()

    def settle(self):
        """Until what was asked for is drawn."""
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def view(self):
        return self.page.evaluate("[view.begin, view.end]")

    def column(self, table, number):
        return self.page.evaluate(f"[...document.querySelectorAll('#{table} tbody tr')].map((r) => r.children[{number}].textContent)")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()


@pytest.fixture(scope="module")
def known(tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "known.tile"
    file.write_text(KNOWN)
    return file


@pytest.fixture(scope="module")
def gpt_page(tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "gpt.html"
    assert succeed("openneuron", "report", source(model("gpt")), "-o", file).stdout == ""
    return file


# -- numbers


def test_flops_bytes_and_times_of_a_known_matmul(known):
    r = report(known)
    dot, add = r["ops"]
    assert (dot["op"], dot["place"], dot["function"]) == ("dot_general", "model.py:3", "f")
    assert (add["op"], add["place"], add["function"]) == ("add", "model.py:4", "f, gradient")
    assert dot["flops"] == r["flops"] == 2 * 64 * 32 * 128 and add["flops"] == 0
    left, right, out = 64 * 32 * 4, 64 * 128 * 4, 32 * 128 * 4
    assert (dot["hbm_read_bytes"], dot["hbm_written_bytes"]) == (left + right, out)
    assert (add["hbm_read_bytes"], add["hbm_written_bytes"]) == (out, out)
    # trn2.toml: fp32 columns at 0.25 a cycle of 2.4 GHz, and the PE is cold: half speed. Copy on Scalar: a column a cycle.
    assert dot["busy_ns"]["PE"] == pytest.approx(2 * 128 / 0.25 / 2.4 + 32 / 0.28125 / 2.4, abs=0.001)
    assert dot["busy_ns"]["Scalar"] == pytest.approx(128 / 1.2, abs=0.001)


def test_the_critical_path_adds_up(known):
    for r in [report(known), *(report(source(model(name))) for name in ("mlp", "tiny_while_unknown_trips"))]:
        between = r["estimated_ns"] - r["launch_ns"]
        assert sum(o["path_ns"] for o in r["ops"]) == pytest.approx(between, abs=0.01 * len(r["ops"]))
        assert r["path_busy_ns"] + r["path_latency_ns"] == pytest.approx(between, abs=0.01)
        assert sum(e["path_ns"] for e in r["engines"]) == pytest.approx(r["path_busy_ns"], abs=0.1)
        for e in r["engines"]:
            if e["instructions"]:  # at work or standing still, never both
                assert e["busy_ns"] + sum(e["pauses_ns"].values()) == pytest.approx(between, rel=1e-4)
        assert between >= r["roofline"]["bound_ns"]
        for c in r["changes"]:
            assert 0 < c["saves_up_to_ns"] <= between + 0.001


def test_transfers_of_known_rows(known):
    d = report(known)["dma"]
    assert d["transfers"] == 5 and d["descriptors"] == 64 + 64 + 3 * 32 and d["queues"] == 5
    rows = {(r["value"], r["direction"]): r for r in d["rows"]}
    assert (rows["left", "read"]["descriptors"], rows["left", "read"]["bytes"]) == (64, 64 * 128)
    # 7 ns and bytes / 27.2 a descriptor, on 16 engines; the peak is HBM's 375 bytes a ns.
    assert rows["left", "read"]["busy_ns"] == pytest.approx(64 * (7 + 128 / 27.2) / 16, abs=0.001)
    assert rows["left", "read"]["ideal_ns"] == pytest.approx(64 * 128 / 375, abs=0.001)
    # Inputs and output once: the detour through scratch is above the bound.
    assert d["lower_bound_bytes"] == 64 * 128 + 64 * 512 + 32 * 512
    assert d["hbm_bytes"] == d["lower_bound_bytes"] + 2 * 32 * 512
    assert sum(c["descriptors"] for c in d["classes"]) == d["descriptors"]


def test_occupancy_of_known_buffers(known):
    by_space = {o["space"]: o for o in report(known)["occupancy"]}
    assert by_space["SBUF"]["peak_bytes"] == 128 + 512 and by_space["SBUF"]["capacity_bytes"] == 212984
    assert by_space["PSUM"]["peak_bytes"] == 2048  # a bank
    scratch, given = 32 * 512, 64 * 128 + 64 * 512 + 32 * 512
    assert by_space["HBM"]["points"][0] == [0, given] and by_space["HBM"]["peak_bytes"] == given + scratch
    assert by_space["HBM"]["points"][-1][1] == given


def test_spill_and_changes_of_the_detour(known):
    r = report(known)
    (spill,) = r["spills"]
    assert spill["value"] == "scratch" and spill["written_bytes"] == spill["read_bytes"] == 32 * 512
    best = r["changes"][0]
    assert best["title"] == "Keep scratch in SBUF" and best["saves_up_to_ns"] == pytest.approx(spill["path_ns"], abs=0.01)
    tile = next(c for c in r["changes"] if "tiles" in c["title"])
    assert "K=64 M=32 use 12 %" in tile["detail"]
    assert tile["saves_up_to_ns"] == pytest.approx((1 - 64 * 32 / 128**2) * 2 * 128 / 0.25 / 2.4, abs=0.01)


def test_element_sized_descriptors_are_transposes(tmp_path):
    """[64, 32] read column by column: 4 bytes a descriptor."""
    file = tmp_path / "columns.tile"
    file.write_text("""tile "columns" target "trn2" {
  %left = private_hbm input f32[64,32]
  %out = private_hbm output f32[32,64]
  %a = sbuf partitions=32 bytes=256
  location 1 = "m.py:3:5"
  core 0 loops=0 {
    dma %a[0:32, 0, [4,64]]: f32, %left[0:32*4, 0, [128,64]]: f32, none indirect=0 loc(1)
    dma %out[0:32*256, 0, [4,64]]: f32, %a[0:32, 0, [4,64]]: f32, none indirect=0 loc(1)
  }
}
""")
    r = report(file)
    (turn,) = r["transposes"]
    assert (turn["how"], turn["value"], turn["bytes"]) == ("DMA", "left", 32 * 64 * 4)
    assert turn["busy_ns"] == pytest.approx(32 * 64 * (7 + 4 / 27.2) / 16, abs=0.001)
    change = next(c for c in r["changes"] if c["title"].startswith("Load left in runs"))
    assert change["engine_ns"] == pytest.approx(turn["busy_ns"] - 32 * 64 * 4 / 375, abs=0.001)


# -- what the file holds


def test_a_neff_reports_what_its_compilation_reported(scratch):
    program, file = source(model("gpt")), neff(model("gpt"), "trn2", scratch)
    of_source, of_file = report(program), report(file)
    for r in (of_source, of_file):
        for key in ("file", "compile_ms", "peak_rss_bytes"):
            r.pop(key, None)
    assert of_file == of_source and of_file["layouts"]
    assert any(t["how"] == "PE" and t["why"] for t in of_file["transposes"])
    assert max(o["peak_bytes"] for o in of_file["occupancy"] if o["space"] == "SBUF") > 0


def test_strip_removes_the_facts(scratch, tmp_path):
    file, bare = neff(model("gpt"), "trn2", scratch), tmp_path / "bare.neff"
    succeed("openneuron", "strip", file, "-o", bare)
    whole, stripped = report(file), report(bare)
    assert stripped["estimated_ns"] == whole["estimated_ns"] and stripped["layouts"] == ""
    assert all(o["peak_bytes"] == 0 for o in stripped["occupancy"] if o["space"] != "HBM")
    assert [o["op"] for o in stripped["ops"]] == ["(no location)"]


@pytest.mark.parametrize("name", MODELS)
def test_text_fits_a_terminal(name):
    text = succeed("openneuron", "report", source(model(name))).stdout
    assert max(map(len, text.splitlines())) <= 100
    for heading in ("estimated time", "source op", "DMA", "memory", "PE" if "dot" in name else "queue"):
        assert heading in text


# -- the page


@pytest.mark.parametrize("scheme", ("light", "dark"))
@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES.keys())
def test_page_opens(browser, gpt_page, size, scheme):
    with Opened(browser, gpt_page, size, scheme) as opened:
        page = opened.page
        assert opened.wrong == [] and opened.fetched == [f"file://{gpt_page}"]
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert page.evaluate("document.documentElement.dataset.theme") == scheme
        names = [e["name"] for e in report(source(model("gpt")))["engines"] if e["instructions"]]
        assert page.evaluate("LANES.map((l) => l.name)") == names
        page.click("#theme")
        opened.settle()
        assert page.evaluate("document.documentElement.dataset.theme") != scheme and opened.wrong == []
        # Each lane's row has colours that the lane's ground has not.
        shades = page.evaluate("""() => {
          const canvas = document.getElementById("lanes"), ratio = devicePixelRatio, context = canvas.getContext("2d");
          return LANES.map((_, row) => {
            const y = Math.round((LANE_TOP + row * lanePitch() + 4) * ratio);
            const data = context.getImageData(Math.ceil(LEFT() * ratio) + 1, y, canvas.width - Math.ceil(LEFT() * ratio) - 2, 1).data;
            const seen = new Set();
            for (let i = 0; i < data.length; i += 4) seen.add(data.slice(i, i + 3).join());
            return seen.size;
          });
        }""")
        assert all(count > 1 for count in shades), dict(zip(names, shades))


def test_tables_sort(browser, gpt_page):
    with Opened(browser, gpt_page) as opened:
        head = opened.page.locator("#op-table th button")
        opened.page.evaluate("window.instructions = () => [...document.querySelectorAll('#op-table tbody tr')].map((r) => OPS[r.dataset.op].instructions)")
        head.get_by_text("instructions", exact=True).click()
        down = opened.page.evaluate("instructions()")
        assert down == sorted(down, reverse=True) and len(set(down)) > 3
        head.get_by_text("instructions", exact=True).click()
        assert opened.page.evaluate("instructions()") == sorted(down)
        head.get_by_text("op", exact=True).click()
        names = opened.page.evaluate("[...document.querySelectorAll('#op-table tbody tr')].map((r) => OPS[r.dataset.op].op)")
        assert [n.lower() for n in names] == sorted(n.lower() for n in names)
        opened.page.fill("#filter", "dot_general")
        assert set(opened.page.evaluate("[...document.querySelectorAll('#op-table tbody tr')].map((r) => OPS[r.dataset.op].op)")) == {"dot_general"}
        assert opened.wrong == []


def test_timeline_zooms_and_moves(browser, gpt_page):
    with Opened(browser, gpt_page) as opened:
        page, whole = opened.page, opened.view()
        box = page.locator("#lanes").bounding_box()
        page.locator("#lanes").scroll_into_view_if_needed()
        box = page.locator("#lanes").bounding_box()
        middle = (box["x"] + 0.6 * box["width"], box["y"] + 40)
        page.mouse.move(*middle)
        page.mouse.wheel(0, -600)
        opened.settle()
        near = opened.view()
        assert 0 < near[1] - near[0] < 0.5 * (whole[1] - whole[0]) and whole[0] < near[0] and near[1] < whole[1]
        page.mouse.down()
        page.mouse.move(middle[0] - 200, middle[1], steps=4)
        page.mouse.up()
        opened.settle()
        moved = opened.view()
        assert moved[0] > near[0] and moved[1] - moved[0] == pytest.approx(near[1] - near[0])
        page.click("[data-zoom='0']")
        opened.settle()
        assert opened.view() == whole
        page.click("[aria-label='Zoom in']")
        opened.settle()
        assert opened.view()[1] - opened.view()[0] == pytest.approx((whole[1] - whole[0]) / 2)
        page.locator("#lanes").focus()
        page.keyboard.press("0")
        opened.settle()
        assert opened.view() == whole and opened.wrong == []


def test_pointing_at_a_block_says_what_and_why(browser, gpt_page):
    with Opened(browser, gpt_page) as opened:
        page = opened.page
        page.locator("#lanes").scroll_into_view_if_needed()
        place = page.evaluate("""() => {
          const row = LANES.findIndex((l) => l.name === "Vector");
          const block = LANES[row].blocks.filter((b) => b.pause > 1 && b.cause >= 0 && OPS[b.op].place).sort((a, b) => (b.end - b.begin) - (a.end - a.begin))[0];
          const box = document.getElementById("lanes").getBoundingClientRect(), middle = (block.begin + block.end) / 2;
          return { x: box.left + LEFT() + (middle / TOTAL) * (box.width - LEFT()), y: box.top + LANE_TOP + row * lanePitch() + 6, op: OPS[block.op], hit: null };
        }""")
        page.mouse.move(place["x"], place["y"])
        text = page.locator("#tip").inner_text()
        assert ".py:" in text and "Vector:" in text and "waited" in text
        page.mouse.click(place["x"], place["y"])
        opened.settle()
        assert page.locator("#op-table tr.chosen").count() == 1
        page.mouse.move(5, 5)
        assert page.locator("#tip").is_hidden()
        assert opened.wrong == []


def test_memory_map_follows_its_choice(browser, gpt_page):
    with Opened(browser, gpt_page) as opened:
        assert opened.page.inner_text("#map-title").startswith("SBUF")
        opened.page.click("#space >> text=PSUM")
        opened.settle()
        assert opened.page.inner_text("#map-title").startswith("PSUM") and opened.wrong == []


def test_fingers_move_and_pinch(browser, gpt_page):
    with Opened(browser, gpt_page, SIZES["phone"]) as opened:
        whole = opened.view()
        opened.page.evaluate("""() => {
          const canvas = document.getElementById("lanes"), box = canvas.getBoundingClientRect();
          canvas.setPointerCapture = () => {};
          const send = (type, id, x) => canvas.dispatchEvent(new PointerEvent(type, { pointerId: id, pointerType: "touch", clientX: box.left + x, clientY: box.top + 40, bubbles: true }));
          send("pointerdown", 1, 120); send("pointerdown", 2, 160);
          send("pointermove", 2, 240);
          send("pointerup", 1, 120); send("pointerup", 2, 240);
        }""")
        opened.settle()
        near = opened.view()
        assert near[1] - near[0] == pytest.approx((whole[1] - whole[0]) / 3) and opened.wrong == []


def test_names_cannot_end_the_script(browser, tmp_path):
    file = tmp_path / "odd.tile"
    file.write_text(KNOWN.replace("dir/model.py:3:5 (f)", "</script><script>alert(1)//'&<b>.py:3:5 (f)"))
    succeed("openneuron", "report", file, "-o", tmp_path / "odd.html")
    with Opened(browser, tmp_path / "odd.html") as opened:
        assert opened.wrong == [] and "</script><script>" in opened.page.evaluate("OPS.map((o) => o.location).join()")
        assert opened.page.locator("#op-table b").count() == 0


def test_large_programs_give_small_pages(browser, tmp_path):
    """Twelve thousand ops, each on a line of its own: the page is bounded, and draws."""
    program, page = tmp_path / "large.mlir", tmp_path / "large.html"
    program.write_text(large_programs.users(3000))
    succeed("openneuron", "report", program, "-o", page)
    assert page.stat().st_size < 3 << 20
    with Opened(browser, page) as opened:
        assert opened.wrong == [] and opened.page.evaluate("LANES.reduce((n, l) => n + l.blocks.length, 0)") <= 24000
        assert opened.page.evaluate("OPS.length") <= 1501


# -- timelines


def test_perfetto_reads_the_clocks_spans(browser, scratch, tmp_path):
    """Slices per engine, their begins and ends in whole ns, and no complaint of the reader."""
    for name in ("mlp", "tiny_while_known_trips"):
        trace = tmp_path / f"{name}.json"
        succeed("openneuron", "run", source(model(name)), "--seed", "1", "--timeline", trace)
        events = [e for e in json.loads(trace.read_text())["traceEvents"] if e["ph"] == "X"]
        reader = trace_processor.Reader(browser, trace)
        try:
            bad = reader.rows("select name, value from stats where severity in ('error', 'data_loss') and value > 0")
            assert [(b.name, b.value) for b in bad] == []
            slices = reader.rows("select s.name as name, s.ts as ts, s.dur as dur, t.name as track, t.tid as tid from slice s "
                                 "join thread_track k on s.track_id = k.id join thread t using (utid)")
            found = sorted((s.tid, s.ts, s.dur, s.name) for s in slices)
            assert found == sorted((e["tid"], round(e["ts"] * 1000), round(e["dur"] * 1000), e["name"]) for e in events)
            # The same clock, by another way: instructions and busy time of each engine.
            for engine in report(source(model(name)))["engines"]:
                own = [s for s in slices if s.track == engine["name"]]
                assert len(own) == engine["instructions"], engine["name"]
                assert sum(s.dur for s in own) == pytest.approx(engine["busy_ns"], abs=len(own) + 1)
        finally:
            reader.close()


def test_perfetto_refuses_a_cut_timeline(browser, tmp_path):
    """The reader can fail: half a file is told apart."""
    trace = tmp_path / "trace.json"
    succeed("openneuron", "run", source(model("mlp")), "--seed", "1", "--timeline", trace)
    cut = tmp_path / "cut.json"
    cut.write_bytes(trace.read_bytes()[: trace.stat().st_size // 2])
    whole = trace_processor.Reader(browser, trace)
    part = trace_processor.Reader(browser, cut)
    try:
        assert not whole.finalized.error and whole.rows("select count(*) as n from slice")[0].n > 100
        assert "incomplete" in part.finalized.error
    finally:
        whole.close()
        part.close()


def test_report_refuses(tmp_path):
    file = tmp_path / "x.neff"
    file.write_bytes(b"nonsense")
    assert run("openneuron", "report", file).status == 1
    assert run("openneuron", "report", file, "-o", tmp_path / "out.html").status == 1
    assert not (tmp_path / "out.html").exists()
