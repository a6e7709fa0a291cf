"""Inputs of a tagger: characters, bigrams and words, and the vectors they start from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from fenjie.errors import FenjieError
from fenjie.lexicon.components import Components
from fenjie.lexicon.indexer import Indexer
from fenjie.lexicon.matching import Finder
from fenjie.lexicon.units import UnitVectors, unit_length
from fenjie.lexicon.word_vectors import EveryWord, WordVectors
from fenjie.models.tagger import TaggerSizes, Words
from fenjie.nn.components import ComponentSizes
from fenjie.nn.embeddings import TableShape, TrainedTable
from fenjie.nn.encoders.pretrained import PretrainedConfig
from fenjie.recipe.recipe import MissingError, VocabularyRecipe, locate
from fenjie.tasks.encoder_inputs import EncoderInputs
from fenjie.tasks.start import StartModel, Taken
from fenjie.tasks.variants import folding, simplified_variants
from fenjie.text.tags import TagSet
from fenjie.text.vocabulary import RESERVED, UNKNOWN, Vocabulary, bigrams

DIM = 50
"""The size of vectors where none are given."""


@dataclass(frozen=True)
class Units:
    """Characters or bigrams: those that learn come first, the others are known from vectors alone.

    Attributes:
        vocabulary: all of them.
        trained: the number of ids that learn, the reserved ones among them.
        vectors: where they start; None for chance.
    """

    vocabulary: Vocabulary
    trained: int
    vectors: UnitVectors | None

    @classmethod
    def make(
        cls, units: Iterable[str], minimum: int, vectors: UnitVectors | None, limit: int = 0
    ) -> Units:
        """Choose the units.

        Args:
            units: those of the training text, as they follow each other.
            minimum: how often one that has no vector must occur there.
            vectors: vectors of units.
            limit: at most so many units have vectors, the most frequent ones; 0 = all. Without
                vectors it is the number of units at most.
        """
        counts = Counter(units)
        given = vectors.units.names[: limit or None] if vectors else []
        known = set(given)
        kept = [unit for unit, count in counts.items() if count >= minimum or unit in known]
        kept.sort(key=lambda unit: (-counts[unit], unit))
        if vectors is None:
            kept = kept[: limit or None]
        others = [unit for unit in given if unit not in counts]
        return cls(Vocabulary([*kept, *others]), len(kept) + RESERVED, vectors)

    def start(self, table: TrainedTable) -> None:
        """Give a model's table the vectors."""
        if self.vectors is None:
            return
        found, rows = self.vectors.lookup(self.vocabulary.units)
        ids = torch.from_numpy(np.flatnonzero(found) + RESERVED)
        table.start(ids, torch.from_numpy(unit_length(rows)))

    @property
    def dim(self) -> int:
        """The size of a vector."""
        return self.vectors.dim if self.vectors else DIM

    @property
    def sizes(self) -> TableShape:
        """The size of a model's table of them."""
        return self.trained, len(self.vocabulary) - self.trained, self.dim


class FoundWords(NamedTuple):
    """The words of a text.

    Attributes:
        start: the first character of each, `[words]`.
        end: the offset after its last one.
        rows: its row in the model's table.
        counts: how often it was seen where the vectors come from.
    """

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    rows: NDArray[np.int32]
    counts: NDArray[np.float32]


