"""An exported model in ONNX Runtime, set up for a service."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from fenjie.errors import FileError, first_line
from fenjie.runtime.annotator import check_threads

INPUTS, OUTPUT = ("ids", "lengths"), "scores"
"""The inputs that every model has, and the output. Those of the others follow in this order."""

PIECE_INPUTS = ("pieces", "piece_lengths", "piece")
"""The further inputs of a model with an encoder: `fenjie.lexicon.word_pieces.WordPieceBatch`."""

WORD_INPUTS = ("start", "end", "words", "vectors", "counts")
"""The further inputs of a model with a lexicon; see `fenjie.runtime.batching.Batch`."""

LOOP = re.compile(rb'(?:"|\xa2\x80*[\x00\x10\x20\x30\x40\x50\x60\x70])(?:\x04|\x84\x80*\x00)Loop')
"""A node that may never end, in the bytes of an ONNX file: key of `op_type`, length, value.

Both numbers may be written in more bytes than they need, and of the fifth byte of a key the upper
bits do not count. No export of fenjie has such a node; what depends on the length of a text is a
Scan, which ends with it.
"""

SHRINK = onnxruntime.RunOptions()
SHRINK.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")


KEPT = 64 << 20
"""Memory that stays with the process when memory is given back, in bytes: what ordinary sentences
take. Without it, the batches after a large one take fresh memory from the system."""


class Session:
    """Scores batches on the CPU. May be called from several threads at once.

    Attributes:
        inputs: the names of the model's inputs, in order.
    """

    def __init__(self, path: Path, threads: int = 1, known: Sequence[str] = INPUTS) -> None:
        """Load an exported model.

        Args:
            path: the ONNX file.
            threads: the number of threads that one call may use; at most those of the machine
                are used.
            known: the inputs that the model may have besides `INPUTS`.

        Raises:
            FenjieError: `threads` is not positive.
            FileError: the file is not a model that ONNX Runtime can run here, or one that may
                never end.
        """
        check_threads(threads)
        program = path.read_bytes()
        if _may_never_end(program):
            raise FileError(
                path,
                "the model may never end",
                found="an operator Loop",
                expected="operators that end with their input, as a Scan does",
            )
        try:
            self._session = onnxruntime.InferenceSession(
                program,
                options(threads),
                providers=["CPUExecutionProvider"],
                enable_fallback=0,
            )
        except Exception as error:  # ONNX Runtime has no common class of its errors
            reason = f"ONNX Runtime cannot load the model: {first_line(error)}"
            raise FileError(path, reason) from error
        names = tuple(value.name for value in self._session.get_inputs())
        self.inputs = names
        self._path = path
        if OUTPUT not in (value.name for value in self._session.get_outputs()):
            raise FileError(path, f"the model has no output {OUTPUT!r}")
        if names != tuple(name for name in known if name in names or name in INPUTS):
            expected = ", ".join(known)
            raise FileError(
                path,
                "an exported model of another kind",
                found=names,
                expected=f"inputs {expected}",
            )

    def __call__(self, *values: NDArray[Any], release: bool = False) -> NDArray[np.float32]:
        """Score a batch.

        Args:
            *values: the inputs, in their order: `ids` of characters, `[batch, length, columns]`,
                0 at padding; `lengths`, the number of characters of each text, `[batch]`, at least
                1; then those of a lattice.
            release: whether the memory that the call took is given back to the system.

        Returns:
            Of a segmenter the scores of the gaps, `[batch, length - 1, 2]`, for which `length` must
            be at least 2; of a tagger those of the tags, `[batch, length, tags]`.

        Raises:
            FileError: ONNX Runtime cannot run the model on them.
        """
        inputs = dict(zip(self.inputs, values, strict=True))
        try:
            scores: NDArray[np.float32] = self._session.run(
                [OUTPUT], inputs, SHRINK if release else None
            )[0]
        except Exception as error:
            reason = f"ONNX Runtime cannot run the model: {first_line(error)}"
            raise FileError(self._path, reason) from error
        return scores


def _may_never_end(program: bytes) -> bool:
    """Whether an ONNX file has a node `LOOP`; the name alone is found much faster."""
    return b"Loop" in program and LOOP.search(program) is not None


def options(threads: int) -> Any:
    """The settings of a session that lives long beside others and meets inputs of all sizes."""
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = min(threads, os.cpu_count() or 1)
    settings.inter_op_num_threads = 1
    # A plan of the memory is made for inputs of one shape, and kept: here nearly every batch has
    # its own. The arena stays: without it, each large tensor is fresh memory from the system,
    # which costs more time than the arithmetic. It is bounded because batches are.
    settings.enable_mem_pattern = False
    # Idle threads sleep, so that several processes on one machine do not slow each other down.
    settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if _shared_arena():
        settings.add_session_config_entry("session.use_env_allocators", "1")
        settings.add_session_config_entry("session.use_device_allocator_for_initializers", "1")
    settings.add_session_config_entry("session.load_model_format", "ONNX")
    settings.log_severity_level = 4  # errors are raised, not printed
    return settings


@cache
def _shared_arena() -> bool:
    """Make the arena that all sessions of this process share, whose first `KEPT` bytes stay.

    Returns:
        Whether there is one; ONNX Runtime takes one arena a process, so another library's stays.
    """
    kind = onnxruntime.OrtMemoryInfo(
        "Cpu", onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR, 0, onnxruntime.OrtMemType.DEFAULT
    )
    sizes = {
        "max_mem": 0,  # not bounded here: batches are
        "arena_extend_strategy": 0,  # by powers of two; giving back spares the first extent
        "initial_chunk_size_bytes": KEPT,
        "max_dead_bytes_per_chunk": -1,
    }
    try:
        onnxruntime.create_and_register_allocator(kind, onnxruntime.OrtArenaCfg(sizes))
    except Exception:  # ONNX Runtime has no common class of its errors
        return False
    return True
