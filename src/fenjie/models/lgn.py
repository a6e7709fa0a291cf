"""LGN: named entities by a graph of characters, whose edges are words, and a relay for them all.

Tao Gui, Yicheng Zou, Qi Zhang, Minlong Peng, Jinlan Fu, Zhongyu Wei and Xuanjing Huang. 2019. A
Lexicon-Based Graph Neural Network for Chinese NER. EMNLP.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.models.tagger import LexiconTaggerConfig, Tagger, TaggerSizes, vectors
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.dropout import BitDropout
from fenjie.nn.encoders.bilstm import BiLstm
from fenjie.nn.fusion.gates import mixed
from fenjie.nn.incidence import Incidence
from fenjie.nn.lattice import Lattice
from fenjie.nn.linear_map import linear
from fenjie.ranges import Layers, Rate, Size


@dataclass(frozen=True)
class LgnConfig(LexiconTaggerConfig):
    """The settings of LGN; the defaults are those of its released code.

    Attributes:
        hidden: size of the vectors of characters, words and relay, in each direction.
        heads: attention heads of each aggregation.
        head_dim: size of a head.
        iterations: how many times the graph is updated.
        attention_dropout: rate on the weights of attention.
        update_dropout: rate on what is aggregated, before the update reads it.
    """

    hidden: Size = 50
    heads: Size = 10
    head_dim: Size = 20
    iterations: Layers = 4
    attention_dropout: Rate = 0.1
    update_dropout: Rate = 0.2


class Lgn(Tagger):
    """The tagger of the paper: the graph, and the graph with its edges turned around."""

    Config = LgnConfig

    def __init__(self, config: LgnConfig, sizes: TaggerSizes) -> None:
        super().__init__(config, sizes.tags, 2 * config.hidden)
        self.config = config
        self.embedding = vectors(config, sizes)
        self.encoder = BiLstm(self.embedding.dim, config.hidden)
        self.project_words = linear(self.embedding.word_dim, config.hidden)
        self.graphs = nn.ModuleList(LexiconGraph(config) for _ in range(2))

    def encode(self, lattice: Lattice) -> Encoded:
        """The vectors of the characters: `[batch, length, 2 * hidden]`."""
        read = self.encoder(self.embedding.of_characters(lattice), lattice.lengths)
        states = lattice.pad_characters(read).chunk(2, dim=-1)
        words = lattice.pad_words(self.project_words(self.embedding.of_words(lattice)))
        pairs, found = Incidence.of(lattice), []
        turned = pairs._replace(begins=pairs.ends, ends=pairs.begins)
        for number, (graph, own) in enumerate(zip(self.graphs, (pairs, turned), strict=True)):
            found.append(graph(states[number], words, own, lattice, backwards=number == 1))
        return Encoded(torch.cat(found, dim=-1))


class LexiconGraph(nn.Module):
    """One direction of the graph: a word is an edge from its first character to its last one.

    Besides the words each character has an edge of its own, whose vector is learnt and which begins
    nowhere: so none is without an edge.
    """

    def __init__(self, config: LgnConfig) -> None:
        super().__init__()
        dim, turns = config.hidden, range(config.iterations)
        self.last = config.iterations - 1
        self.none = nn.Parameter(torch.empty(dim))
        nn.init.uniform_(self.none, -((3 / dim) ** 0.5), (3 / dim) ** 0.5)
        self.to_characters = nn.ModuleList(Aggregation(config, 2 * dim) for _ in turns)
        self.to_words = nn.ModuleList(Aggregation(config, dim) for _ in turns[1:])
        self.characters_to_relay = nn.ModuleList(Aggregation(config, dim) for _ in turns)
        self.words_to_relay = nn.ModuleList(Aggregation(config, dim) for _ in turns)
        self.characters = Update(dim, 2, 3 * dim)
        self.words = Update(dim, 1, 3 * dim)
        self.relay = Update(dim, 1, 2 * dim)
        self.dropout = BitDropout(config.update_dropout)

    def forward(
        self, c: Tensor, e: Tensor, pairs: Incidence, lattice: Lattice, *, backwards: bool
    ) -> Tensor:
        """The vectors of the characters after all updates.

        Args:
            c: those before, `[batch, length, hidden]`, 0 at padding.
            e: those of the words, `[batch, words, hidden]`, 0 at padding.
            pairs: which words begin and end at which character, in the order of this direction.
            lattice: the characters and words.
            backwards: whether the character before is the next one of the text.
        """
        real = lattice.mask[..., None]
        none = self.none.expand(c.shape[0], 1, -1).to(c.dtype)
        # Edges are the words after one that every character has: (B, 1 + W)
        edges = F.pad(lattice.word_mask, (1, 0), value=True)
        ending = F.pad(pairs.ends, (1, 0), value=True)
        begins = pairs.begins.mT.to(c.dtype)
        g = average(c, lattice.mask) + average(torch.cat((none, e), dim=1), edges)
        for turn, to_characters in enumerate(self.to_characters):
            known = torch.cat((none, e), dim=1)
            first = F.pad(begins @ c, (0, 0, 1, 0))
            to_c = to_characters(c, torch.cat((first, known), dim=-1), ending)
            of_c = self.characters_to_relay[turn](g, c, lattice.mask[:, None])
            of_e = self.words_to_relay[turn](g, known, edges[:, None])
            to_g = self.dropout(torch.cat((of_c, of_e), dim=-1))
            zero = torch.zeros_like(c[:, :1])
            before = torch.cat((c[:, 1:], zero) if backwards else (zero, c[:, :-1]), dim=1)
            now = self.characters((before, c), (self.dropout(to_c), to_g.expand(*c.shape[:2], -1)))
            if turn < self.last:  # nobody reads the words and the relay after that
                to_e = self.dropout(self.to_words[turn](e, c, pairs.inside.mT))
                e = self.words((e,), (to_e, to_g.expand(*e.shape[:2], -1)))
                g = self.relay((g,), (to_g,))
            c = torch.where(real, now, 0.0)
        return c


class Aggregation(nn.Module):
    """MultiAtt of the paper: attention of some queries to what they are linked with."""

    def __init__(self, config: LgnConfig, given: int) -> None:
        """Make the maps for keys of the size `given`."""
        super().__init__()
        self.heads, inner = config.heads, config.heads * config.head_dim
        self.query = linear(config.hidden, inner)
        self.key = linear(given, inner)
        self.value = linear(given, inner)
        self.output = linear(inner, config.hidden)
        self.dropout = BitDropout(config.attention_dropout)

    def forward(self, query: Tensor, given: Tensor, mask: Tensor) -> Tensor:
        """Attend.

        Args:
            query: `[batch, queries, hidden]`.
            given: `[batch, keys, given]`.
            mask: which keys each query sees, `[batch, queries, keys]`, bool; of a query that sees
                none the result means nothing.

        Returns:
            `[batch, queries, hidden]`.
        """
        # (B, N, H * D) -> (B, H, N, D)
        q, k, v = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in (self.query(query), self.key(given), self.value(given))
        )
        scores = q @ k.mT / q.shape[-1] ** 0.5
        weights = self.dropout(torch.where(mask[:, None], scores, -1e30).softmax(dim=-1))
        result: Tensor = self.output((weights @ v).transpose(1, 2).flatten(2))
        return result


class Update(nn.Module):
    """The gates of the paper: shares of the states before and of a new candidate."""

    def __init__(self, dim: int, states: int, context: int) -> None:
        """Make the gates for so many states, and a context of the size `context`."""
        super().__init__()
        self.gates = linear(states * dim + context, (2 + states) * dim)
        self.parts = 2 + states

    def forward(self, states: Sequence[Tensor], context: Sequence[Tensor]) -> Tensor:
        """Mix states `[..., dim]` with the candidate: `[..., dim]`."""
        found = self.gates(torch.cat((*states, *context), dim=-1)).chunk(self.parts, dim=-1)
        candidate, gates = found[0], found[1:]
        return mixed(gates, (candidate.tanh(), *states))


def average(x: Tensor, real: Tensor) -> Tensor:
    """The mean over what is real, which is 0 at padding: `[batch, n, dim] -> [batch, 1, dim]`."""
    return x.sum(dim=1, keepdim=True) / real.sum(dim=1)[:, None, None]
