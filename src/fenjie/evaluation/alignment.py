"""The words of two segmentations that GNU `diff` finds in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby


def matched(left: Sequence[str], right: Sequence[str]) -> list[bool]:
    """Whether each word of `left` is common to both sequences, in the eyes of GNU `diff`.

    `diff` first puts aside the equal words at both ends, then words that it takes for
    confusing (`_kept`), and finds a longest common subsequence of the rest (Myers 1986, in
    linear space). Only because of the second step the result may be shorter than the longest.

    Args:
        left: the words of one segmentation.
        right: the words of the other.
    """
    first, last = 0, min(len(left), len(right))
    while first < last and left[first] == right[first]:
        first += 1
    tail = 0
    while tail < last - first and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    found = [True] * first + [False] * (len(left) - first - tail) + [True] * tail
    a, b = left[first : len(left) - tail], right[first : len(right) - tail]
    kept_a, kept_b = _kept(a, Counter(b)), _kept(b, Counter(a))
    for index in _common([a[i] for i in kept_a], [b[i] for i in kept_b]):
        found[first + kept_a[index]] = True
    return found


def _kept(words: Sequence[str], others: Counter[str]) -> list[int]:
    """The indices of the words that `diff` compares at all.

    Words that the other side has not are left out. Words that it has very often are in doubt:
    they are left out too where they stand among the former, by the rules in `_settle`.
    """
    many, quarter = 5, len(words) // 64 >> 2
    while quarter:
        many, quarter = 2 * many, quarter >> 2
    marks = [
        _OUT if not (count := others[word]) else _DOUBT if count > many else _IN for word in words
    ]
    start = 0
    for out, group in groupby(marks, key=bool):
        end = start + len(list(group))
        if out:
            _settle(marks, start, end)
        start = end
    return [index for index, mark in enumerate(marks) if mark == _IN]


_IN, _OUT, _DOUBT = 0, 1, 2


def _settle(marks: list[int], start: int, end: int) -> None:
    """Decide which words in doubt are left out of a run without any word that is in.

    Those at either end of the run come in. If more than a quarter of the rest of the run is in
    doubt, all of these come in; otherwise those that stand together in some number do, and those
    near the ends.
    """
    while start < end and marks[start] == _DOUBT:
        marks[start] = _IN
        start += 1
    while start < end and marks[end - 1] == _DOUBT:
        end -= 1
        marks[end] = _IN
    run = range(start, end)
    doubts = [index for index in run if marks[index] == _DOUBT]
    if 4 * len(doubts) > len(run):
        for index in doubts:
            marks[index] = _IN
        return
    many, quarter = 1, len(run) >> 4
    while quarter:
        many, quarter = 2 * many, quarter >> 2
    for mark, group in groupby(list(run), key=marks.__getitem__):
        together = list(group)
        if mark == _DOUBT and len(together) > many:
            for index in together:
                marks[index] = _IN
    _clear_end(marks, run)
    _clear_end(marks, run[::-1])


def _clear_end(marks: list[int], run: range) -> None:
    """Let the words in doubt come in until three words that are out stand together.

    A word that is out and is the ninth of the run or later ends it as well.
    """
    together = 0
    for place, index in enumerate(run):
        if place >= 8 and marks[index] == _OUT:
            return
        if marks[index] == _OUT:
            together += 1
            if together == 3:
                return
        else:
            together = 0
            marks[index] = _IN


def _common(left: Sequence[str], right: Sequence[str]) -> list[int]:
    """The indices in `left` of a longest common subsequence with `right`."""
    found: list[int] = []
    parts = [(0, len(left), 0, len(right))]
    while parts:
        x, x_end, y, y_end = parts.pop()
        while x < x_end and y < y_end and left[x] == right[y]:
            found.append(x)
            x, y = x + 1, y + 1
        while x < x_end and y < y_end and left[x_end - 1] == right[y_end - 1]:
            x_end, y_end = x_end - 1, y_end - 1
            found.append(x_end)
        if x < x_end and y < y_end:
            x_middle, y_middle = _middle(left, right, x, x_end, y, y_end)
            parts += [(x_middle, x_end, y_middle, y_end), (x, x_middle, y, y_middle)]
    return found


def _middle(
    left: Sequence[str], right: Sequence[str], x_first: int, x_end: int, y_first: int, y_end: int
) -> tuple[int, int]:
    """A point in the middle of a shortest way from one segmentation to the other.

    Ways grow from both ends, one difference a round, until two of them meet (Myers 1986, section
    4b). A diagonal is x - y; for each the furthest x reached is kept.
    """
    low, high = x_first - y_end, x_end - y_first
    start, goal = x_first - y_first, x_end - y_end
    odd = (start - goal) % 2 == 1
    forth, back = {start: x_first}, {goal: x_end}
    f_low = f_high = start
    b_low = b_high = goal
    far = x_end + 1
    while True:
        f_low, f_high = _widen(forth, f_low, f_high, low, high, -1)
        for diagonal in range(f_high, f_low - 1, -2):
            below, above = forth[diagonal - 1], forth[diagonal + 1]
            x = above if below < above else below + 1
            y = x - diagonal
            while x < x_end and y < y_end and left[x] == right[y]:
                x, y = x + 1, y + 1
            forth[diagonal] = x
            if odd and b_low <= diagonal <= b_high and back[diagonal] <= x:
                return x, y
        b_low, b_high = _widen(back, b_low, b_high, low, high, far)
        for diagonal in range(b_high, b_low - 1, -2):
            below, above = back[diagonal - 1], back[diagonal + 1]
            x = below if below < above else above - 1
            y = x - diagonal
            while x > x_first and y > y_first and left[x - 1] == right[y - 1]:
                x, y = x - 1, y - 1
            back[diagonal] = x
            if not odd and f_low <= diagonal <= f_high and x <= forth[diagonal]:
                return x, y


def _widen(
    reached: dict[int, int], first: int, last: int, low: int, high: int, never: int
) -> tuple[int, int]:
    """The diagonals of the next round: one more on either side, as long as there are more."""
    if first > low:
        first -= 1
        reached[first - 1] = never
    else:
        first += 1
    if last < high:
        last += 1
        reached[last + 1] = never
    else:
        last -= 1
    return first, last
