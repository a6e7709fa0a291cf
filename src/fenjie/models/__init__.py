"""The published systems, one paper a file."""

from __future__ import annotations

from typing import Any

from fenjie.models.flat import Flat
from fenjie.models.ngrams import Ngrams
from fenjie.models.sams import Sams

SEGMENTERS: dict[str, Any] = {"sams": Sams, "ngrams": Ngrams}
"""What finds words, by the names that recipes and model folders use; the first is the default."""

TAGGERS: dict[str, Any] = {"flat": Flat}
"""What finds named entities, likewise."""
