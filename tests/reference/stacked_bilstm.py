"""Two stacked LSTMs as their equations stand, sentence by sentence and step by step.

It reads the parameters of a `fenjie.models.stacked_bilstm.StackedBilstm`, in evaluation mode.
"""

from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor


def lstm(x: Tensor, module: torch.nn.LSTM) -> Tensor:
    """One direction: `[length, dim] -> [length, hidden]`, with gates of their own names."""
    names = ("input", "forget", "candidate", "output")
    of_x = dict(zip(names, module.weight_ih_l0.chunk(4), strict=True))
    of_h = dict(zip(names, module.weight_hh_l0.chunk(4), strict=True))
    bias = dict(zip(names, (module.bias_ih_l0 + module.bias_hh_l0).chunk(4), strict=True))
    h = c = torch.zeros(module.hidden_size, dtype=x.dtype)
    found = []
    for step in x:
        z = {name: of_x[name] @ step + of_h[name] @ h + bias[name] for name in names}
        kept, new = torch.sigmoid(z["forget"]) * c, torch.sigmoid(z["input"])
        c = kept + new * torch.tanh(z["candidate"])
        h = torch.sigmoid(z["output"]) * torch.tanh(c)
        found.append(h)
    return torch.stack(found)


def tag_probabilities(model: torch.nn.Module, ids: Tensor) -> Tensor:
    """The probability of each tag of each character of a sentence: `[length, 4]`."""
    embedding = model.embedding
    rows = []
    for row in ids.tolist():
        parts = [embedding.characters.weight[row[0]]]
        if embedding.bigrams is not None:
            parts.append(embedding.bigrams.weight[row[1]])
        rows.append(torch.cat(parts))
    x = torch.stack(rows)
    for number, layer in enumerate(model.encoder.layers):
        # the first layer reads from the right, the second from the left what the first has found
        x = lstm(x.flip(0), layer.lstm).flip(0) if number % 2 == 0 else lstm(x, layer.lstm)
    scores = torch.exp(x @ model.output.weight.T + model.output.bias)
    return scores / scores.sum(dim=1, keepdim=True)


def gap_scores(model: torch.nn.Module, ids: Tensor) -> Tensor:
    """The log-likelihoods of no boundary and of a boundary in each gap: `[length - 1, 2]`."""
    tags, rows = tag_probabilities(model, ids), []
    for left, right in pairwise(tags):
        begin, inside, end, single = range(4)
        within = (left[begin] + left[inside]) * (right[inside] + right[end])
        between = (left[end] + left[single]) * (right[begin] + right[single])
        rows.append(torch.stack((within, between)).log())
    return torch.stack(rows) if rows else tags.new_zeros(0, 2)
