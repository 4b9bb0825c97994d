"""The table file and what it means: the same sums as `crates/search/src/embedding/`.

All numbers are little-endian.

    bytes   what
    8       the magic `agdxembd`
    4       format version
    4       recipe version
    4       dimensions D
    4       pieces and words N
    4       words W of them, which are the last and match whole words only
    4       length V of the vocabulary
    32      SHA-256 of everything else in this order: the 32 bytes before, all bytes after
    V       the pieces and words in UTF-8, each followed by a line feed; the first is [UNK], whose
            row is zero
    N D     the rows, 8-bit integers of one scale
"""

import bisect
import hashlib
import os.path
import struct

import numpy

MAGIC = b"agdxembd"
FORMAT = 2
RECIPE = 2
# A longer text is read up to here.
MAX_PIECES = 256


def quantize(vectors):
    """The vectors in 8-bit integers of one scale; a scale for each row was no better (README.md)."""
    return numpy.rint(vectors * (127 / numpy.abs(vectors).max())).astype(numpy.int8)


def write(path, pieces, rows, words=()):
    """Writes the table file. The rows of the words follow those of the pieces."""
    entries = [*pieces, *words]
    vocabulary = "".join(entry + "\n" for entry in entries).encode()
    head = MAGIC + struct.pack(
        "<6I", FORMAT, RECIPE, rows.shape[1], len(entries), len(words), len(vocabulary)
    )
    body = vocabulary + rows.tobytes()
    path.write_bytes(head + hashlib.sha256(head + body).digest() + body)


def read(path):
    """Pieces, rows, and the words among the pieces of a table file."""
    data = path.read_bytes()
    head, digest, body = data[:32], data[32:64], data[64:]
    if hashlib.sha256(head + body).digest() != digest or head[:8] != MAGIC:
        raise ValueError(f"{path} is damaged")
    _, _, dimensions, count, words, length = struct.unpack("<6I", head[8:])
    entries = body[:length].decode().split("\n")[:-1]
    rows = numpy.frombuffer(body, numpy.int8, count * dimensions, length)
    pieces = count - words
    return entries[:pieces], rows.reshape(count, dimensions), entries[pieces:]


UNKNOWN = "[UNK]"
# The last letter of the Latin blocks of Unicode.
LAST_LATIN = "\u024f"
# Two forms of a word share so many letters at the start, and this percentage of the longer one.
MIN_SHARED = 5
SHARED_PERCENT = 70
# Words before and after an unknown one, in the order of the alphabet, that may be forms of it.
NEIGHBOURS = 4
# Letters of a piece that says something by itself.
MIN_WORD = 4
# A longer word is unknown.
MAX_WORD = 100


class Embedder:
    """Texts to vectors by a table."""

    def __init__(self, tokenizer, pieces, rows, words=()):
        self.tokenizer = tokenizer
        self.words = sorted(words)
        self.pieces = set(pieces)
        self.place = {entry: place for place, entry in enumerate([*pieces, *words])}
        self.rows = rows.astype(numpy.int64)

    def entries(self, text):
        """The entries of the table that a text is cut into."""
        found = []
        text = self.tokenizer.normalizer.normalize_str(text)
        for word, _ in self.tokenizer.pre_tokenizer.pre_tokenize_str(text):
            found += self.entries_of(word)
        return found[:MAX_PIECES]

    def entries_of(self, word):
        """A word of another language or the nearest form of it, or else the pieces of a Latin word."""
        pieces = [it.value for it in self.tokenizer.model.tokenize(word)]
        if len(word) > MAX_WORD:
            return pieces
        if (known := self.foreign(word, pieces)) is not None:
            return [known]
        return pieces if all(it <= LAST_LATIN or not it.isalpha() for it in word) else []

    def foreign(self, word, pieces):
        """The word of another language that a word is, or is likely to be a form of."""
        at = bisect.bisect_left(self.words, word)
        if at < len(self.words) and self.words[at] == word:
            return word
        if word in self.pieces or self.is_made_of_words(word, pieces):
            return None
        near = self.words[max(at - NEIGHBOURS, 0) : at + NEIGHBOURS]
        likely = [it for it in near if shared_percent(word, it)]
        return max(likely, key=lambda it: shared_percent(word, it), default=None)

    def is_made_of_words(self, word, pieces):
        """Whether more than two thirds of a word are pieces that are words themselves."""
        if pieces == [UNKNOWN]:
            return False
        parts = [it.removeprefix("##") if at else it for at, it in enumerate(pieces)]
        of_words = [it for it in parts if len(it.encode()) >= MIN_WORD and it in self.pieces]
        return len("".join(of_words).encode()) * 3 > len(word.encode()) * 2

    def vector(self, text):
        """The vector of a text in 8-bit integers, its largest component 127; zeros when no piece is known."""
        total = self.rows[[self.place[entry] for entry in self.entries(text)]].sum(0)
        largest = numpy.abs(total).max()
        if largest == 0:
            return numpy.zeros(total.shape, numpy.int8)
        return numpy.rint(total * 127 / largest).astype(numpy.int8)

    def vectors(self, texts):
        """The vectors of some texts, each of length one."""
        found = numpy.stack([self.vector(text) for text in texts]).astype(numpy.float32)
        return found / numpy.maximum(numpy.linalg.norm(found, axis=1, keepdims=True), 1)


def shared_percent(word, other):
    """The percentage of letters at the start that two words share; zero if they are not likely to be forms of one word."""
    shared = len(os.path.commonprefix([word, other]))
    percent = shared * 100 // max(len(word), len(other))
    return percent if shared >= MIN_SHARED and percent >= SHARED_PERCENT else 0
