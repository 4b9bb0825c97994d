"""The teacher: sentence and piece vectors of all-MiniLM-L6-v2, kept in a cache folder."""

import multiprocessing

import numpy
import torch
import transformers
from wordpiece import MODEL, tokenizer

CHUNK = 1024
# The model's own limit for sentences, the two special tokens included.
MAX_PIECES = 256
# Padding costs as much as text, so a batch is a number of places, not of texts.
PLACES = 2048


def sentences(texts, cache, workers):
    """Normalized vectors of the texts, a float32 matrix; finished chunks are taken from the cache."""
    cache.mkdir(parents=True, exist_ok=True)
    chunks = [
        (texts[start : start + CHUNK], cache / f"sentences-{start:06}.npy")
        for start in range(0, len(texts), CHUNK)
    ]
    missing = [chunk for chunk in chunks if not chunk[1].exists()]
    with multiprocessing.Pool(workers) as pool:
        for done, _ in enumerate(pool.imap_unordered(_encode_chunk, missing), 1):
            print(f"encoded {done} of {len(missing)} chunks", flush=True)
    return numpy.concatenate([numpy.load(path) for _, path in chunks])


def pieces(cache):
    """The model's output at the place of each piece in `[CLS] piece [SEP]`, not normalized."""
    path = cache / "pieces.npy"
    if path.exists():
        return numpy.load(path)
    model = _load()
    ids = torch.arange(tokenizer().get_vocab_size())
    cls, sep = (tokenizer().token_to_id(name) for name in ("[CLS]", "[SEP]"))
    found = []
    for some in ids.split(512):
        rows = torch.stack([torch.full_like(some, cls), some, torch.full_like(some, sep)], 1)
        with torch.inference_mode():
            found.append(model(rows, torch.ones_like(rows)).last_hidden_state[:, 1])
    numpy.save(path, torch.cat(found).numpy())
    return pieces(cache)


def _load():
    torch.set_num_threads(1)
    return transformers.AutoModel.from_pretrained(MODEL, add_pooling_layer=False).eval()


def _encode_chunk(chunk):
    texts, path = chunk
    if not hasattr(_encode_chunk, "model"):
        _encode_chunk.model = _load()
    ids = tokenizer()
    ids.enable_truncation(MAX_PIECES)
    rows = [torch.tensor(it.ids) for it in ids.encode_batch(texts)]
    order = sorted(range(len(rows)), key=lambda row: len(rows[row]))
    vectors = numpy.zeros((len(rows), 384), numpy.float32)
    while order:
        longest = len(rows[order[-1]])
        batch, order = order[-max(1, PLACES // longest) :], order[: -max(1, PLACES // longest)]
        padded = torch.nn.utils.rnn.pad_sequence([rows[row] for row in batch], batch_first=True)
        lengths = torch.tensor([len(rows[row]) for row in batch])
        mask = (torch.arange(padded.shape[1]) < lengths[:, None]).long()
        with torch.inference_mode():
            output = _encode_chunk.model(padded, mask).last_hidden_state
        means = (output * mask[:, :, None]).sum(1) / lengths[:, None]
        vectors[batch] = torch.nn.functional.normalize(means, dim=1).numpy()
    unfinished = path.with_name(path.name + ".part.npy")
    numpy.save(unfinished, vectors)
    unfinished.rename(path)
