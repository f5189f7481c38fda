"""The cells of a column of texts in all views of a design, a whole array at a time. The slow twin is `Encoder.codes`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from untold.collect.columns import Reader
from untold.plan.designs import Design, TextColumn
from untold.plan.schema import Service
from untold.plan.schema.kinds.text import Text
from untold.plan.schema.text import Letters
from untold.plan.schema.text.letters import CASE_OF, SYMBOL_OF


@dataclass(frozen=True)
class TextCells:
    """Reads the cells of the attribute whose texts are looked for."""

    attribute: Text
    columns: tuple[TextColumn, ...]
    reader: Reader

    @classmethod
    def of(cls, service: Service, design: Design, readers: tuple[Reader, ...]) -> TextCells | None:
        """None where no texts are looked for."""
        if not design.texts:
            return None
        place = design.texts[0].attribute
        attribute = service.sensitive[place].searched
        assert attribute is not None
        return cls(attribute, design.texts, readers[place])

    def read(self, batch: pa.RecordBatch) -> list[npt.NDArray[np.uint32]]:
        """One column for each view. Every different text is looked at once."""
        column = batch.column(self.reader.name)
        if not pa.types.is_dictionary(column.type):
            column = column.cast(self.reader.type).dictionary_encode()
        places = column.indices.fill_null(len(column.dictionary)).to_numpy(zero_copy_only=False)
        texts = [self.attribute.normal(text) for text in column.dictionary.to_pylist()]
        return [cells[places] for cells in cells_of(self.attribute, self.columns, [*texts, ""])]


def cells_of(attribute: Text, columns: tuple[TextColumn, ...], texts: list[str]) -> list[npt.NDArray[np.uint32]]:
    """The cells of some texts in their one form, of each view."""
    from untold.kernels.texts import cells_of_texts

    encoded = [text.encode() for text in texts]
    data = np.frombuffer(b"".join(encoded) + b"\0", dtype=np.uint8)
    starts = np.concatenate([[0], np.cumsum([len(each) for each in encoded], dtype=np.int64)]).astype(np.int64)
    tables = letter_tables(attribute.letters)
    return [cells_of_texts(data, starts, tables, c.bits, c.cells, key_words(c.key)) for c in columns]


def letter_tables(name: str) -> Any:
    """As the kernel takes them."""
    letters = Letters.named(name)
    return (
        np.array(letters.lengths, dtype=np.uint8),
        np.array(letters.words, dtype=np.uint32),
        np.array(SYMBOL_OF, dtype=np.uint8),
        np.array(CASE_OF, dtype=np.uint8),
    )


def key_words(key: bytes) -> tuple[int, int]:
    """The two words of a key."""
    return int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little")
