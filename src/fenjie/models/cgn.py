"""CGN: named entities by three graphs of characters and words, which work together.

Dianbo Sui, Yubo Chen, Kang Liu, Jun Zhao and Shengping Liu. 2019. Leverage Lexical Knowledge for
Chinese Named Entity Recognition via Collaborative Graph Network. EMNLP.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from fenjie.models.tagger import LexiconTaggerConfig, Tagger, TaggerSizes, vectors
from fenjie.nn.attention.graph import GraphAttention
from fenjie.nn.attention.selection import Encoded
from fenjie.nn.dropout import BitDropout
from fenjie.nn.encoders.bilstm import BiLstm
from fenjie.nn.incidence import Incidence
from fenjie.nn.lattice import Lattice
from fenjie.nn.linear_map import linear
from fenjie.ranges import Rate, Size


@dataclass(frozen=True)
class CgnConfig(LexiconTaggerConfig):
    """The settings of CGN.

    Attributes:
        hidden: size of the hidden vectors of each direction of the LSTM.
        graph_dim: size of a head of attention in a graph, and of the result of a graph.
        graph_heads: number of these heads.
        graph_dropout: rate on the nodes of a graph, before both layers, and on the attention.
    """

    hidden: Size = 100
    graph_dim: Size = 30
    graph_heads: Size = 3
    graph_dropout: Rate = 0.5
    output_dropout: Rate = 0.5


class Cgn(Tagger):
    """The tagger of the paper.

    The output layer is the fusion layer: its weight is W_1 to W_4 of the paper side by side.
    """

    Config = CgnConfig

    def __init__(self, config: CgnConfig, sizes: TaggerSizes) -> None:
        dim = 2 * config.hidden
        super().__init__(config, sizes.tags, dim + 3 * config.graph_dim)
        self.config = config
        self.embedding = vectors(config, sizes)
        self.encoder = BiLstm(self.embedding.dim, config.hidden)
        self.encoded_dropout = BitDropout(config.output_dropout)
        self.project_words = linear(self.embedding.word_dim, dim)
        self.graphs = nn.ModuleList(GraphNetwork(config) for _ in range(3))

    def encode(self, lattice: Lattice) -> Encoded:
        """H, Q_1, Q_2 and Q_3 of each character: `[batch, length, 2 * hidden + 3 * graph_dim]`."""
        read = self.encoder(self.embedding.of_characters(lattice), lattice.lengths)
        h = lattice.pad_characters(read)
        words = lattice.pad_words(self.project_words(self.embedding.of_words(lattice)))
        nodes = torch.cat((self.encoded_dropout(h), words), dim=1)
        graphs = zip(self.graphs, links(lattice), strict=True)
        found = [graph(nodes, linked)[:, : h.shape[1]] for graph, linked in graphs]
        return Encoded(torch.cat((h, *found), dim=-1))


class GraphNetwork(nn.Module):
    """GAT: a layer whose heads stand side by side, and one of which their mean is taken."""

    def __init__(self, config: CgnConfig) -> None:
        super().__init__()
        dim, heads, rate = config.graph_dim, config.graph_heads, config.graph_dropout
        self.first = GraphAttention(2 * config.hidden, dim, heads, rate)
        self.last = GraphAttention(heads * dim, dim, heads, rate)

    def forward(self, nodes: Tensor, linked: Tensor) -> Tensor:
        """`[batch, nodes, 2 * hidden] -> [batch, nodes, graph_dim]`."""
        x = F.elu(self.first(nodes, linked)).flatten(2)
        return F.elu(self.last(x, linked).mean(dim=2))


def links(lattice: Lattice) -> tuple[Tensor, Tensor, Tensor]:
    """The containing, the transition and the lattice graph: `[batch, nodes, nodes]` each, bool.

    Nodes are the characters, then the words. Links have no direction; each node has one to itself.
    """
    pairs = Incidence.of(lattice)
    place = torch.arange(lattice.ids.shape[1], device=lattice.ids.device)
    neighbours = (place - place[:, None]).abs() == 1
    neighbours = neighbours & lattice.mask[:, None] & lattice.mask[..., None]
    # (B, W, W): the one word begins where the other has ended
    follows = lattice.end[..., None] + 1 == lattice.start[:, None]
    follows = follows & lattice.word_mask[:, None] & lattice.word_mask[..., None]
    apart = torch.zeros_like(neighbours)
    alone = torch.zeros_like(follows)
    return (
        joined(apart, pairs.inside, alone),
        joined(neighbours, pairs.around, follows | follows.mT),
        joined(neighbours, pairs.begins | pairs.ends, alone),
    )


def joined(characters: Tensor, between: Tensor, words: Tensor) -> Tensor:
    """Links among characters, of characters to words, among words, and of all with themselves."""
    upper = torch.cat((characters, between), dim=2)
    lower = torch.cat((between.mT, words), dim=2)
    whole = torch.cat((upper, lower), dim=1)
    node = torch.arange(whole.shape[1], device=whole.device)
    return whole | (node == node[:, None])
