"""A GGUF loaded by libllama: its vocabulary and the metadata the start checks."""

import os
import re
from ctypes import PYFUNCTYPE, c_int, c_int32, c_void_p, cast, create_string_buffer
from itertools import repeat
from pathlib import Path

from semif.decision import StartFailure
from semif.llama.binding import Library
from semif.llama.padding import NO_PADDING, padding_of
from semif.llama.shape import model_shape

_CONTROL, _USER_DEFINED = 1 << 3, 1 << 4  # llama_token_attr
_UNKNOWN = 1 << 0


class LlamaVocabulary:
    """The vocabulary of a loaded model; libllama only reads it, so any thread may ask."""

    def __init__(self, library: Library, model: int) -> None:
        self._c = library.c
        self._vocab = self._c.llama_model_get_vocab(model)
        self.size = int(self._c.llama_vocab_n_tokens(self._vocab))
        bos = int(self._c.llama_vocab_bos(self._vocab))
        self.bos_id = bos if 0 <= bos < self.size else None
        self._reserved: dict[int, str] = {}  # filled once: large vocabularies take a tenth of a second
        self.adds_bos = bool(self._c.llama_vocab_get_add_bos(self._vocab))

    def tokenize(self, text: str, *, special: bool) -> list[int]:
        """Token ids of a text, without BOS or EOS; control tokens in it are parsed only with `special`."""
        raw = text.encode()
        room = len(raw) + 16
        ids = (c_int32 * room)()
        count = self._c.llama_tokenize(self._vocab, raw, len(raw), ids, room, False, special)  # noqa: FBT003 - C signature
        if count < 0:
            ids = (c_int32 * -count)()
            count = self._c.llama_tokenize(self._vocab, raw, len(raw), ids, -count, False, special)  # noqa: FBT003
        return ids[:count]

    def piece(self, token_id: int) -> bytes:
        """The bytes a token stands for, control tokens as their name."""
        buffer = create_string_buffer(512)
        length = self._c.llama_token_to_piece(self._vocab, token_id, buffer, len(buffer), 0, True)  # noqa: FBT003
        return buffer.raw[: max(length, 0)]

    def reserved(self) -> dict[int, str]:
        """Control and user-defined tokens with their texts."""
        if not self._reserved:
            # As many calls as tokens: with declared types and the interpreter lock given up each takes twice as long.
            attribute = PYFUNCTYPE(c_int)(("llama_vocab_get_attr", self._c))
            attributes = map(attribute, repeat(c_void_p(self._vocab)), range(self.size))
            ids = [id_ for id_, found in enumerate(attributes) if found & (_CONTROL | _USER_DEFINED)]
            texts = [self._c.llama_vocab_get_text(self._vocab, id_).decode("utf-8", "replace") for id_ in ids]
            self._reserved = dict(zip(ids, texts, strict=True))
        return self._reserved

    def special_text(self, which: str) -> str:
        """Text of the `bos` or `eos` token, empty if the vocabulary has none."""
        id_ = int(getattr(self._c, f"llama_vocab_{which}")(self._vocab))
        return self._c.llama_vocab_get_text(self._vocab, id_).decode() if 0 <= id_ < self.size else ""


class LlamaModel:
    """One model file in memory.

    Attributes:
        layers_offloaded: Layers that really went to a GPU.
        layers_total: Layers that could: the model's blocks and its output layer.
        shape: Its sizes.
        padding: When a decode on it is padded: only where no layer is on a GPU.
        can_cut: Whether a part of a sequence can be removed; what a recurrent layer has read cannot be taken back.
    """

    def __init__(self, library: Library, path: Path, *, n_gpu_layers: int, files: int = 1) -> None:
        """Loads the file and checks every tensor for numbers that are not finite.

        Args:
            library: What loads it.
            path: The GGUF, or the first file of a split one: the library finds the others by its name.
            n_gpu_layers: How many layers go onto a GPU, -1 for every one.
            files: How many there are, all of which the caller knows.

        Raises:
            StartFailure: The library refuses the file, it is one of another number of files, or its
                pre-tokenizer is unknown to this build.
        """
        self._library = library
        params = library.c.llama_model_default_params()
        params.n_gpu_layers = n_gpu_layers
        params.check_tensors = True
        no_devices = (c_void_p * 1)()
        if n_gpu_layers == 0:
            params.devices = cast(no_devices, c_void_p)  # an empty list: nothing may land on a GPU by default
        library.log.clear()
        handle = library.c.llama_model_load_from_file(os.fsencode(path), params)
        if not handle:
            raise StartFailure(f"{path.name} does not load: {library.log.last_error()}")
        self.handle: int = handle
        self._refuse_by_metadata(path.name, files)
        self.layers_total = int(library.c.llama_model_n_layer(handle)) + 1
        self.layers_offloaded = self._offloaded()
        self.can_cut = not (library.c.llama_model_is_recurrent(handle) or library.c.llama_model_is_hybrid(handle))
        self.shape = model_shape(self.metadata)
        self.padding = NO_PADDING if self.layers_offloaded else padding_of(self.shape)
        self.vocabulary = LlamaVocabulary(library, handle)

    def metadata(self, key: str) -> str | None:
        """A scalar metadata value as text, or None."""
        buffer = create_string_buffer(1024)
        length = self._library.c.llama_model_meta_val_str(self.handle, key.encode(), buffer, len(buffer))
        return None if length < 0 else buffer.value.decode("utf-8", "replace")

    def chat_template(self) -> str:
        """The template in the file.

        Raises:
            StartFailure: The file has none; there is no fallback.
        """
        template = self._library.c.llama_model_chat_template(self.handle, None)
        if not template:
            raise StartFailure("the model has no chat template (tokenizer.chat_template)")
        return str(template.decode("utf-8"))

    def trained_context(self) -> int:
        """Longest context, in tokens, the model was trained for."""
        return int(self._library.c.llama_model_n_ctx_train(self.handle))

    def close(self) -> None:
        """Frees the model; contexts on it must be closed before."""
        self._library.c.llama_model_free(self.handle)

    def _refuse_by_metadata(self, name: str, files: int) -> None:
        count = max(1, int(self.metadata("split.count") or 1))  # merged again, a file says 0
        if count != files:
            raise StartFailure(f"{name} is one of {count} files, and {files} are pinned")
        for line in self._library.log.lines():
            if "missing pre-tokenizer" in line or "missing or unrecognized pre-tokenizer" in line:
                raise StartFailure(f"{name} does not name a pre-tokenizer this build knows: {line}")

    def _offloaded(self) -> int:
        for line in reversed(self._library.log.lines()):
            if found := re.search(r"offloaded (\d+)/(\d+) layers to GPU", line):
                return int(found[1])
        return 0
