"""Modern text with entities, and the script that scores models on it."""

from pathlib import Path

PAGES = {
    name: Path(__file__).parent / file
    for name, file in {
        "sentences": "sentences.jsonl",
        "genres": "genres.jsonl",
        "talk": "talk-and-print.jsonl",
        "rare": "rare-names.jsonl",
        "works": "works.jsonl",
    }.items()
}
"""The pages of sentences, by the names that records have for them."""

NAMES, WORKS = ("PER", "LOC", "ORG"), ("BOOK", "MOVIE", "SONG")

TYPES = {name: WORKS if name == "works" else NAMES for name in PAGES}
"""The types that each page marks."""
