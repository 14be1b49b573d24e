"""Control flow in a few ops each: loops with known and unknown trip counts, branches, nesting, and their gradients."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from common import Program, cast, generator, normal

PROBES: list[Program] = []


def program(*inputs, name=None, types="float32", donated=()):
    """Registers `function(types, *arrays)`; an input is a shape (N(0, 1)), an int (an i32 scalar) or an array."""

    def register(function):
        label = "control_" + (name or function.__name__)

        def arguments():
            made = []
            for i, value in enumerate(inputs):
                if isinstance(value, tuple):
                    made.append(cast(normal(value, label, i), types))
                else:
                    made.append(np.asarray(value, np.int32) if isinstance(value, int) else value)
            return made

        PROBES.append(Program(label, function, arguments, donated, types, group="probe"))
        return function

    return register


def number(types, value):
    return jnp.asarray(value, types.narrow)


# Scans.


@program((6, 5, 9), (5, 9))
def scan_sums(types, xs, start):
    return lax.scan(lambda carry, x: (carry + x, carry * x), start, xs)


@program((6, 5, 9), (5, 9))
def scan_reverse(types, xs, start):
    return lax.scan(lambda carry, x: (number(types, 0.5) * carry + x, carry), start, xs, reverse=True)


@program((7, 4, 8), (7, 8), (4, 8), (8, 8))
def scan_many(types, xs, rows, start, weights):
    """Two streams in, two streams out, a constant of the body, and a counter that is carried."""

    def body(carry, inputs):
        state, count = carry
        x, row = inputs
        state = jnp.tanh(state @ weights + x + row)
        return (state, count + 1), (state.sum(-1), state[:, ::2] * count.astype(types.narrow))

    (state, count), streams = lax.scan(body, (start, jnp.int32(0)), (xs, rows))
    return state, count, *streams


@program((1, 6, 10), (6, 10))
def scan_once(types, xs, start):
    return lax.scan(lambda carry, x: (carry * x, carry - x), start, xs)


@program((0, 6, 10), (6, 10))
def scan_never(types, xs, start):
    return lax.scan(lambda carry, x: (carry * x, carry - x), start, xs)


@program((9, 6), (6,))
def scan_unrolled(types, xs, start):
    return lax.scan(lambda carry, x: (number(types, 0.9) * carry + x, carry), start, xs, unroll=2)


@program((8, 3, 11), (3, 11))
def scan_without_carry(types, xs, row):
    return lax.map(lambda x: jnp.exp(-x * x) + row, xs)


@program((6, 140, 9), (140, 9))
def scan_wide_rows(types, xs, start):
    return lax.scan(lambda carry, x: (carry - x, jnp.abs(carry)), start, xs)


@program((6, 4, 7), (4, 7), types="bfloat16")
def scan_bf16(types, xs, start):
    return lax.scan(lambda carry, x: (carry * number(types, 0.5) + x, carry), start, xs)


@program((6, 5, 8), (5, 8), (8, 8))
def scan_gradient(types, xs, start, weights):
    def loss(xs, start, weights):
        end, ys = lax.scan(lambda carry, x: ((new := jnp.tanh(carry @ weights + x)), new * x), start, xs)
        return jnp.sum(end * end) + jnp.sum(ys)

    return jax.grad(loss, (0, 1, 2))(xs, start, weights)


@program((4, 3, 5, 6), (5, 6), (6, 6))
def scan_remat_gradient(types, xs, start, weights):
    """A scan in a rematerialised scan: optimization_barrier in the backward pass."""

    @jax.checkpoint
    def outer(carry, rows):
        return lax.scan(lambda c, x: (jnp.sin(c @ weights * number(types, 0.3) + x), None), carry, rows)[0], None

    return jax.grad(lambda s, w: jnp.sum(lax.scan(outer, s, xs)[0] ** 2) + jnp.sum(w), (0, 1))(start, weights)


# Whiles.


@program((7, 9), 5)
def fori_input_trips(types, a, trips):
    return lax.fori_loop(0, trips, lambda i, x: x * number(types, 0.75) + i.astype(types.narrow), a)


@program((7, 9), 0, name="fori_zero_trips")
@program((7, 9), -4, name="fori_negative_trips")
def fori_no_trips(types, a, trips):
    return lax.fori_loop(0, trips, lambda i, x: x + number(types, 1), a)


@program((7, 9), 3, 8)
def fori_from_to(types, a, first, last):
    return lax.fori_loop(first, last, lambda i, x: x + i.astype(types.narrow), a)


@program((6, 10), (6, 10), (6, 10))
def rotated_carries(types, a, b, c):
    """Three carries change places each trip: none may be overwritten before it was read."""
    return lax.fori_loop(0, 5, lambda i, s: (s[1], s[2], s[0] + number(types, 1)), (a, b, c))


@program((6, 10), (6, 10), 7)
def swapped_unknown_trips(types, a, b, trips):
    return lax.fori_loop(0, trips, lambda i, s: (s[1], s[0] * number(types, 0.5)), (a, b))


@program((6, 10))
def carry_twice(types, a):
    """One value starts two carries, and one result ends both."""
    return lax.fori_loop(0, 4, lambda i, s: (s[0] + s[1], s[0] - s[1]), (a, a))


@program((30, 8), (8,), 9, donated=(0,))
def update_rows(types, table, row, trips):
    """A donated carry written row by row."""
    return lax.fori_loop(0, trips, lambda i, t: t.at[i * 3].set(t[i] * number(types, 0.5) + row), table)


@program((12, 8))
def update_and_read(types, table):
    """Each row is the sum of the two before it: writes and reads of one carry in one trip."""
    return lax.fori_loop(2, 12, lambda i, t: t.at[i].set((t[i - 1] + t[i - 2]) * number(types, 0.6)), table)


@program((12, 8))
def update_keeps_the_old(types, table):
    """The value before the update is used after it: not in place."""

    def body(i, state):
        table, total = state
        new = table.at[i].set(jnp.ones(8, types.narrow))
        return new, total + jnp.sum(table * new)

    return lax.fori_loop(0, 12, body, (table, number(types, 0)))


@program((5, 33))
def while_tolerance(types, a):
    """Newton's square root until nothing moves by more than 1e-3; the trip count is an output."""

    def body(state):
        x, _, trips = state
        new = (x + jnp.abs(a) / x) * number(types, 0.5)
        return new, jnp.max(jnp.abs(new - x)), trips + 1

    return lax.while_loop(lambda s: s[1] > number(types, 1e-3), body, (jnp.abs(a) + 1, number(types, 1), jnp.int32(0)))


