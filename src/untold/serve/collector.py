"""A collector: reports of one plan are taken, kept in a storage, and read as segments. Opens and closes all of it together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from time import monotonic, time
from types import TracebackType

from untold.errors import StoreError, UntoldError
from untold.plan import Plan
from untold.serve.committer import Committer
from untold.serve.events import note
from untold.serve.metrics import Counts
from untold.serve.reports.blocks import Reader, layouts_of
from untold.serve.reports.forget import Forgotten
from untold.serve.reports.jobs import Away, LogLimits, Outcome
from untold.serve.reports.segment_rows import SegmentShape
from untold.serve.settings import Secrets, Settings
from untold.serve.storage import Storage
from untold.store import Folder
from untold.store.bucket import is_bucket
from untold.wire.signing import SignedPlan
from untold.wire.tokens import Tokens


class Collector:
    """Reports of one plan, the settings and secrets with which they are taken, and the folder in which analysts read them."""

    def __init__(
        self,
        storage: Storage,
        user_key: str | None = None,
        public: Mapping[str, str] | None = None,
        enrol: bool = False,
    ) -> None:
        self.storage, self.enrol, self.counts = storage, enrol, Counts()
        self.plan, self.committer = storage.plan, Committer(storage, self.counts)
        self.leave: Callable[[Collection[str]], Forgotten] = self._leave  # a relay has batches to look after, too
        self.least = None if storage.plan.schema.mix is None else storage.plan.schema.mix.people  # people of a batch
        self._offered = False
        self._signed: tuple[Secrets, SignedPlan] | None = None
        self._asked, self._stack = (user_key, dict(public or {})), ExitStack()

    def __enter__(self) -> Collector:
        began = monotonic()
        try:
            self._stack.callback(self.storage.close)
            self._stack.callback(self.committer.stop)
            self._stack.callback(self.storage.stop)
            self.storage.open(self._asked)
            settings, secrets = self.storage.settings, self.storage.secrets
            self.analysts = self.storage.analysts
            self.layouts = layouts_of(self.plan, settings.user_key, settings.public)
            self.reader = Reader(self.plan.id, self.layouts, secrets.index_key)
            shapes = tuple(SegmentShape.of(self.plan, each) for each in self.layouts)
            found = self.storage.begin(self.committer, self.reader, shapes)
            self.committer.start()
        except BaseException:
            self._stack.close()
            raise
        note("started", plan=self.plan.id, **found, seconds=round(monotonic() - began, 3))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._stack.close()
        finally:
            note("stopped", failed=self.error is not None)

    def offer(self) -> SignedPlan:
        """The signed plan, for whoever asks for it."""
        if not self.settings.is_of(self.plan):
            raise Away
        if not self._offered:
            self.storage.offered()
            self._offered = True
        return self.signed

    def holds(self, role: str, token: str) -> bool:
        """Whether a token is one of a role, at this moment."""
        return self.storage.access.now.holds(role, token, self.tokens, time())

    def may_report(self, kind: str, user: str, token: str) -> bool:
        """Whether a token is the one of a user whose devices may report."""
        devices = self.storage.access.now.devices
        if devices and self.storage.secrets.device_mark(user) in devices:
            return False
        return self.tokens.is_device(kind, user, token)

    @property
    def tokens(self) -> Tokens:
        """Makes and checks tokens."""
        return self.storage.secrets.tokens

    @property
    def signed(self) -> SignedPlan:
        """The plan, signed by the key of now."""
        secrets = self.storage.secrets
        if self._signed is None or self._signed[0] is not secrets:
            self._signed = secrets, secrets.sign(self.plan)
        return self._signed[1]

    @property
    def path(self) -> Path:
        """Where segments are read."""
        return self.storage.path

    @property
    def settings(self) -> Settings:
        """How it is set up, by now."""
        return self.storage.settings

    @property
    def segments(self) -> int:
        """How many segments count, as far as this collector has seen."""
        return self.storage.segments

    @property
    def error(self) -> BaseException | None:
        """Why it stopped to take reports, if it did. A database that is away for a while is no reason."""
        return self.committer.error

    @property
    def ready(self) -> bool:
        """Whether it takes reports just now: a proxy sends them to another one meanwhile."""
        return self.error is None and self.storage.answers

    def flush(self) -> Future[Outcome]:
        """Turn what was acknowledged into segments; done when the manifest lists them."""
        return self.storage.flush()

    def open_epoch(self, epoch: int, start: date | None = None) -> Future[Outcome]:
        """Let reports of one more epoch in, which begins on a day: durable before it holds."""
        return self.storage.change_epoch(epoch, Settings.opened, start)

    def close_epoch(self, epoch: int) -> Future[Outcome]:
        """Let no more reports of an epoch in, ever: durable before it holds, and complete when the future is done."""
        return self.storage.change_epoch(epoch, Settings.shut)

    def people_in(self, epoch: int) -> int:
        """How many have reported in an epoch."""
        self.flush().result()
        folder = Folder.open(self.path)
        return max(folder.users(service, epoch) for service in self.plan.services)

    def forget_epochs(self, epochs: Sequence[int]) -> Future[Outcome]:
        """Remove all that is stored of closed epochs: reports, and who sent them. For good."""
        return self.storage.forget_epochs(epochs)

    def forget_people(self, people: Collection[str]) -> Forgotten:
        """Remove all reports of some people. What they have spent stays spent."""
        return self.leave(people)

    def _leave(self, people: Collection[str]) -> Forgotten:
        if self.plan.schema.mix is not None:
            raise StoreError(
                "reports of this plan are mixed: they have no user key here, and nobody can tell whose they are.\n"
                "Hint: have the relay's operator forget people: untold serve forget USER --data RELAY."
            )
        return self.storage.forget_people(people).result()


def collector_over(
    plan: Plan,
    data: str | Path,
    ledger: str | None = None,
    user_key: str | None = None,
    public: Mapping[str, str] | None = None,
    limits: LogLimits | None = None,
    enrol: bool = False,
) -> Collector:
    """`data` is where segments go; acknowledged reports are there as well, or in the database that `ledger` names."""
    return Collector(storage_over(plan, data, ledger, limits or LogLimits()), user_key, public, enrol)


def storage_over(plan: Plan, data: str | Path, ledger: str | None, limits: LogLimits) -> Storage:
    """A folder of its own, or a database that is shared with others."""
    if ledger is None:
        if is_bucket(str(data)):
            raise UntoldError(
                f"--data {data}: segments in a bucket need --ledger postgresql://..., where reports are first."
            )
        from untold.serve.folder.storage import FolderStorage

        return FolderStorage(plan, data, limits)

    from untold.serve.postgres.connection import is_database
    from untold.serve.postgres.storage import PostgresStorage

    if not is_database(ledger):
        raise UntoldError(f"--ledger {ledger}: an address such as postgresql://user@host/database is needed.")
    return PostgresStorage(plan, data, ledger, limits)
