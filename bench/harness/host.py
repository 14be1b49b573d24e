"""The computer that measures: its cores, what they can do, and how busy others keep them."""

from __future__ import annotations

import os
import pathlib
import platform
import time

CPUS = pathlib.Path("/sys/devices/system/cpu")


def cpuinfo(field: str) -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(field):
            return line.split(":", 1)[1].strip()
    return ""


def isa() -> str:
    """The best of the host instruction sets that have kernels, by what the kernel reports."""
    flags = set(cpuinfo("flags").split())
    if {"amx_bf16", "amx_tile"} <= flags:
        return "amx"
    if {"avx512f", "avx512bw", "avx512vl", "avx512dq"} <= flags:
        return "avx512_bf16" if "avx512_bf16" in flags else "avx512"
    return "avx2" if {"avx2", "fma"} <= flags else "baseline"


def numbers(text: str) -> list[int]:
    """"0-2,5" -> [0, 1, 2, 5]: the kernel's lists of CPUs."""
    result: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        result += range(int(first), int(last or first) + 1)
    return result


def siblings(cpu: int, folder: pathlib.Path = CPUS) -> tuple[int, ...]:
    """The hardware threads of the core that has `cpu`; only itself where the kernel does not say."""
    for name in ("core_cpus_list", "thread_siblings_list"):
        file = folder / f"cpu{cpu}" / "topology" / name
        if file.exists():
            return tuple(numbers(file.read_text()))
    return (cpu,)


def choose(count: int, allowed: list[int] | None = None, folder: pathlib.Path = CPUS) -> tuple[list[int], bool]:
    """`count` of the allowed CPUs, of different cores while there are any, and whether no two share a core."""
    allowed = sorted(os.sched_getaffinity(0)) if allowed is None else allowed
    first, second, seen = [], [], set()
    for cpu in allowed:
        core = siblings(cpu, folder)
        (second if core in seen else first).append(cpu)
        seen.add(core)
    chosen = (first + second)[:count]
    return chosen, len(chosen) == count and all(cpu in first for cpu in chosen)


def describe() -> dict:
    """What a reader needs to know of the computer."""
    memory = {k: int(v.split()[0]) for k, _, v in (l.partition(":") for l in pathlib.Path("/proc/meminfo").read_text().splitlines())}
    cores = {siblings(cpu) for cpu in os.sched_getaffinity(0)}
    return {
        "cpu": cpuinfo("model name") or platform.processor(),
        "family": f"family {cpuinfo('cpu family')}, model {cpuinfo('model')}, stepping {cpuinfo('stepping')}",
        "cpus": len(os.sched_getaffinity(0)),
        "cores": len(cores),
        "isa": isa(),
        "memory_gib": round(memory["MemTotal"] / 2**20, 1),
        "system": platform.system() + " " + platform.release(),
    }


class Load:
    """How much of the chosen CPUs others used between two moments, hypervisor included."""

    def __init__(self, cpus: list[int]):
        self.cpus = cpus
        self.before = os.getloadavg()[0]
        self.start = self.now()

    def now(self) -> tuple[float, float, float]:
        """Seconds: of the clock, all CPUs' use of these cores, this process's and its finished children's."""
        used, wanted = 0, {f"cpu{cpu}" for cpu in self.cpus}
        for line in pathlib.Path("/proc/stat").read_text().splitlines():
            name, *fields = line.split()
            if name in wanted:
                user, nice, system, _, _, irq, softirq, steal = map(int, fields[:8])
                used += user + nice + system + irq + softirq + steal
        own = os.times()
        return time.monotonic(), used / os.sysconf("SC_CLK_TCK"), sum(own[:4])

    def read(self) -> dict:
        clock, used, own = (b - a for a, b in zip(self.start, self.now()))
        others = max(0.0, used - own) / (max(clock, 1e-9) * max(1, len(self.cpus)))
        return {"load_before": self.before, "load_after": os.getloadavg()[0], "others": min(1.0, others)}
