"""One folder, one collector: everything that it knows, opened and closed together."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from tacit.plan import Plan
from tacit.serve.settings import HOME, Secrets, Settings, settle
from tacit.store import FolderWriter, files


class Collector:
    """Holds the folder of reports, its settings and secrets. The folder is locked while it is open: another collector,
    or `tacit perturb`, on the same folder is refused."""

    def __init__(
        self, plan: Plan, path: str | Path, user_key: str | None = None, public: Mapping[str, str] | None = None
    ) -> None:
        self.plan = plan
        self.path = Path(path)
        self.home = self.path / HOME
        self._asked = (user_key, dict(public or {}))
        self._stack = ExitStack()

    def __enter__(self) -> Collector:
        try:
            self.writer = self._stack.enter_context(FolderWriter(self.path, self.plan))
            self.writer.found()
            self.home.mkdir(mode=0o700, exist_ok=True)
            self.secrets = Secrets.load_or_make(self.home)
            self.tokens = self.secrets.tokens
            self.signed = self.secrets.sign(self.plan)
            self.settings = settle(self.plan, Settings.load(self.home), *self._asked)
            self.settings.save(self.home)
            files.sync_folder(self.path)
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def change(self, settings: Settings) -> None:
        """New settings, durable before they hold."""
        settings.save(self.home)
        self.settings = settings
