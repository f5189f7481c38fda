"""In which epochs a device takes part: drawn once for each stretch of epochs, before any data are looked at."""

from __future__ import annotations

from untold.device.ledger import Account, adopt, over
from untold.plan import Plan
from untold.randomness import Randomness


def takes_part(account: Account, plan: Plan, epoch: int, rng: Randomness) -> bool:
    """Whether the device reports in an epoch. Draws the epochs of its stretch if that is new; the account must be kept.

    A stretch is drawn only if the lifetime covers all of it: one that ended in the middle would have fewer people in its
    later epochs than the panel says. Whether it does depends on epochs and plans alone, and so does silence. All versions
    of a plan share the stretches of a panel: drawn anew, some people would report more often than it says, and some never.
    """
    panel = plan.panel
    if panel is None:
        return True
    cycle = panel.cycle(epoch)
    name = f"{panel_name(plan)}/{cycle}"
    adopt(account.panels, name, f"{plan.id}/{cycle}")
    if name not in account.panels:
        cost = panel.report * plan.schema.fresh_nano
        if account.lifetime is not None and account.total + cost > account.lifetime:
            what = f"taking part in {panel.report} of {panel.epochs} epochs"
            raise over(what, cost, "lifetime budget", account.lifetime, account.total)
        account.panels[name] = draw_epochs(panel.epochs * cycle, panel.epochs, panel.report, rng)
    return epoch in account.panels[name]


def panel_name(plan: Plan) -> str:
    """The panel of a plan, in all of its versions that do not change it."""
    assert plan.panel is not None
    return f"{plan.name}/{plan.panel.report} of {plan.panel.epochs}"


def draw_epochs(first: int, epochs: int, report: int, rng: Randomness) -> list[int]:
    """`report` of the epochs first, ..., first + epochs - 1, each set of them as likely as any other."""
    left = list(range(first, first + epochs))
    return sorted(left.pop(rng.below(len(left))) for _ in range(report))
