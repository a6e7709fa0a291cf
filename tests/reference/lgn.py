"""LGN as its equations stand: one character, one word, one head after the other.

It reads the parameters of a `fenjie.models.lgn.Lgn` and gives the same scores, in evaluation mode.
"""

from __future__ import annotations

import torch
from torch import Tensor

from tests.reference.by_sentence import BySentence, Word
from tests.reference.recurrent import bilstm


def attention(module: torch.nn.Module, query: Tensor, given: list[Tensor]) -> Tensor:
    """MultiAtt of one query: `[hidden]`."""
    size = module.query.out_features // module.heads
    outputs = []
    for head in range(module.heads):
        part = slice(head * size, (head + 1) * size)
        maps = [(m.weight[part], m.bias[part]) for m in (module.query, module.key, module.value)]
        q = maps[0][0] @ query + maps[0][1]
        keys = [maps[1][0] @ x + maps[1][1] for x in given]
        values = [maps[2][0] @ x + maps[2][1] for x in given]
        weights = torch.stack([q @ k / size**0.5 for k in keys]).softmax(0)
        outputs.append(sum(w * v for w, v in zip(weights, values, strict=True)))
    return module.output.weight @ torch.cat(outputs) + module.output.bias


def update(module: torch.nn.Module, states: list[Tensor], context: list[Tensor]) -> Tensor:
    """The shares of u and of the states: `[hidden]`."""
    xi = torch.cat(states + context)
    u, *gates = (module.gates.weight @ xi + module.gates.bias).chunk(module.parts)
    total = sum(torch.exp(torch.sigmoid(gate)) for gate in gates)
    values = [torch.tanh(u), *states]
    return sum(
        torch.exp(torch.sigmoid(gate)) / total * value
        for gate, value in zip(gates, values, strict=True)
    )


def graph(module: torch.nn.Module, c: list[Tensor], e: list[Tensor], words: list[Word]) -> Tensor:
    """The characters of a sentence after all updates; an edge goes from b to e, b < e."""
    none, zero = module.none, torch.zeros_like(module.none)
    g = sum(c) / len(c) + sum([none, *e]) / (1 + len(e))
    last = len(module.to_characters) - 1
    for turn in range(last + 1):
        to_c = [
            attention(
                module.to_characters[turn],
                c[i],
                [torch.cat((zero, none))]
                + [torch.cat((c[b], e[k])) for k, (b, end) in enumerate(words) if end == i],
            )
            for i in range(len(c))
        ]
        of_c, of_e = module.characters_to_relay[turn], module.words_to_relay[turn]
        to_g = torch.cat((attention(of_c, g, c), attention(of_e, g, [none, *e])))
        c_new = [
            update(module.characters, [c[i - 1] if i else zero, c[i]], [to_c[i], to_g])
            for i in range(len(c))
        ]
        if turn < last:
            to_e = [
                attention(module.to_words[turn], e[k], c[b : end + 1])
                for k, (b, end) in enumerate(words)
            ]
            e = [update(module.words, [e[k]], [to_e[k], to_g]) for k in range(len(e))]
            g = update(module.relay, [g], [to_g])
        c = c_new
    return torch.stack(c)


class LiteralLgn(BySentence):
    """The model, built from the parameters of a `fenjie.models.lgn.Lgn`."""

    def scores(self, x: Tensor, words: list[Word], vectors: Tensor) -> Tensor:
        model = self.model
        ahead, back = bilstm(model.encoder, x).chunk(2, dim=1)
        e = [model.project_words(vector) for vector in vectors]
        turned = [(len(x) - 1 - last, len(x) - 1 - first) for first, last in words]
        one = graph(model.graphs[0], list(ahead), e, words)
        other = graph(model.graphs[1], list(back.flip(0)), e, turned).flip(0)
        return model.output(torch.cat((one, other), dim=1))
