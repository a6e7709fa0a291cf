"""Words and entities of a data set of Ray Data, by actors on one machine or many."""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from typing import Any

from fenjie.errors import needing
from fenjie.runtime.annotator import Annotator
from fenjie.runtime.entity_tagger import EntityTagger
from fenjie.runtime.load import DEFAULT, ENTITIES, load_entity_tagger, load_segmenter
from fenjie.runtime.segmenter import Segmenter
from fenjie.tables.findings import findings, name_of

with needing("fenjie.scale needs", "ray"):
    import pyarrow as pa
    import ray.data

    from fenjie.tables.arrow_columns import check_column, texts_of, with_values

CHARACTERS = 1 << 20
"""Characters of the texts that an actor hands on at once, about."""


MEMORY = 1 << 29
"""Bytes of memory that Ray counts for an actor."""


def tag(
    dataset: ray.data.Dataset,
    model: str | PathLike[str] | EntityTagger = ENTITIES,
    column: str = "text",
    *,
    into: str | None = None,
    workers: int | None = None,
) -> ray.data.Dataset:
    """Add the named entities of a column of texts to a data set.

    Each actor loads the model once and takes a core. Ray decides how many there are and when they
    wait for each other, starts one again that died, and has the block that it worked on done once
    more: no row is lost or comes twice. Rows may come in another order. An actor works on a block
    at a time, so the blocks should be small: `ray.data.DataContext.target_max_block_size`, which is
    to be set before a data set is read, 4 MiB say.

    Args:
        dataset: the data set; its other columns are kept, and its nulls.
        model: the name of a shipped model, the path of a model folder, which must lie at the same
            place on each machine, or a tagger that is loaded already, whose words all actors get.
        column: of texts.
        into: the column that is added, structs of text, label, start, end and confidence;
            `entities` without it.
        workers: number of actors, at most; without it all cores but one, and those that join later.

    Returns:
        Another data set, which is computed when it is read or written.

    Raises:
        FenjieError: there is no such model or column, or the column holds no texts.
    """
    tagger = model if isinstance(model, EntityTagger) else load_entity_tagger(model)
    return added(dataset, tagger, column, into or name_of(tagger), workers)


def segment(
    dataset: ray.data.Dataset,
    model: str | PathLike[str] | Segmenter = DEFAULT,
    column: str = "text",
    *,
    into: str | None = None,
    workers: int | None = None,
) -> ray.data.Dataset:
    """Add the words of a column of texts, as lists of strings; for the rest see `tag`.

    Raises:
        FenjieError: as `tag`.
    """
    segmenter = model if isinstance(model, Segmenter) else load_segmenter(model)
    return added(dataset, segmenter, column, into or name_of(segmenter), workers)


def added(
    dataset: ray.data.Dataset,
    annotator: Annotator[Any],
    column: str,
    into: str,
    workers: int | None,
) -> ray.data.Dataset:
    """Add what a tagger finds to a data set; see `tag`.

    Raises:
        FenjieError: there is no such column, or it holds no texts.
    """
    schema = dataset.schema()
    if schema is not None and isinstance(schema.base_schema, pa.Schema):
        check_column(schema.base_schema, column, into)
    # A core stays free to read and to write. Ray gives actors above the least number only a share.
    cores = max(1, int(ray.cluster_resources().get("CPU", 1)) - 1)
    least = cores if workers is None else min(workers, cores)
    return dataset.map_batches(
        Actor,
        batch_size=None,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(min_size=least, max_size=workers),
        fn_constructor_args=(annotator, column, into),
        num_cpus=1,
        # It also keeps reading, which asks for none, out of the actors, as tasks of their own:
        # else a file, of however many blocks, would be the work of one actor.
        memory=MEMORY,
    )


class Actor:
    """Works on blocks of a data set. Ray makes it, from what another process pickled."""

    def __init__(self, annotator: Annotator[Any], column: str, into: str) -> None:
        """Take a tagger, which has loaded its model by itself.

        Args:
            annotator: finds words or entities.
            column: of texts.
            into: the column that is added.
        """
        self._annotator, self._column, self._into = annotator, column, into

    def __call__(self, block: Any) -> Iterator[Any]:
        """The rows of a block with the new column, in batches of about `CHARACTERS`.

        Args:
            block: a table of Arrow.

        Raises:
            FenjieError: the column is not there, or holds no texts.
        """
        check_column(block.schema, self._column, self._into)
        texts = texts_of(block, self._column)
        for start, end in stretches(texts):
            values = findings(self._annotator, texts[start:end])
            rows = block.slice(start, end - start)
            yield with_values(rows, self._into, values, name_of(self._annotator))


def stretches(texts: list[str | None]) -> Iterator[tuple[int, int]]:
    """Texts in stretches of about `CHARACTERS`, at least one.

    Yields:
        The number of the first text, and that after the last.
    """
    start = size = 0
    for end, text in enumerate(texts, 1):
        size += len(text or "")
        if size >= CHARACTERS:
            yield start, end
            start, size = end, 0
    if start < len(texts) or not texts:
        yield start, len(texts)
