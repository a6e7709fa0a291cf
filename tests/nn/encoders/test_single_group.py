"""The encoders of SAMS one after another are those side by side."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="needs the extra `train`")

from fenjie.nn.attention.dense import DensePattern  # noqa: E402
from fenjie.nn.attention.selection import SelectionConfig  # noqa: E402
from fenjie.nn.encoders.single_group import single_layer  # noqa: E402
from fenjie.nn.encoders.transformer import TransformerLayer  # noqa: E402


@pytest.mark.parametrize("sigma", [None, 2.0])
@pytest.mark.parametrize("kind", ["dense", "top-k", "threshold"])
def test_a_layer(kind: str, sigma: float | None) -> None:
    torch.manual_seed(0)
    layer = TransformerLayer(3, 16, 4, 24, 0.1, SelectionConfig(kind)).double().eval()
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    mask = torch.arange(7) < torch.tensor([7, 2, 5])[:, None]
    x = torch.randn(3, 3, 7, 16).double()
    pattern = DensePattern.make(mask, ("forward", "center", "backward"), sigma, x)
    with torch.no_grad():
        expected = layer(x, pattern).x
        found = torch.stack([single_layer(layer, group, x[group], pattern) for group in range(3)])
    assert torch.allclose(found, expected, rtol=0, atol=1e-10)
