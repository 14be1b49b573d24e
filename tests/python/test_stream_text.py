"""The tests' own reader of stream text, on the example of docs/stream.md and on streams small enough to check by hand."""

import numpy as np
import pytest

import stream_text
from stream_text import Deadlock, accesses, delete_wait, implied_waits, orders, parse, places

EXAMPLE = """code "scale" target "trn2" {
  %x = private_hbm input f32[1024,512]
  %y = private_hbm output f32[1024,512]
  core 0 sbuf_bytes=4096 {
    Vector sem0 {
      0: loop_begin L0, 8
        2: tensor_scalar sbuf[0:128, 0 + rot(L0,2*2048), [4,512]]: f32, sbuf[0:128, 0 + rot(L0,2*2048), [4,512]]: f32, 2.0, 0.0 op0=multiply op1=bypass wait(sem1 >= base+1, sem2 >= base-1) signal
      4: loop_end L0 advance(sem1 base+1, sem2 base+1)
    }
    Dma queue=0 sem1 {
      0: loop_begin L0, 8
        1: dma sbuf[0:128, 0 + rot(L0,2*2048), [4,512]]: f32, %x[0:128*2048, 0 + L0*262144, [4,512]]: f32, none indirect=0 wait(sem0 >= base-1, sem2 >= base-1) signal
      4: loop_end L0 advance(sem0 base+1, sem2 base+1)
    }
    Dma queue=4 sem2 {
      0: loop_begin L0, 8
        3: dma %y[0:128*2048, 0 + L0*262144, [4,512]]: f32, sbuf[0:128, 0 + rot(L0,2*2048), [4,512]]: f32, none indirect=0 wait(sem0 >= base+1) signal
      4: loop_end L0 advance(sem0 base+1)
    }
  }
}
"""


def test_lists_and_markers():
    lists = parse(EXAMPLE)
    assert [(s.name, s.semaphore, len(s.instructions)) for s in lists] == [("Vector", 0, 3), ("Dma0", 1, 3), ("Dma4", 2, 3)]
    assert lists[0].instructions[0].trips == 8
    assert lists[0].instructions[1].waits == [(1, 1), (2, -1)] and lists[0].instructions[1].signal
    assert lists[0].instructions[2].advances == [(1, 1), (2, 1)]


def test_relative_waits_become_absolute():
    """Iteration i waits for the load of iteration i and for the store of iteration i - 2."""
    events = stream_text.expand(parse(EXAMPLE)[0], {}, {})
    waits = [event.waits for event in events if event.signal]
    assert waits == [[(1, i + 1), (2, i - 1)] for i in range(8)]


def test_implied_waits_of_the_example():
    """The load waits for the store of two iterations ago, which waited for the Vector instruction: the load's own wait
    for Vector, and Vector's for the store (its load waited for it), follow from others."""
    lists = parse(EXAMPLE)
    implied = implied_waits(lists)
    named = {(lists[l].name, lists[l].instructions[i].waits[w]): value for (l, i, w), value in implied.items()}
    assert named == {
        ("Vector", (1, 1)): False, ("Vector", (2, -1)): True, ("Dma0", (0, -1)): True, ("Dma0", (2, -1)): False, ("Dma4", (0, 1)): False,
    }  # fmt: skip


def test_deleting_a_wait():
    lists = parse(EXAMPLE)
    shorter = delete_wait(EXAMPLE, lists[0].instructions[1], 0)
    assert parse(shorter)[0].instructions[1].waits == [(2, -1)]
    none = delete_wait(shorter, parse(shorter)[0].instructions[1], 0)
    assert parse(none)[0].instructions[1].waits == [] and "wait()" not in none and none.count("signal") == EXAMPLE.count("signal")


def test_deadlock_is_seen():
    with pytest.raises(Deadlock):
        orders(parse(EXAMPLE.replace("wait(sem0 >= base+1) signal", "wait(sem0 >= base+2) signal")))


def test_orders_hold_what_the_waits_say():
    result = orders(parse(EXAMPLE))
    # Event 15 of Dma4 (iteration 7: a begin marker, then two events per iteration) follows 16 events of Vector's list.
    assert result.clocks[2][15][0] == 16 and result.clocks[2][15][1] == 16


def test_while_and_case_markers():
    text = """code "w" target "trn2" {
  core 0 {
    Vector sem0 {
      0: while_begin L0
        1: memset sbuf[0:1, 0]: f32, 1.0 signal
      2: while_test L0, R0
        3: case_begin L1, R1 branches=2
          4: memset sbuf[0:1, 4]: f32, 1.0 signal
        5: case_next L1
        6: case_end L1
      7: while_end L0
    }
    Scalar sem1 {
      0: while_begin L0
      2: while_test L0, R0 advance(sem0 base+1)
        8: copy sbuf[0:1, 8]: f32, sbuf[0:1, 0]: f32 wait(sem0 >= base+0)
      7: while_end L0
    }
  }
}
"""
    lists = parse(text)
    run = stream_text.expand(lists[0], {0: 2}, {1: 0})
    assert [lists[0].instructions[e.static].order for e in run] == [0, 1, 2, 3, 4, 5, 7, 1, 2, 3, 4, 5, 7, 1, 2]
    other = stream_text.expand(lists[0], {0: 1}, {1: 1})
    assert [lists[0].instructions[e.static].order for e in other] == [0, 1, 2, 3, 6, 7, 1, 2]
    assert [e.waits for e in stream_text.expand(lists[1], {0: 2}, {}) if e.waits] == [[(0, 1)], [(0, 2)]]
    assert len(stream_text.choices(lists)) == 8


def test_places_of_an_access():
    (access,) = accesses("memset sbuf[2:4, 16 + L0*(32p + 8) + rot(L1,2*100), [12,2], [4,3]]: f32, 0.0")
    reached = places(access, {0: 1, 1: 3})
    assert reached[:, 0].tolist() == [34] * 6 + [35] * 6
    assert reached[:6, 1].tolist() == [16 + 8 + 100 + i * 12 + j * 4 for i in range(2) for j in range(3)]
    hbm = accesses("dma %y[0:2*2048, 4 + L0*262144, [-4,2]]: bf16, sbuf[0:2, 0, [2,2]]: bf16, none indirect=0")[0]
    assert places(hbm, {0: 1})[:, 1].tolist() == [262148, 262144, 264196, 264192]
    assert places(accesses("copy sbuf[0:1, R3*4]: f32, sbuf[0:1, 0]: f32")[0], {}) is None
    assert np.array_equal(places(accesses("copy sbuf[5:6, 8]: f32, sbuf[0:1, 0]: f32")[0], {}), [[5, 8]])


def test_an_order_that_matters_and_one_that_does_not():
    """Vector's wait for its load matters, and the load's for the store that frees its copy; with a copy for every
    iteration that store is no longer waited for by need."""
    lists = parse(EXAMPLE)
    needed = delete_wait(EXAMPLE, lists[0].instructions[1], 0)
    writer, reader = stream_text.lost_orders(EXAMPLE, needed)
    assert (writer.order, reader.order) == (1, 2)
    assert stream_text.lost_orders(EXAMPLE, delete_wait(EXAMPLE, lists[1].instructions[1], 0)) is None
    roomy = EXAMPLE.replace("rot(L0,2*2048)", "rot(L0,9*2048)")
    assert stream_text.lost_orders(roomy, delete_wait(roomy, lists[1].instructions[1], 1)) is None
    assert stream_text.lost_orders(EXAMPLE, delete_wait(EXAMPLE, lists[1].instructions[1], 1)) is not None
