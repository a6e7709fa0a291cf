"""Modern text with persons, places and organisations, and the script that scores models on it."""

from pathlib import Path

PAGES = {
    name: Path(__file__).parent / file
    for name, file in {
        "sentences": "sentences.jsonl",
        "genres": "genres.jsonl",
        "talk": "talk-and-print.jsonl",
        "rare": "rare-names.jsonl",
    }.items()
}
"""The pages of sentences, by the names that records have for them."""
