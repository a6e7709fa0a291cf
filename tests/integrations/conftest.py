"""The tiny models as a service has them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from fenjie.serve.taggers import Models


@pytest.fixture(scope="session")
def models(tiny_model: Path, tiny_ner: Path) -> Models:
    """Both tiny models."""
    pytest.importorskip("fastapi", reason="needs the extra `serve`")
    from fenjie.serve.taggers import Models

    return Models.load([str(tiny_model), str(tiny_ner)])