class LatticeInputs:
    """Vocabularies, a lexicon and vectors; which words of the lexicon the training text holds."""

    def __init__(
        self,
        characters: Units,
        pairs: Units | None,
        words: WordVectors | None,
        texts: Sequence[str],
        singles: bool = False,
        variants: Vocabulary | None = None,
        encoder: EncoderInputs | None = None,
        components: Components | None = None,
    ) -> None:
        """Take the units and find the words of the training texts, those of one character too.

        The texts are those that `variants` was applied to.
        """
        self._components = components
        self._encoder = encoder
        self.pieces = None if encoder is None else encoder.pieces
        self.characters, self.bigrams, self.vectors = characters, pairs, words
        self.indexer = Indexer(
            characters.vocabulary, pairs.vocabulary if pairs else None, variants=variants
        )
        self.finder: Finder | None = None
        if words is not None:
            self.finder = EveryWord(words) if singles else words.lexicon
        self._singles = singles
        self._fold = folding(variants)
        found = [self.finder.match(text).word for text in texts] if self.finder else []
        self._trained = np.unique(np.concatenate([np.empty(0, np.int64), *found]))

    @classmethod
    def make(
        cls,
        texts: Sequence[str],
        recipe: VocabularyRecipe,
        words: Words,
        pretrained: PretrainedConfig,
        start: StartModel | None = None,
    ) -> LatticeInputs:
        """Choose what the model reads.

        Args:
            texts: the normalised training texts.
            recipe: which units have vectors.
            words: the words that the model reads.
            pretrained: which encoder it has.
            start: a model whose units and words are taken where no folder of vectors is named,
                and whose words' vectors are taken in any case.

        Raises:
            FenjieError: the folder of vectors, the encoder or the file of components is missing
                or damaged, or there are no words.
        """
        wanted = "no such folder of vectors; fenjie's repository has `vectors` and `vectors-modern`"
        folder = locate(recipe.vectors, wanted) if recipe.vectors else None
        tables: dict[str, UnitVectors | None] = {}
        for name in ("characters", "bigrams"):
            own = start.table(name) if start else None
            tables[name] = UnitVectors.open(folder, name) if folder else own
        variants = None
        if recipe.variants:
            variants = simplified_variants(texts, start.characters if start else ())
            texts = [text.translate(folding(variants)) for text in texts]
        own_words = start.words if start else None
        if words != "none" and folder is None and own_words is None:
            raise MissingError(
                "a lexicon needs words: name a folder of `vectors` in [vocabulary], or a model to "
                "`start` from in [training]",
                "vocabulary",
                "architecture",
            )
        characters = Units.make(chain.from_iterable(texts), recipe.minimum, tables["characters"])
        pairs = None
        if recipe.bigrams:
            stream = chain.from_iterable(map(bigrams, texts))
            pairs = Units.make(stream, recipe.bigrams, tables["bigrams"], recipe.limit)
        vectors = None
        if words != "none":
            vectors = open_words(folder, recipe.lexicon_limit) if folder else own_words
            if start is not None and vectors is not None:
                vectors = start.own_words(vectors)
        encoder = EncoderInputs.make(pretrained)
        parts = Components.read(locate(recipe.components)) if recipe.components else None
        return cls(characters, pairs, vectors, texts, words == "all", variants, encoder, parts)

    def words(self, text: str) -> FoundWords:
        """The words found in a training text, in variants too."""
        if self.finder is None or self.vectors is None:
            none = np.empty(0, np.int64)
            return FoundWords(none, none, none.astype(np.int32), none.astype(np.float32))
        start, end, word = self.finder.match(text.translate(self._fold))
        rows = np.searchsorted(self._trained, word) + RESERVED
        return FoundWords(start, end, rows.astype(np.int32), self.vectors.counts(word))

    def sizes(self, tagset: TagSet) -> TaggerSizes:
        """The sizes of a model's tables."""
        pairs = self.bigrams.sizes if self.bigrams else None
        encoder = None if self._encoder is None else self._encoder.module
        components = self._component_sizes
        return TaggerSizes(self.characters.sizes, pairs, self._words, tagset, encoder, components)

    @property
    def _component_sizes(self) -> ComponentSizes | None:
        found = self._components
        return None if found is None else ComponentSizes(len(found.units), found.most)

    @property
    def _words(self) -> TableShape:
        dim = self.vectors.dim if self.vectors else DIM
        return len(self._trained) + RESERVED, 0, dim

    def start(self, module: Any) -> None:
        """Give a new model the vectors to start from, and the components of its characters.

        Raises:
            FenjieError: the recipe names components, but the model reads none.
        """
        if self._components is not None:
            self._give_components(self._components, module)
        embedding = module.embedding
        if embedding.characters is not None:
            self.characters.start(embedding.characters)
        if self.bigrams is not None and embedding.bigrams is not None:
            self.bigrams.start(embedding.bigrams)
        if self.vectors is not None:
            ids = torch.arange(len(self._trained)) + RESERVED
            embedding.words.start(ids, torch.from_numpy(self.vectors(self._trained)))

    def _give_components(self, components: Components, module: Any) -> None:
        if not hasattr(module, "components"):
            raise FenjieError("components: this architecture reads none; set none in [vocabulary]")
        table = components.table(self.characters.vocabulary.units)
        module.components.parts.copy_(torch.from_numpy(table))

    def take(self, start: StartModel, module: Any, tagset: TagSet) -> Taken:
        """Overwrite the weights of a new model with those of another one that fit."""
        units = {
            "characters": self.characters.vocabulary,
            "bigrams": self.bigrams.vocabulary if self.bigrams else None,
        }
        known = 0
        if self.vectors is not None and start.words is not None:
            names = self.vectors.table.units.names
            rows = self.vectors.rows(self._trained).tolist()
            known = int((start.words.table.rows([names[row] for row in rows]) >= 0).sum())
        taken = start.give(module, units, tagset.tags, known)
        if self._components is not None:  # of these characters, not of those of the other model
            self._give_components(self._components, module)
        return taken

    def tuned(self, module: Any) -> WordVectors | None:
        """The words with the vectors as the model has learnt them."""
        if self.vectors is None:
            return None
        learnt = module.embedding.words.weight.detach().cpu().numpy()
        vectors = self.vectors.with_rows(self._trained, learnt[RESERVED:])
        return WordVectors(vectors.table, learnt[UNKNOWN].copy())

    def write(self, folder: Path, module: Any) -> dict[str, Any]:
        """Write the files of a model folder; see `Task.write`."""
        self.indexer.save(folder)
        if (vectors := self.tuned(module)) is not None:
            vectors.save(folder)
        encoder = {} if self._encoder is None else self._encoder.write(folder)
        return {
            "characters": list(self.characters.sizes),
            "bigrams": list(self.bigrams.sizes) if self.bigrams else [],
            "words": list(self._words),
            "singles": self._singles,
            **({} if self._component_sizes is None else {"components": [*self._component_sizes]}),
            **encoder,
        }

    @property
    def summary(self) -> str:
        """The units that have vectors, in a few words."""
        parts = [f"{len(self.characters.vocabulary):,} characters"]
        if self.bigrams is not None:
            parts.append(f"{len(self.bigrams.vocabulary):,} bigrams")
        if self.vectors is not None:
            words, met = len(self.vectors.table), len(self._trained)
            parts.append(f"{words:,} words ({met:,} of them in the training text)")
        if self.pieces is not None:
            parts.append(f"{len(self.pieces):,} word pieces")
        return ", ".join(parts)


def open_words(folder: Path, limit: int) -> WordVectors:
    """The words of a vectors folder, each vector scaled to length 1.

    Args:
        folder: the folder.
        limit: at most so many words, the most frequent ones; 0 = all.
    """
    table = UnitVectors.open(folder, "words")
    names, counts = table.units
    kept = slice(limit or None)
    vectors = unit_length(table(np.arange(len(table))[kept]))
    return WordVectors(UnitVectors.build(names[kept], counts[kept], vectors))
