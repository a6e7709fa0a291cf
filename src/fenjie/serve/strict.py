"""Strict JSON: bodies without keys that are not known, of whose many faults one is told."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

Strings: TypeAlias = Annotated[list[str], Field(fail_fast=True)]
"""Strings of a request. Only the first that is none is told, so the others are not looked for: a
body of a megabyte has room for half a million of them, each an error of a kilobyte."""


class Message(BaseModel):
    """A body in JSON."""

    model_config = ConfigDict(strict=True, extra="forbid", protected_namespaces=())

    @model_validator(mode="before")
    @classmethod
    def _up_to_first_unknown(cls, given: Any) -> Any:
        """Of many keys that are not known leave the first one, whose error is told."""
        if not isinstance(given, dict) or len(given) <= len(cls.model_fields):
            return given
        unknown = [key for key in given if key not in cls.model_fields]
        left_out = set(unknown[1:])
        return {key: value for key, value in given.items() if key not in left_out}
