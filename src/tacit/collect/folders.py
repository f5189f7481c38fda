"""Whether a folder of reports may take more of them."""

from __future__ import annotations

from tacit.collect.columns import Reader
from tacit.collect.keys import refuse_other_key_type
from tacit.errors import BudgetExceeded
from tacit.exact import NANO
from tacit.store import FolderWriter


def check_folder(writer: FolderWriter, service: str, epoch: int, key: Reader) -> None:
    """People must be named as they were before, and nobody may be asked for more than a lifetime's epsilon."""
    if writer.manifest.segments:
        refuse_other_key_type(writer.path / writer.manifest.segments[0].file, key)
    refuse_beyond_lifetime(writer, service, epoch)


def refuse_beyond_lifetime(writer: FolderWriter, service: str, epoch: int) -> None:
    """Every epoch draws fresh noise here, so what a person may spend in all bounds how many there can be in a folder."""
    schema, collected = writer.plan.schema, {(s.service, s.epoch) for s in writer.manifest.segments}
    spent = sum(schema.budget.service_nano(name) for name, _ in collected | {(service, epoch)})
    if schema.lifetime_nano is not None and spent > schema.lifetime_nano:
        raise BudgetExceeded(
            f"epoch {epoch} of '{service}' would bring what a person of this folder spends to epsilon {spent / NANO:g}, "
            f"beyond the plan's lifetime of {schema.lifetime_nano / NANO:g}. Nothing was collected."
        )
