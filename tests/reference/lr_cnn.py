"""LR-CNN as its equations stand: one pass, one layer, one character, one word after the other.

It reads the parameters of a `fenjie.models.lr_cnn.LrCnn` and gives the same scores, in evaluation
mode. A second network with windows to the left is the same one over the sentence turned around.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tests.reference.by_sentence import BySentence, Word

Words = dict[tuple[int, int], Tensor]
"""The vectors of the words by first character and length."""


def shares(gates: list[Tensor], values: list[Tensor]) -> Tensor:
    """The softmax of the gates' sigmoids, number by number, times the values."""
    total = sum(torch.exp(torch.sigmoid(gate)) for gate in gates)
    return sum(
        torch.exp(torch.sigmoid(gate)) / total * value
        for gate, value in zip(gates, values, strict=True)
    )


def features(
    module: torch.nn.Module, x: list[Tensor], words: Words, turned: bool
) -> list[list[Tensor]]:
    """X of each layer and character after the last pass."""
    # W and U side by side
    both_maps = torch.cat((module.of_feature.weight, module.of_word.weight), dim=1)
    w_i, w_f, w_r, w_u = both_maps.chunk(4)
    b_i, b_f, b_r, b_u = module.of_feature.bias.chunk(4)
    first = [torch.tanh(module.enter.weight @ each + module.enter.bias) for each in x]
    nothing = torch.zeros_like(first[0])
    no_word = w_i.new_zeros(w_i.shape[1] - len(nothing))
    top, layers = None, [first]
    for _ in range(module.passes):
        layers = [first]
        for number, convolution in enumerate(module.convolutions):
            below, here = layers[-1], []
            for m in range(len(x)):
                beside = below[m + 1] if m + 1 < len(x) else nothing
                both = (beside, below[m]) if turned else (below[m], beside)
                c = torch.tanh(convolution.weight @ torch.cat(both) + convolution.bias)
                given = torch.cat((c, words.get((m, number + 2), no_word)))
                i, f, r = w_i @ given + b_i, w_f @ given + b_f, w_r @ given + b_r
                u = torch.tanh(w_u @ given + b_u)
                if top is None:
                    here.append(shares([i, f], [u, c]))
                else:
                    v_i, v_f, v_r = (module.of_top.weight @ top[m]).chunk(3)
                    here.append(shares([i + v_i, f + v_f, r + v_r], [u, c, top[m]]))
            layers.append(here)
        top = layers[-1]
    return layers


class LiteralLrCnn(BySentence):
    """The model, built from the parameters of a `fenjie.models.lr_cnn.LrCnn`."""

    def scores(self, x: Tensor, words: list[Word], vectors: Tensor) -> Tensor:
        model, own = self.model, list(x)
        ahead: Words = {}
        back: Words = {}
        for (first, last), vector in zip(words, vectors, strict=True):
            ahead[first, last - first + 1] = vector
            back[len(x) - 1 - last, last - first + 1] = vector
        layers = features(model.directions[0], own, ahead, False)
        if len(model.directions) > 1:
            turned = features(model.directions[1], own[::-1], back, True)
            layers = [
                [one + other for one, other in zip(ours, more[::-1], strict=True)]
                for ours, more in zip(layers, turned, strict=True)
            ]
        found = []
        for m in range(len(x)):
            alpha = model.scales(torch.stack([layer[m].sum() for layer in layers])).softmax(0)
            mean = sum(a * layer[m] for a, layer in zip(alpha, layers, strict=True))
            found.append(model.output.weight @ mean + model.output.bias)
        return torch.stack(found)
