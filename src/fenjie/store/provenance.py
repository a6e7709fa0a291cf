"""The machine, the versions, the commit and the date that belong to a measured number."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any


def describe(root: Path) -> dict[str, Any]:
    """The machine, the versions of the libraries that matter, the commit and the time (UTC).

    Args:
        root: a folder of the repository.
    """
    return {
        "date": now(),
        "commit": commit(root),
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


def now() -> str:
    """The time, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def commit(root: Path) -> str | None:
    """The commit of a repository, with `-dirty` where files differ from it; None if it has none."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def cpu() -> str:
    """The processor, in words."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
