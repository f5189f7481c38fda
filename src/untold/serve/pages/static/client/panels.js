/** In which epochs a device takes part: drawn once for each stretch of epochs, before any data are looked at. The twin of
 * untold/device/panels.py. */
/** Whether the device reports in an epoch. A stretch is drawn only if the lifetime covers all of it. All versions of a plan share the
 * stretches of a panel: drawn anew, some people would report more often than it says, and some never. */
export function takesPart(account, plan, epoch, rng) {
    const { panel } = plan;
    if (panel === null)
        return true;
    const cycle = Math.floor(epoch / panel.epochs);
    const place = ["panel", plan.name, `${panel.report} of ${panel.epochs}`, cycle];
    account.adopt(place, ["panel", plan.id, cycle]);
    if (account.get(...place) === undefined) {
        const each = plan.services.reduce((sum, service) => sum + (service.repeat === "fresh" ? service.nano : 0n), 0n);
        account.afford(`taking part in ${panel.report} of ${panel.epochs} epochs`, BigInt(panel.report) * each);
        account.set(JSON.stringify(drawEpochs(panel.epochs * cycle, panel.epochs, panel.report, rng)), ...place);
    }
    return JSON.parse(account.get(...place)).includes(epoch);
}
/** `report` of the epochs first, ..., first + epochs - 1, each set of them as likely as any other. */
function drawEpochs(first, epochs, report, rng) {
    const left = Array.from({ length: epochs }, (_, i) => first + i);
    return Array.from({ length: report }, () => left.splice(rng.below(left.length), 1)[0]).sort((a, b) => a - b);
}
