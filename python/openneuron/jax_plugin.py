"""JAX calls initialize() once, before it makes the first device of any platform."""

from __future__ import annotations

from openneuron import library_path

PLATFORM = "neuron"
PRIORITY = 400  # above cpu: installed, neuron is the default device


def initialize() -> None:
    from jax._src import xla_bridge

    path = library_path()
    try:
        if not path.is_file():
            raise FileNotFoundError(f"{path} is missing: run `make build` in a checkout, or install the package again")
        xla_bridge.register_plugin(PLATFORM, priority=PRIORITY, library_path=str(path))
        explain_callbacks()
    except Exception as problem:  # noqa: BLE001
        # JAX would log this and run everything on cpu. A backend that fails when it is asked for is not overlooked;
        # with JAX_PLATFORMS=cpu it is not asked for.
        refuse(f"OpenNeuron's plugin cannot be loaded: {problem}")


def explain_callbacks() -> None:
    """What calls the host has no lowering for neuron; JAX would say that in its own terms, without a way out."""
    from jax._src import callback, debugging
    from jax._src.interpreters import mlir

    for primitive in (debugging.debug_print_p, debugging.debug_callback_p, callback.pure_callback_p, callback.io_callback_p):

        def rule(*_, name: str = primitive.name, **__):
            raise NotImplementedError(
                f"{name}: a NeuronCore cannot call the host while a program runs. Return the value from the jitted function "
                "and use it outside, or compute on the host: JAX_PLATFORMS=neuron,cpu and arguments on jax.devices('cpu')[0]."
            )

        mlir.register_lowering(primitive, rule, platform=PLATFORM)


def refuse(message: str) -> None:
    from jax._src import xla_bridge

    def factory():
        raise RuntimeError(message)

    xla_bridge.register_backend_factory(PLATFORM, factory, priority=PRIORITY, fail_quietly=False)
