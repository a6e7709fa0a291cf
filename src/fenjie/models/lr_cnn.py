"""LR-CNN: named entities by convolutions over characters, each layer with the words of its length.

Tao Gui, Ruotian Ma, Qi Zhang, Lujun Zhao, Yu-Gang Jiang and Xuanjing Huang. 2019. CNN-Based Chinese
NER with Lexicon Rethinking. IJCAI.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from fenjie.models.tagger import LexiconTaggerConfig, Tagger, TaggerSizes, vectors
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.dropout import BitDropout
from fenjie.nn.fusion.gates import mixed
from fenjie.nn.incidence import Incidence
from fenjie.nn.lattice import Lattice
from fenjie.nn.linear_map import linear
from fenjie.ranges import Layers, Rate, Size


@dataclass(frozen=True)
class LrCnnConfig(LexiconTaggerConfig):
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
        """The vectors of the characters: `[characters, hidden]`, or `[batch, length, hidden]`."""
        x, words = self.embedding.of_characters(lattice), self.embedding.of_words(lattice)
        place = torch.arange(lattice.ids.shape[1], device=x.device).expand(lattice.mask.shape)
        followed = lattice.of_characters(place + 1 < lattice.lengths[:, None])
        preceded = lattice.of_characters(place > 0)
        found = []
        for number, network in enumerate(self.directions):
            known = by_length(words, lattice, self.config.layers, ends=number == 1)
            beside = preceded if number else followed
            found.append(network(x, known, beside[..., None], backwards=number == 1))
        # (characters, layers, hidden)
        every = torch.stack(found).sum(dim=0)
        shares = self.scales(every.sum(dim=-1)).softmax(dim=-1)
        return Encoded((shares[..., None] * every).sum(dim=-2))


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
        self, x: Tensor, words: Sequence[Tensor], beside: Tensor, *, backwards: bool
    ) -> Tensor:
        """The features of all layers after the last pass.

        Args:
            x: the characters, `[characters, dim]`; of a padded batch `[batch, length, dim]`.
            words: for each layer but the first the vector of the word of its length that begins at
                each character (backwards: ends), `[characters, word_dim]`, 0 where there is none.
            beside: whether the sentence has a next character (backwards: one before),
                `[characters, 1]`.
            backwards: whether the other feature of a window is that of the character before.

        Returns:
            `[characters, layers, hidden]`.
        """
        first = self.enter(x).tanh()
        by_word = [self.of_word(word) for word in words]
        found = [first]
        for number in range(self.passes):
            top = None if number == 0 else (found[-1], self.of_top(found[-1]))
            found = [first]
            for convolution, word in zip(self.convolutions, by_word, strict=True):
                seen = window(self.dropout(found[-1]), beside, backwards=backwards)
                found.append(self._attended(convolution(seen).tanh(), word, top))
        return torch.stack(found, dim=-2)

    def _attended(self, c: Tensor, word: Tensor, top: tuple[Tensor, Tensor] | None) -> Tensor:
        """X of the paper: shares of u, of C and, after the first pass, of the top features."""
        i, f, r, u = (self.of_feature(c) + word).chunk(4, dim=-1)
        if top is None:
            return mixed((i, f), (u.tanh(), c))
        features, gates = top
        of_i, of_f, of_r = gates.chunk(3, dim=-1)
        return mixed((i + of_i, f + of_f, r + of_r), (u.tanh(), c, features))


def window(x: Tensor, beside: Tensor, *, backwards: bool) -> Tensor:
    """Each vector beside the next one, or the one before: `[…, n, dim] -> […, n, 2 dim]`.

    The first one of the text comes first; where `beside` is False, there are zeros.
    """
    zero = torch.zeros_like(x[..., :1, :])
    if backwards:
        before = torch.cat((zero, x[..., :-1, :]), dim=-2)
        return torch.cat((torch.where(beside, before, 0.0), x), dim=-1)
    after = torch.cat((x[..., 1:, :], zero), dim=-2)
    return torch.cat((x, torch.where(beside, after, 0.0)), dim=-1)


def by_length(words: Tensor, lattice: Lattice, longest: int, *, ends: bool) -> list[Tensor]:
    """The vectors of the words of two characters, of three and so on, at their first character.

    Args:
        words: the vectors of all words, `[words, dim]`; of a padded batch `[batch, words, dim]`.
        lattice: where they stand.
        longest: the greatest length.
        ends: whether they are at their last character instead.

    Returns:
        For each length `[characters, dim]`, or `[batch, length, dim]`; 0 where there is none.
    """
    sizes, lengths = lattice.end - lattice.start + 1, range(2, longest + 1)
    if lattice.padded:
        pairs, known = Incidence.of(lattice), lattice.pad_words(words)
        edge = pairs.ends if ends else pairs.begins
        return [(edge & (sizes == n)[:, None]).to(words.dtype) @ known for n in lengths]
    first = lattice.lengths.cumsum(0) - lattice.lengths
    place = lattice.of_words((lattice.end if ends else lattice.start) + first[:, None])
    size, count = lattice.of_words(sizes), int(lattice.lengths.sum())
    nothing = words.new_zeros(count, words.shape[-1])
    return [nothing.index_add(0, place[size == n], words[size == n]) for n in lengths]
