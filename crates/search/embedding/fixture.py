"""Writes into `fixture.jsonl` the entries of a table that its texts are cut into, and some vectors of a table.

    fixture.py TABLE FIXTURE

The texts stay as they are: to add one, add a line `{"text": "..."}` and run this again.
"""

import json
import pathlib
import sys

import table
import wordpiece

# Every so many texts, the vector too.
VECTORS = 6


def main():
    path = pathlib.Path(sys.argv[2])
    embedder = table.Embedder(wordpiece.tokenizer(), *table.read(pathlib.Path(sys.argv[1])))
    lines = []
    # Not by `splitlines`, which ends lines at characters that JSON leaves alone.
    for number, line in enumerate(path.read_text(encoding="utf8").strip("\n").split("\n")):
        text = json.loads(line)["text"]
        entry = {"text": text, "pieces": " ".join(embedder.entries(text))}
        if number % VECTORS == 0:
            entry["vector"] = embedder.vector(text).tolist()
        lines.append(visible(json.dumps(entry, ensure_ascii=False)))
    path.write_text("\n".join(lines) + "\n", encoding="utf8")


def visible(line):
    """The line with what nobody can see in an editor as escapes."""
    escape = lambda letter: json.dumps(letter)[1:-1]
    return "".join(letter if letter.isprintable() else escape(letter) for letter in line)


if __name__ == "__main__":
    main()
