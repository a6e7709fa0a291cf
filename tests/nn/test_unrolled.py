"""The form of a model for export is the same function."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="needs the extra `train`")

from fenjie.lexicon.indexer import Sizes  # noqa: E402
from fenjie.models.sams import Sams, SamsConfig  # noqa: E402
from fenjie.nn.attention.selection import SelectionConfig  # noqa: E402
from fenjie.nn.batch import Batch  # noqa: E402
from fenjie.nn.unrolled import UnrolledLayer, unroll  # noqa: E402

SELECTIONS = [
    *(SelectionConfig("top-k", keep=keep) for keep in (1, 3, 20)),
    SelectionConfig("sparsemax"),
    SelectionConfig("entmax"),
    *(SelectionConfig("threshold", keep=keep) for keep in (0, 3, 20)),
    SelectionConfig("threshold", dynamic=False),
]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"gaussian": False},
        {"directions": ("forward", "backward")},
        {"highway_output": False, "highway_input": False},
        {"fusion": "gate"},
        *({"selection": config} for config in SELECTIONS),
        {"gaussian": False, "selection": SelectionConfig("threshold")},
        {"directional": False, "selection": SelectionConfig("threshold")},
    ],
    ids=str,
)
def test_the_scores_are_the_same(settings: dict[str, object]) -> None:
    torch.manual_seed(0)
    config = SamsConfig(dim=16, layers=2, heads=4, hidden=24, **settings)
    model = Sams(config, Sizes(30)).double().eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    lengths = torch.tensor([7, 2, 5])
    ids = torch.randint(2, 30, (3, 7, 1)) * (torch.arange(7) < lengths[:, None])[..., None]
    batch = Batch(ids, lengths)
    with torch.no_grad():
        unrolled = unroll(model)
        difference = unrolled(batch).final - model(batch).final
    assert difference.abs().max() < 1e-10
    assert sum(isinstance(module, UnrolledLayer) for module in unrolled.modules()) == 2
    assert not any(isinstance(module, UnrolledLayer) for module in model.modules())
