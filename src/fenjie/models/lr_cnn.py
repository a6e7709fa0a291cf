"""LR-CNN: named entities by convolutions over characters, each layer with the words of its length.

Tao Gui, Ruotian Ma, Qi Zhang, Lujun Zhao, Yu-Gang Jiang and Xuanjing Huang. 2019. CNN-Based Chinese
NER with Lexicon Rethinking. IJCAI.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from fenjie.models.tagger import Tagger, TaggerConfig, TaggerSizes, Words, linear, vectors
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.dropout import BitDropout
from fenjie.nn.fusion.gates import mixed
from fenjie.nn.incidence import Incidence
from fenjie.nn.lattice import Lattice
from fenjie.ranges import Layers, Rate, Size


@dataclass(frozen=True)
class LrCnnConfig(TaggerConfig):
    """The settings of LR-CNN; the defaults are those of its released code.

    Attributes:
        hidden: size of the features of each layer.
        layers: number of layers; layer l sees l characters, and words of l characters. Longer words
            are not read.
        passes: how often the layers are gone through; all but the first see the top features of the
            one before (rethinking).
        backward: whether a second network has windows and words that end at a character, beside
            those that begin at it.
        layer_dropout: rate before each convolution.
    """

    hidden: Size = 200
    layers: Layers = 4
    passes: Layers = 2
    backward: bool = True
    layer_dropout: Rate = 0.5
    output_dropout: Rate = 0.5

    @property
    def words(self) -> Words:
        """The words that the model reads."""
        return "long"


class LrCnn(Tagger):
    """The tagger of the paper, Figure 2."""

    Config = LrCnnConfig

    def __init__(self, config: LrCnnConfig, sizes: TaggerSizes) -> None:
        super().__init__(config, sizes.tags, config.hidden)
        self.config = config
        self.embedding = vectors(config, sizes)
        dims = self.embedding.dim, self.embedding.word_dim
        self.directions = nn.ModuleList(
            Rethinking(config, *dims) for _ in range(1 + config.backward)
        )
        self.scales = nn.Sequential(
            linear(config.layers, config.layers), nn.Tanh(), linear(config.layers, config.layers)
        )

    def encode(self, lattice: Lattice) -> Encoded:
        """The vectors of the characters: `[batch, length, hidden]`."""
        x = lattice.pad_characters(self.embedding.of_characters(lattice))
        words = lattice.pad_words(self.embedding.of_words(lattice))
        pairs = Incidence.of(lattice)
        # (layers - 1) x (B, 1, W): the words of each length
        sizes = (lattice.end - lattice.start + 1)[:, None]
        lengths = [sizes == layer for layer in range(2, self.config.layers + 1)]
        found = []
        for number, network in enumerate(self.directions):
            edge = pairs.ends if number else pairs.begins
            known = [(edge & length).to(words.dtype) @ words for length in lengths]
            found.append(network(x, known, lattice.mask, backwards=number == 1))
        # (B, N, layers, hidden)
        every = torch.stack(found).sum(dim=0)
        shares = self.scales(every.sum(dim=-1)).softmax(dim=-1)
        return Encoded((shares[..., None] * every).sum(dim=2))


class Rethinking(nn.Module):
    """The layers of one direction, with the attention to words, and the feedback of the top one.

    Attributes:
        enter: the first layer, a window of one character.
        convolutions: the others, each a window of two features of the layer below.
        of_feature: W and b of i, f, r and u, the same in all layers.
        of_word: U of these.
        of_top: V of i, f and r.
    """

    def __init__(self, config: LrCnnConfig, dim: int, word_dim: int) -> None:
        super().__init__()
        hidden = config.hidden
        self.passes = config.passes
        self.enter = linear(dim, hidden)
        self.convolutions = nn.ModuleList(
            linear(2 * hidden, hidden) for _ in range(config.layers - 1)
        )
        self.of_feature = linear(hidden, 4 * hidden)
        self.of_word = nn.Linear(word_dim, 4 * hidden, bias=False)
        self.of_top = nn.Linear(hidden, 3 * hidden, bias=False)
        for layer in (self.of_word, self.of_top):
            nn.init.xavier_uniform_(layer.weight)
        self.dropout = BitDropout(config.layer_dropout)

    def forward(
        self, x: Tensor, words: Sequence[Tensor], mask: Tensor, *, backwards: bool
    ) -> Tensor:
        """The features of all layers after the last pass.

        Args:
            x: the characters, `[batch, length, dim]`.
            words: for each layer but the first the vector of the word of its length that begins at
                each character (backwards: ends), `[batch, length, word_dim]`, 0 where there is
                none.
            mask: the real characters, `[batch, length]`.
            backwards: whether the other feature of a window is that of the character before.

        Returns:
            `[batch, length, layers, hidden]`.
        """
        real = mask[..., None]
        first = torch.where(real, self.enter(x).tanh(), 0.0)
        by_word = [self.of_word(word) for word in words]
        found = [first]
        for number in range(self.passes):
            top = None if number == 0 else (found[-1], self.of_top(found[-1]))
            found = [first]
            for convolution, word in zip(self.convolutions, by_word, strict=True):
                c = convolution(window(self.dropout(found[-1]), backwards=backwards)).tanh()
                found.append(torch.where(real, self._attended(c, word, top), 0.0))
        return torch.stack(found, dim=2)

    def _attended(self, c: Tensor, word: Tensor, top: tuple[Tensor, Tensor] | None) -> Tensor:
        """X of the paper: shares of u, of C and, after the first pass, of the top features."""
        i, f, r, u = (self.of_feature(c) + word).chunk(4, dim=-1)
        if top is None:
            return mixed((i, f), (u.tanh(), c))
        features, gates = top
        of_i, of_f, of_r = gates.chunk(3, dim=-1)
        return mixed((i + of_i, f + of_f, r + of_r), (u.tanh(), c, features))


def window(x: Tensor, *, backwards: bool) -> Tensor:
    """Each vector beside the next one, or the one before: `[batch, n, dim] -> [batch, n, 2 dim]`.

    The first one of the text comes first; beyond the text there are zeros.
    """
    zero = torch.zeros_like(x[:, :1])
    if backwards:
        return torch.cat((torch.cat((zero, x[:, :-1]), dim=1), x), dim=-1)
    return torch.cat((x, torch.cat((x[:, 1:], zero), dim=1)), dim=-1)
