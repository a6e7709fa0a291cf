"""Lattice LSTM as its equations stand: one character, one word, one direction after the other.

It reads the parameters of a `fenjie.models.lattice_lstm.LatticeLstm` and gives the same scores, in
evaluation mode; in training it drops what the model drops. Equation numbers are those of Zhang and
Yang (2018). The released code computes in this form, sentence by sentence.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from fenjie.nn.lattice import Lattice


class LiteralLatticeLstm(torch.nn.Module):
    """The model, built from the parameters of a `fenjie.models.lattice_lstm.LatticeLstm`."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model
        self.hidden = model.config.hidden

    def get(self, name: str) -> Tensor:
        return self.model.get_parameter(name)

    def parts(self, name: str, direction: int, gates: int) -> list[tuple[Tensor, Tensor]]:
        """The weight `[hidden, dim]` and bias of each gate of a direction."""
        weight = self.get(f"encoder.{name}.weight").reshape(2, gates, self.hidden, -1)[direction]
        bias = self.get(f"encoder.{name}.bias").reshape(2, gates, self.hidden)[direction]
        return list(zip(weight, bias, strict=True))

    def read(
        self, x: list[Tensor], words: list[tuple[int, int, Tensor]], direction: int
    ) -> list[Tensor]:
        """The hidden states of a sentence in one direction; `words` are begin, end and x^w."""
        characters, of_words = (
            self.parts("characters", direction, 5),
            self.parts("words", direction, 3),
        )
        state = self.get("encoder.state")[direction].chunk(7, dim=1)
        gate = self.get("encoder.gate")[direction]
        h: list[Tensor] = []
        c: list[Tensor] = []
        for j, x_c in enumerate(x):
            h_before = h[j - 1] if j else torch.zeros_like(state[0][0])
            c_before = c[j - 1] if j else torch.zeros_like(state[0][0])
            # Eq. 11
            o, i, f, g = (
                weight @ x_c + state[n].T @ h_before + bias
                for n, (weight, bias) in enumerate(characters[:4])
            )
            o, i, f, g = torch.sigmoid(o), torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g)
            cells, gates = [], []
            for b, e, x_w in words:
                if e != j:
                    continue
                # Eq. 13
                i_w, f_w, g_w = (
                    weight @ x_w + state[4 + n].T @ h[b] + bias
                    for n, (weight, bias) in enumerate(of_words)
                )
                cell = torch.sigmoid(f_w) * c[b] + torch.sigmoid(i_w) * torch.tanh(g_w)
                cells.append(cell)
                # Eq. 14
                weight, bias = characters[4]
                gates.append(torch.sigmoid(weight @ x_c + gate.T @ cell + bias))
            if cells:
                # Eq. 15 and 16
                total = torch.exp(i) + sum(torch.exp(each) for each in gates)
                mixed = torch.exp(i) / total * g
                for each, cell in zip(gates, cells, strict=True):
                    mixed = mixed + torch.exp(each) / total * cell
                c.append(mixed)
            else:
                c.append(f * c_before + i * g)
            h.append(o * torch.tanh(c[j]))
        return h

    def forward(self, lattice: Lattice) -> Tensor:
        """`[batch, length, tags]`; 0 at padding."""
        config, training = self.model.config, self.model.training
        batch, length, _ = lattice.ids.shape
        rows = []
        for number in range(batch):
            count, many = int(lattice.lengths[number]), int(lattice.words[number])
            ids = lattice.ids[number, :count]
            parts = [self.get("embedding.characters.weight")[ids[:, 0]]]
            if ids.shape[1] > 1:
                parts.append(self.get("embedding.bigrams.weight")[ids[:, 1]])
            x = F.dropout(torch.cat(parts, dim=-1), config.embedding_dropout, training)
            if lattice.word is not None:
                vectors = self.get("embedding.words.weight")[lattice.word[number, :many]]
            else:
                vectors = lattice.vectors[number, :many]
            vectors = F.dropout(vectors, config.embedding_dropout, training)
            spans = list(
                zip(
                    lattice.start[number, :many].tolist(),
                    lattice.end[number, :many].tolist(),
                    vectors,
                    strict=True,
                )
            )
            ahead = self.read(list(x), spans, 0)
            # The lattice turned around
            turned = [(count - 1 - e, count - 1 - b, vector) for b, e, vector in spans]
            back = self.read(list(x.flip(0)), turned, 1)[::-1]
            hidden = torch.stack([torch.cat(pair) for pair in zip(ahead, back, strict=True)])
            hidden = F.dropout(hidden, config.output_dropout, training)
            scores = hidden @ self.get("output.weight").T + self.get("output.bias")
            rows.append(F.pad(scores, (0, 0, 0, length - count)))
        return torch.stack(rows)
