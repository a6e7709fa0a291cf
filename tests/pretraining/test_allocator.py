"""Memory that is freed stays with the process."""

from __future__ import annotations

import ctypes
import platform
import subprocess
import sys

import pytest

from fenjie.pretraining.allocator import keep_freed_memory

FREED = """
import ctypes, resource
from fenjie.pretraining.allocator import keep_freed_memory

assert keep_freed_memory() is KEEP
library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
library.free.argtypes = [ctypes.c_void_p]
places = set()
for _ in range(4):
    place = library.malloc(1 << 26)
    library.memset(ctypes.c_void_p(place), 1, 1 << 26)
    library.free(place)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(4):
    place = library.malloc(1 << 26)
    library.memset(ctypes.c_void_p(place), 1, 1 << 26)
    library.free(place)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="needs glibc")
def test_freed_memory_serves_the_next_allocation() -> None:
    """In a process of its own, since the setting is the process's."""
    script = FREED.replace("KEEP", "True")
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert int(found.stdout) < 100, "pages that the system gave anew, of 65,536"


def test_another_c_library_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert keep_freed_memory() is False
