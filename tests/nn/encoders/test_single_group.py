"""The encoders of SAMS one after another are those side by side."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="needs the extra `train`")

from fenjie.nn.attention.dense import DensePattern  # noqa: E402
from fenjie.nn.attention.finite import FinitePattern  # noqa: E402
from fenjie.nn.attention.selection import SelectionConfig  # noqa: E402
from fenjie.nn.encoders.layer import encode  # noqa: E402
from fenjie.nn.encoders.single_group import encode_in_turn  # noqa: E402
from fenjie.nn.encoders.transformer import TransformerLayer  # noqa: E402

DIRECTIONS = ("forward", "center", "backward")


@pytest.mark.parametrize("sigma", [None, 2.0])
@pytest.mark.parametrize("kind", ["dense", "top-k", "threshold"])
def test_layers(kind: str, sigma: float | None) -> None:
    torch.manual_seed(0)
    sizes = 16, 4, 24, 0.1, SelectionConfig(kind)
    layers = torch.nn.ModuleList(TransformerLayer(3, *sizes) for _ in range(2)).double().eval()
    for parameter in layers.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    mask = torch.arange(30) < torch.tensor([30, 2, 17])[:, None]
    x = torch.randn(3, 3, 30, 16).double()
    pattern = DensePattern.make(mask, DIRECTIONS, sigma, x)
    alike = FinitePattern.make(mask, DIRECTIONS, sigma, x) if kind == "dense" else pattern
    # (G, B, N, D) -> G of (N * B, D), and back
    rows = x.transpose(1, 2).flatten(1, 2).unbind()
    with torch.no_grad():
        expected = encode(layers, x, pattern).x
        made = encode_in_turn(layers, rows, alike)
    found = torch.stack(made).view(3, 30, 3, 16).transpose(1, 2)
    assert torch.allclose(found[:, mask], expected[:, mask], rtol=0, atol=1e-10)
