"""Results of benchmarks: written with the machine, the versions, the commit and the date."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from fenjie.files import atomic
from fenjie.store.provenance import cpu, now

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results"
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
}
"""Environment variables that keep numerical libraries to one thread."""


def describe() -> dict[str, Any]:
    """The machine, the versions of the libraries that matter, the commit and the time (UTC)."""
    return {
        "date": now(),
        "commit": commit(ROOT),
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": {
            name: version
            for name in ("fenjie", "numpy", "onnxruntime", "torch")
            if (version := _version(name)) is not None
        },
    }


def where(record: Path) -> str:
    """The processor, the day and the commit of a result; nothing where it was not measured."""
    if not record.exists():
        return ""
    about = json.loads(record.read_text(encoding="utf-8"))["machine"]
    return f"{about['cpu']}, {about['date'][:10]}, commit {about['commit']}"


def commit(root: Path) -> str | None:
    """The commit of a repository, with `-dirty` where files differ from it; None if it has none."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def save(name: str, result: dict[str, Any]) -> Path:
    """Write `benchmarks/results/NAME.json`: the machine, then the result."""
    path = RESULTS / f"{name}.json"
    with atomic(path) as file:
        text = json.dumps({"machine": describe(), **result}, ensure_ascii=False, indent=2)
        file.write_text(text + "\n", encoding="utf-8")
    return path


def peak_memory_mib() -> float:
    """The peak memory of this process, in MiB (Linux).

    Not `getrusage`: its peak is inherited from the process that started this one.
    """
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1]) / 1024