@program(27)
def collatz(types, start):
    """Scalars only: the trip count is known to nobody before the end."""

    def body(state):
        n, trips = state
        return jnp.where(n % 2 == 0, n // 2, 3 * n + 1), trips + 1

    return lax.while_loop(lambda s: s[0] != 1, body, (start, jnp.int32(0)))


@program((4, 6), 3)
def while_two_conditions(types, a, limit):
    def go_on(state):
        return (state[0] < limit) & (jnp.max(jnp.abs(state[1])) < number(types, 100))

    return lax.while_loop(go_on, lambda s: (s[0] + 1, s[1] * number(types, 3)), (jnp.int32(0), a))


@program((5, 7))
def while_in_while(types, a):
    """The inner trip count is a carry of the outer loop."""

    def outer(i, state):
        x, trips = state
        return lax.fori_loop(0, trips, lambda j, y: y * number(types, 0.9) + j.astype(types.narrow), x), trips * 2 - i.astype(jnp.int32)

    return lax.fori_loop(0, 4, outer, (a, jnp.int32(1)))


# Branches.


@program((9, 14), 1)
def cond_taken(types, a, which):
    return lax.cond(which > 0, lambda x: (x.sum(0), x * 2), lambda x: (x[0], jnp.exp(x)), a)


@program((9, 14), 0)
def cond_by_value(types, a, which):
    """The predicate comes from the data."""
    return lax.cond(jnp.sum(a) > 1000, lambda x: x + 1, lambda x: x * x, a)


@program((9, 14), (14, 5), 0, name="cond_unlike_0")
@program((9, 14), (14, 5), 1, name="cond_unlike_1")
def cond_unlike(types, a, b, which):
    """One branch has a contraction, the other hands an operand through."""
    return lax.cond(which > 0, lambda x: (x @ b) @ b.T, lambda x: x, a)


@program((9, 14), 1)
def cond_gradient(types, a, which):
    def loss(x):
        return jnp.sum(lax.cond(which > 0, lambda y: jnp.sin(y) * y, lambda y: y * 3, x))

    return jax.value_and_grad(loss)(a)


@program((9, 14), 2)
def switch_gradient(types, a, which):
    def loss(x):
        return jnp.sum(lax.switch(which, [lambda y: y, lambda y: y * y, lambda y: jnp.tanh(y) * y], x))

    return jax.grad(loss)(a)


for chosen in (-7, 0, 1, 2, 3, 11):

    @program((9, 14), chosen, name=f"switch_{chosen}".replace("-", "m"))
    def switch(types, a, which):
        """An index out of range is clamped."""
        return lax.switch(which, [lambda x: x + 1, lambda x: x @ (x.T @ x), lambda x: -x, lambda x: jnp.exp(x)], a)


# Nested.


@program((6, 5, 9), (5, 9), 1, name="nested_0")
@program((6, 5, 9), (5, 9), 0, name="nested_1")
def nested(types, xs, start, which):
    """A while in a scan in a branch."""

    def body(carry, x):
        def halve(state):
            return state * number(types, 0.5)

        carry = lax.while_loop(lambda s: jnp.max(jnp.abs(s)) > number(types, 1), halve, carry + x)
        return carry, carry.sum(-1)

    def looped(start):
        return lax.scan(body, start, xs)

    def straight(start):
        return start * number(types, 2), xs[:, :, 0]

    return lax.cond(which > 0, looped, straight, start)


@program((8, 6), generator("control", "choices").integers(0, 3, 10).astype(np.int32))
def branch_in_loop(types, a, choices):
    """A switch in a scan: another branch in each trip."""
    branches = [lambda x: x * number(types, 0.5), lambda x: x + number(types, 1), lambda x: x - jnp.mean(x)]
    return lax.scan(lambda x, which: (lax.switch(which, branches, x), which * 2), a, choices)


@program((8, 6), 4)
def cond_in_while_updates(types, table, trips):
    """Rows are written in some trips only."""

    def body(i, t):
        return lax.cond(i % 2 == 0, lambda u: u.at[i].set(u[i + 1] * number(types, 2)), lambda u: u, t)

    return lax.fori_loop(0, trips, body, table)


@program((3, 4, 6), 2)
def vmapped_while(types, a, trips):
    """A batched trip count becomes a loop with selects."""
    counts = jnp.arange(3, dtype=jnp.int32) * trips
    return jax.vmap(lambda x, n: lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * number(types, 0.5)), (jnp.int32(0), x))[1])(a, counts)


def programs() -> list[Program]:
    return PROBES
