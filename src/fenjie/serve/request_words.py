"""The user words of a request, and what it says of each: a weight, a label, `force`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from fenjie.runtime.words.user_words import UserWord, weight_of
from fenjie.serve.strict import Message


class WeighedWord(Message):
    """What is known of a user word."""

    weight: Annotated[
        float | None,
        Field(description="How much it is preferred; null for the usual weight.", examples=[1000]),
    ] = None
    force: Annotated[bool, Field(description="Whether it is found wherever it occurs.")] = False

    @property
    def known(self) -> UserWord:
        """The same for a tagger.

        Raises:
            FenjieError: the weight is none.
        """
        return UserWord(weight_of(self.weight, None, self.force))


class NamedWord(WeighedWord):
    """What is known of a user word that is an entity."""

    label: Annotated[str, Field(description="The type of entity.", examples=["PER"])]

    @property
    def known(self) -> UserWord:
        """As of any user word."""
        return super().known._replace(label=self.label)


def _up_to_first_fault(kind: Any) -> BeforeValidator:
    """Leaves of words by what is known of each the first one of which it is of no such kind.

    Its error is told; those of the others are not made, as of `Strings`.
    """
    known = TypeAdapter(kind)

    def first(words: Any) -> Any:
        for word, value in words.items() if isinstance(words, dict) else ():
            try:
                known.validate_python(value)
            except ValidationError:
                return {word: value}
        return words

    return BeforeValidator(first)


Weight: TypeAlias = float | WeighedWord | None
Label: TypeAlias = str | NamedWord | None
Weights: TypeAlias = Annotated[dict[str, Weight], _up_to_first_fault(Weight)]
Labels: TypeAlias = Annotated[dict[str, Label], _up_to_first_fault(Label)]


def user_words(words: Sequence[str] | Mapping[str, Weight | Label]) -> dict[str, UserWord]:
    """User words as a request gives them, and what is known of each.

    Raises:
        FenjieError: a weight is none.
    """
    given = words if isinstance(words, Mapping) else dict.fromkeys(words)
    return {word: _known(value) for word, value in given.items()}


def _known(value: Weight | Label) -> UserWord:
    if isinstance(value, WeighedWord):
        return value.known
    if isinstance(value, str):
        return UserWord(label=value)
    return UserWord(weight_of(value, None, False))
