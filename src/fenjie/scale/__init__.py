"""Much text: several processes, runs that go on after a stop, clusters.

`tag` and `segment` work on data sets of Ray Data: `fenjie.scale.ray_data`, which is imported, and
Ray with it, when they are first used.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from fenjie.scale.ray_data import segment, tag

__all__ = ["segment", "tag"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'fenjie.scale' has no attribute {name!r}")
    from fenjie.scale import ray_data

    return getattr(ray_data, name)
