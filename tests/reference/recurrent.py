"""An LSTM in both directions as its equations stand, and the taggers that have one.

They read the parameters of models of `fenjie.models` and give the same scores, in evaluation mode;
in training they drop what the models drop.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from fenjie.nn.lattice import Lattice
from tests.reference.soft_lexicon import pooled


def lstm(x: Tensor, weight: Tensor, bias: Tensor, state: Tensor) -> Tensor:
    """One direction: `[length, dim] -> [length, hidden]`.

    Args:
        x: the vectors, in the order of reading.
        weight: `[4, hidden, dim]`, of the gates output, input, forget and of the candidate.
        bias: `[4, hidden]`.
        state: `[hidden, 4 * hidden]`, from the hidden state before.
    """
    h = c = torch.zeros_like(bias[0])
    found = []
    for step in x:
        o, i, f, g = (
            weight[gate] @ step + part.T @ h + bias[gate]
            for gate, part in enumerate(state.chunk(4, dim=1))
        )
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = torch.sigmoid(o) * torch.tanh(c)
        found.append(h)
    return torch.stack(found)


def bilstm(module: torch.nn.Module, x: Tensor) -> Tensor:
    """A `BiLstm` over one sentence, without dropout between its layers."""
    for layer in module.layers:
        size = layer.hidden
        weight = layer.input.weight.reshape(2, 4, size, -1)
        bias = layer.input.bias.reshape(2, 4, size)
        ahead = lstm(x, weight[0], bias[0], layer.state[0])
        back = lstm(x.flip(0), weight[1], bias[1], layer.state[1]).flip(0)
        x = torch.cat((ahead, back), dim=1)
    return x


class Literal(torch.nn.Module):
    """BiLSTM-CRF or SoftLexicon with an LSTM, sentence by sentence."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, lattice: Lattice) -> Tensor:
        """`[batch, length, tags]`; 0 at padding."""
        model, length = self.model, lattice.ids.shape[1]
        rows = []
        for number, count in enumerate(lattice.lengths.tolist()):
            x = self.characters(lattice.ids[number, :count])
            if hasattr(model, "sets"):
                x = torch.cat((x, self.words(lattice, number, count)), dim=1)
            x = self.dropped(bilstm(model.encoder, x), model.config.output_dropout)
            scores = x @ model.output.weight.T + model.output.bias
            rows.append(F.pad(scores, (0, 0, 0, length - count)))
        return torch.stack(rows)

    def characters(self, ids: Tensor) -> Tensor:
        """The vectors of a sentence's characters and bigrams, `[length, dim]`."""
        embedding = self.model.embedding
        parts = [embedding.characters.weight[ids[:, 0]]]
        if ids.shape[1] > 1:
            parts.append(embedding.bigrams.weight[ids[:, 1]])
        return self.dropped(torch.cat(parts, dim=-1), self.model.config.embedding_dropout)

    def words(self, lattice: Lattice, number: int, count: int) -> Tensor:
        """The vectors of the sets of each character, `[length, 4 * word_dim]`."""
        many = int(lattice.words[number])
        if lattice.word is not None:
            vectors = self.model.embedding.words.weight[lattice.word[number, :many]]
        else:
            vectors = lattice.vectors[number, :many]
        vectors = self.dropped(vectors, self.model.config.embedding_dropout)
        columns = (lattice.start[number], lattice.end[number], lattice.counts[number])
        start, end, seen = (column[:many].tolist() for column in columns)
        words = list(zip(start, end, vectors, seen, strict=True))
        return pooled(count, words, self.model.sets.none)

    def dropped(self, x: Tensor, rate: float) -> Tensor:
        """Dropout, in training."""
        return F.dropout(x, rate, self.model.training)
