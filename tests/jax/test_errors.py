"""What is refused says where: the code, the op, the line of the user's program (not one inside JAX) and a hint."""

import inspect
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

pytestmark = pytest.mark.usefixtures("neuron")


def wide(x):
    return x.astype(jnp.float64)


# Functions of JAX's library are programs of their own, whose ops have no line: that of their call stands for it.
REFUSED = {
    "cholesky": lambda x: jnp.linalg.cholesky(wide(x)).astype(jnp.float32),
    "inv": lambda x: jnp.linalg.inv(wide(x)).astype(jnp.float32),
    "solve": lambda x: jnp.linalg.solve(wide(x), wide(x)).astype(jnp.float32),
    "solve_triangular": lambda x: jax.scipy.linalg.solve_triangular(wide(x), wide(x)).astype(jnp.float32),
    "qr": lambda x: jnp.linalg.qr(wide(x))[0].astype(jnp.float32),
    "fft": lambda x: jnp.fft.fft(wide(x)).real.astype(jnp.float32),
    "det": lambda x: jnp.linalg.det(wide(x)).astype(jnp.float32),
    "literal": lambda x: (x * jnp.float64(2.5)).astype(jnp.float32),
}
OF_FLOAT64_INPUT = {
    "cholesky": lambda x: jnp.linalg.cholesky(x),
    "solve_triangular": lambda x: jax.scipy.linalg.solve_triangular(x, x),
    "qr": lambda x: jnp.linalg.qr(x),
    "fft": lambda x: jnp.fft.fft(x),
    "inv": lambda x: jnp.linalg.inv(x),
}


def refusal(function, x):
    with jax.enable_x64(True), pytest.raises(jax.errors.JaxRuntimeError) as raised:
        jax.block_until_ready(jax.jit(function)(x))
    return str(raised.value)


def says_where(text, function):
    first = inspect.getsourcelines(function)[1]
    found = re.match(r"UNIMPLEMENTED: (\S+):(\d+):\d+: error \[ON-E170[23]\] \S+: .+\n +hint: .+", text)
    assert found, text
    helper = inspect.getsourcelines(wide)[1] + 1
    assert found[1] == __file__ and int(found[2]) in (first, helper), text


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_names_the_line(name):
    says_where(refusal(REFUSED[name], np.eye(4, dtype=np.float32)), REFUSED[name])


@pytest.mark.parametrize("name", OF_FLOAT64_INPUT)
def test_an_input_that_is_refused_names_the_line_that_reads_it(name):
    says_where(refusal(OF_FLOAT64_INPUT[name], np.eye(4)), OF_FLOAT64_INPUT[name])


def test_a_function_called_twice_names_the_call_that_fails():
    inner = jax.jit(lambda x: jnp.tril(x))

    def program(x):
        y = inner(x)
        return inner(y.astype(jnp.float64)).astype(jnp.float32)

    text = refusal(program, np.eye(4, dtype=np.float32))
    assert re.match(r"UNIMPLEMENTED: " + re.escape(__file__) + r":\d+:\d+: error \[ON-E1703\] ", text), text


@pytest.mark.parametrize("name", ("float8_e4m3fn", "float8_e5m2", "int4", "uint4", "int2"))
def test_narrow_types_are_refused_by_name(name):
    """Going in, coming out, in between: the code, the type and the line, or the right values once they are lowered."""
    import ml_dtypes

    kind = np.dtype(getattr(ml_dtypes, name))
    x = np.array([0, 1, 1, 0], np.float32)
    for function, given in ((lambda x: x.astype(kind), x), (lambda x: x.astype(jnp.float32), x.astype(kind)), (lambda x: x.astype(kind).astype(jnp.float32), x)):
        try:
            found = np.asarray(jax.jit(function)(given))
        except jax.errors.JaxRuntimeError as error:
            assert re.match(r"UNIMPLEMENTED: " + re.escape(__file__) + r":\d+:\d+: error \[ON-E1703\] \S+: .*type \S+ has no lowering", str(error)), error
        else:
            assert found.astype(np.float32).tolist() == x.tolist()
