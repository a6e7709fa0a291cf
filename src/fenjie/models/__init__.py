"""The published systems, one paper a file."""

from __future__ import annotations

from fenjie.models.sams import Sams

ARCHITECTURES = {"sams": Sams}
"""Each architecture by the name that recipes and model folders use."""
