"""Lattice LSTM as an ONNX program on padded batches.

A loop goes over the steps, in both directions at once; the backward direction reads each sentence
turned around. At each step, a word that ends there has a slot for each number of steps since it
began, at most one word a slot. There are as many slots as the longest word of the batch needs, and
the loop remembers the states of as many steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fenjie.export.graph import Graph
from fenjie.export.parts import CharacterInputs, Parts, WordInputs, array, scalar
from fenjie.models.lattice_lstm import LatticeLstm
from fenjie.nn.encoders.lattice_lstm import LatticeLstm as Encoder


def lattice_lstm_program(model: LatticeLstm) -> Any:
    """The ONNX program of a model, with the inputs that `fenjie.runtime.session` names."""
    parts = Parts()
    characters = parts.characters(model.embedding)
    words = parts.words(model.embedding)
    x = _Writer(parts, model.encoder, characters).hidden(words)
    return parts.program(parts.linear(x, model.output), len(model.tags))


class _Writer:
    """Writes the encoder. Methods take and give names of values; comments say their shapes."""

    def __init__(self, parts: Parts, encoder: Encoder, characters: CharacterInputs) -> None:
        self.parts, self.add = parts, parts.add
        self.encoder, self.characters = encoder, characters
        add = self.add
        self.batch = add("Shape", characters.lengths)
        place = add("Unsqueeze", add("Range", scalar(0), self._length(), scalar(1)), [0])
        turned = add("Sub", add("Sub", add("Unsqueeze", characters.lengths, [1]), [1]), place)
        # The places of each sentence from its last one, padding behind them: [batch, length, 1]
        self.turned = add("Unsqueeze", add("Where", characters.mask, turned, place), [2])

    def hidden(self, words: WordInputs) -> str:
        """The hidden states of both directions, `[batch, length, 2 * hidden]`."""
        add, size = self.add, self.encoder.hidden
        inputs = self.parts.linear(self.characters.vectors, self.encoder.characters)
        ahead, back = (
            add("Slice", inputs, [5 * size * d], [5 * size * (d + 1)], [2]) for d in (0, 1)
        )
        # [length, 2, batch, 5 * hidden]
        steps = self._by_step(ahead, self._turn(back))
        slots, count = self._slots(words)
        brought = self.parts.linear(words.vectors, self.encoder.words)
        # [2 * batch * words + 1, 3 * hidden]: the first one is no word
        brought = add("Reshape", brought, [-1, 3 * size])
        brought = add("Concat", np.zeros((1, 3 * size), np.float32), brought, axis=0)
        # States of the loop: h W, and c; of the steps before, as far as words reach, those parts of
        # h W that words read, and c
        zero = np.zeros(1, np.float32)
        shapes = (
            add("Concat", [2], self.batch, [4 * size], axis=0),
            add("Concat", [2], self.batch, [size], axis=0),
            add("Concat", [2], self.batch, count, [4 * size], axis=0),
        )
        states = [add("Expand", zero, shape) for shape in shapes]
        body = self._body(brought)
        found = self.parts.graph.several(
            4, "Scan", *states, steps, slots, body=body, num_scan_inputs=2
        )
        # [length, 2, batch, hidden] -> two times [batch, length, hidden]
        both = add("Transpose", found[3], perm=[1, 2, 0, 3])
        ahead, back = (add("Gather", both, scalar(direction), axis=0) for direction in (0, 1))
        return add("Concat", ahead, self._turn(back), axis=2)

    def _slots(self, words: WordInputs) -> tuple[str, str]:
        """Which word is in each slot, `[length, 2, batch, slots]`, and how many slots there are.

        Numbers count from 1, of the batch's words twice each; 0 is no word.
        """
        add = self.add
        reach = add("Sub", words.end, words.start)
        real = add("And", words.mask, add("Greater", reach, [0]))
        reach = add("Where", real, reach, [1])
        # One slot at least, even where there is no place for a word
        count = add("Max", add("Reshape", add("ReduceMax", reach, keepdims=0), [1]), [1])
        last = add("Sub", add("Unsqueeze", self.characters.lengths, [1]), [1])
        sentence = add(
            "Unsqueeze", add("Range", scalar(0), add("Squeeze", self.batch), scalar(1)), [1]
        )
        room = add("Concat", self.characters.length, [2], self.batch, count, axis=0)
        total = add("ReduceProd", room, keepdims=1)
        both = []
        for direction, ends in enumerate((words.end, add("Sub", last, words.start))):
            # step * 2 + direction, then * batch + sentence, then * slots + slot
            place = add("Add", add("Mul", ends, [2]), [direction])
            place = add("Add", add("Mul", place, self.batch), sentence)
            place = add("Add", add("Mul", place, count), add("Sub", reach, [1]))
            # What is no word goes behind the end.
            both.append(add("Unsqueeze", add("Where", real, place, total), [2]))
        # [batch, words, 2] -> [2 * batch * words, 1]
        places = add("Reshape", add("Concat", *both, axis=2), [-1, 1])
        amount = add("Add", add("Squeeze", add("Shape", places, end=1)), scalar(1))
        numbers = add("Range", scalar(1), amount, scalar(1))
        empty = add("Expand", [0], add("Add", total, [1]))
        filled = add("Slice", add("ScatterND", empty, places, numbers), [0], total, [0])
        return add("Reshape", filled, room), count

    def _body(self, brought: str) -> Any:
        """One step: eq. 11 to 16 of Zhang and Yang (2018)."""
        size, graph = self.encoder.hidden, Graph("step.")
        add = graph.add
        past = graph.input("ahead", [2, "batch", 4 * size], np.float32)
        cell = graph.input("cell", [2, "batch", size], np.float32)
        memory = graph.input("memory", [2, "batch", "slots", 4 * size], np.float32)
        inputs = graph.input("inputs", [2, "batch", 5 * size], np.float32)
        slots = graph.input("slots", [2, "batch", "slots"])
        links = add("Slice", inputs, [4 * size], [5 * size], [2])
        gates = add("Add", add("Slice", inputs, [0], [4 * size], [2]), past)
        o, i, f, g = graph.several(4, "Split", gates, axis=2, num_outputs=4)
        o, i, f, g = (add("Tanh" if gate is g else "Sigmoid", gate) for gate in (o, i, f, g))
        # Words, [2, batch, slots, ·]
        read, begun = graph.several(2, "Split", memory, [3 * size, size], axis=3)
        i_w, f_w, g_w = graph.several(
            3, "Split", add("Add", add("Gather", brought, slots), read), axis=3, num_outputs=3
        )
        word = add(
            "Add",
            add("Mul", add("Sigmoid", f_w), begun),
            add("Mul", add("Sigmoid", i_w), add("Tanh", g_w)),
        )
        gate = array(self.encoder.gate)[:, None]
        link = add("Add", add("MatMul", word, gate), add("Unsqueeze", links, [2]))
        real = add("Unsqueeze", add("Greater", slots, [0]), [3])
        zero = np.zeros(1, np.float32)
        weight = add("Where", real, add("Exp", add("Sigmoid", link)), zero)
        shares = add("ReduceSum", weight, [2], keepdims=0)
        alone = add("Exp", i)
        mixed = add("ReduceSum", add("Mul", weight, word), [2], keepdims=0)
        mixed = add("Div", add("Add", add("Mul", alone, g), mixed), add("Add", alone, shares))
        plain = add("Add", add("Mul", i, g), add("Mul", f, cell))
        now = add("Where", add("Greater", shares, zero), mixed, plain)
        h = add("Mul", o, add("Tanh", now))
        following, of_words = graph.several(
            2, "Split", add("MatMul", h, array(self.encoder.state)), [4 * size, 3 * size], axis=2
        )
        # The slot of a word says how many steps ago it began: the last step comes first.
        newest = add("Unsqueeze", add("Concat", of_words, now, axis=2), [2])
        kept = add("Slice", memory, [0], [-1], [2])
        memory = add("Concat", newest, kept, axis=2)
        return graph.body("step", [following, add("Identity", now), memory, h])

    def _by_step(self, ahead: str, back: str) -> str:
        """`[batch, length, n]` of each direction as `[length, 2, batch, n]`."""
        both = self.add("Concat", *(self.add("Unsqueeze", x, [0]) for x in (ahead, back)), axis=0)
        return self.add("Transpose", both, perm=[2, 0, 1, 3])

    def _turn(self, x: str) -> str:
        """`[batch, length, n]`, each sentence turned around."""
        return self.add("GatherND", x, self.turned, batch_dims=1)

    def _length(self) -> str:
        return self.add("Squeeze", self.characters.length)
