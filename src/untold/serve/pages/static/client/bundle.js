/** Bundles: all that one device sends in an epoch of a mixed plan, as one message of a length that the plan alone decides. The twin of untold/wire/bundle.py. */
import { LONGEST_TEXT } from "./contract.js";
import { BadRecord, CollectorError, UntrustedPlan } from "./errors.js";
import { Plan } from "./plan.js";
import { infoOf, seal } from "./sealing.js";
import { readSigned } from "./signature.js";
import { groupBytes, messageBytes } from "./wire.js";
const [SERVICE, COLUMN, GROUP] = ["bundles", "sealed", "by"];
const PIECE = 750; // bytes of a sealed bundle in one column of text
/** Seal the reports of all services, in the plan's order. */
export async function bundled(plan, reports, epoch) {
    const mix = plan.mix;
    const group = mix.by.map((name) => textOf(name, reports.find((each) => each.public.has(name))?.public.get(name)));
    const plain = messageBytes(plan.services.map((service, i) => [service, reports[i].slots]));
    const sealed = await seal(plain, mix.key, infoOf(plan.id, epoch, groupBytes(group)));
    const pieces = Array.from({ length: Math.ceil(sealed.length / PIECE) }, (_, i) => base64(sealed.subarray(PIECE * i, PIECE * (i + 1))));
    return { plan: plan.id, epoch, pieces, group };
}
/** Groups go by texts: a number could be written in several ways, and would be several groups. */
function textOf(name, value) {
    if (value === null || value === undefined)
        return null;
    if (typeof value === "string" && new TextEncoder().encode(value).length <= LONGEST_TEXT)
        return value;
    throw new BadRecord(`public column '${name}' is in mix.by: a text of at most ${LONGEST_TEXT} bytes is needed there, or nothing.`);
}
/** The answer of a relay to GET /plan; one that mixes bundles of another plan is refused. */
export async function readRelay(text, plan) {
    const [envelope, open] = await enveloped(text);
    if (envelope.name !== `mix_${plan.id.slice(0, 48)}`) {
        throw new UntrustedPlan("the relay mixes bundles of another plan than the collector's. Nothing was sent.");
    }
    return { id: envelope.id, open };
}
async function enveloped(text) {
    try {
        const signed = readSigned(text);
        return [await Plan.fromJson(signed.plan), signed.open];
    }
    catch {
        throw new CollectorError("nobody answers there as a relay does (a network's log-in page?). Nothing was sent; try again later.");
    }
}
/** The body of a request to the relay: the same bytes each time. */
export function bundleBody(relay, user, { epoch, pieces, group }) {
    const columns = [...pieces.map((piece, i) => [`${COLUMN}_${i}`, piece]), ...group.map((value, i) => [`${GROUP}_${i}`, value])];
    const shown = Object.fromEntries(columns.filter(([, value]) => value !== null));
    return JSON.stringify({ plan: relay, reports: [{ service: SERVICE, user: String(user), epoch, slots: [[0]], public: shown }] });
}
function base64(bytes) {
    return btoa(String.fromCharCode(...bytes));
}
