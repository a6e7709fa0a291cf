"""The published systems, one paper a file."""

from __future__ import annotations

from fenjie.models.ngrams import Ngrams
from fenjie.models.sams import Sams

ARCHITECTURES: dict[str, type[Ngrams] | type[Sams]] = {"ngrams": Ngrams, "sams": Sams}
"""Each architecture by the name that recipes and model folders use."""
