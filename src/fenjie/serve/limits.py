"""Limits of the service, and the refusal of a request beyond them."""

from __future__ import annotations

from dataclasses import dataclass

CHARACTER_BYTES = 12
"""Most bytes of a character in JSON: two escapes, `\\ud83d\\ude00`."""


class RefusedError(Exception):
    """A request that is not served.

    Attributes:
        status: the status code of the answer.
        message: the reason, one sentence.
    """

    def __init__(self, status: int, message: str) -> None:
        """Take the status code and the reason."""
        super().__init__(message)
        self.status, self.message = status, message


@dataclass(frozen=True)
class Limits:
    """How much the service takes on.

    Attributes:
        characters: characters of a request, its texts and user words together.
        texts: texts of a request.
        waiting: requests that wait for a model at once.
        seconds: seconds that a request may wait, those that its head may take to arrive, and those
            that its body may.
    """

    characters: int = 100_000
    texts: int = 1_000
    waiting: int = 256
    seconds: float = 10

    @property
    def bytes(self) -> int:
        """Bytes of a body: those of any texts within the other limits.

        So many may also be too few: for many short user words, with what is said of each.
        """
        return CHARACTER_BYTES * self.characters + 64 * self.texts + 1024

    def check(self, texts: int, characters: int) -> None:
        """Check the size of a request.

        Raises:
            RefusedError: 413 for its characters, 422 for the number of its texts.
        """
        if characters > self.characters:
            raise RefusedError(
                413,
                f"the request has {characters} characters; at most {self.characters} are allowed",
            )
        if texts > self.texts:
            raise RefusedError(
                422, f"the request has {texts} texts; at most {self.texts} are allowed"
            )
