"""The table file and what it means: the same sums as `crates/search/src/embedding/`.

All numbers are little-endian.

    bytes   what
    8       the magic `agdxembd`
    4       format version
    4       recipe version
    4       dimensions D
    4       pieces N
    4       length V of the vocabulary
    32      SHA-256 of everything else in this order: the 28 bytes before, all bytes after
    V       the pieces in UTF-8, each followed by a line feed; the first is [UNK], whose
            row is zero
    N D     the rows, 8-bit integers of one scale
"""

import hashlib
import struct

import numpy

MAGIC = b"agdxembd"
FORMAT = 3
RECIPE = 1
# A longer text is read up to here.
MAX_PIECES = 256


def quantize(vectors):
    """The vectors in 8-bit integers of one scale; a scale for each row was no better (README.md)."""
    return numpy.rint(vectors * (127 / numpy.abs(vectors).max())).astype(numpy.int8)


def write(path, pieces, rows):
    """Writes the table file."""
    vocabulary = "".join(piece + "\n" for piece in pieces).encode()
    head = MAGIC + struct.pack("<5I", FORMAT, RECIPE, rows.shape[1], len(pieces), len(vocabulary))
    body = vocabulary + rows.tobytes()
    path.write_bytes(head + hashlib.sha256(head + body).digest() + body)


def read(path):
    """Pieces and rows of a table file."""
    data = path.read_bytes()
    head, digest, body = data[:28], data[28:60], data[60:]
    if hashlib.sha256(head + body).digest() != digest or head[:8] != MAGIC:
        raise ValueError(f"{path} is damaged")
    _, _, dimensions, count, length = struct.unpack("<5I", head[8:])
    pieces = body[:length].decode().split("\n")[:-1]
    rows = numpy.frombuffer(body, numpy.int8, count * dimensions, length)
    return pieces, rows.reshape(count, dimensions)


# The last letter of the Latin blocks of Unicode.
LAST_LATIN = "\u024f"
# A longer word is unknown.
MAX_WORD = 100


class Embedder:
    """Texts to vectors by a table."""

    def __init__(self, tokenizer, pieces, rows):
        self.tokenizer = tokenizer
        self.place = {piece: place for place, piece in enumerate(pieces)}
        self.rows = rows.astype(numpy.int64)

    def entries(self, text):
        """The entries of the table that a text is cut into."""
        found = []
        text = self.tokenizer.normalizer.normalize_str(text)
        for word, _ in self.tokenizer.pre_tokenizer.pre_tokenize_str(text):
            found += self.entries_of(word)
        return found[:MAX_PIECES]

    def entries_of(self, word):
        """The pieces of a Latin word; none of a shorter one in another script."""
        is_latin = all(it <= LAST_LATIN or not it.isalpha() for it in word)
        if not is_latin and len(word) <= MAX_WORD:
            return []
        return [it.value for it in self.tokenizer.model.tokenize(word)]

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

