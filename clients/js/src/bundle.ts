/** Bundles: all that one device sends in an epoch of a mixed plan, as one message of a length that the plan alone decides. The twin of untold/wire/bundle.py. */

import type { Report } from "./client.js";
import { LONGEST_TEXT } from "./contract.js";
import { BadRecord, CollectorError, UntrustedPlan } from "./errors.js";
import { Plan } from "./plan.js";
import { infoOf, seal } from "./sealing.js";
import { readSigned } from "./signature.js";
import { groupBytes, messageBytes } from "./wire.js";

const [SERVICE, COLUMN, GROUP] = ["bundles", "sealed", "by"];
const PIECE = 750; // bytes of a sealed bundle in one column of text

/** A bundle as a memory keeps it. */
export interface Bundle {
  readonly plan: string; // the id of the plan that it was made under
  readonly epoch: number;
  readonly pieces: readonly string[]; // base64
  readonly group: readonly (string | null)[]; // the values of `mix.by`
}

/** Seal the reports of all services, in the plan's order. */
export async function bundled(plan: Plan, reports: readonly Report[], epoch: number): Promise<Bundle> {
  const mix = plan.mix!;
  const group = mix.by.map((name) => textOf(name, reports.find((each) => each.public.has(name))?.public.get(name)));
  const plain = messageBytes(plan.services.map((service, i) => [service, reports[i]!.slots]));
  const sealed = await seal(plain, mix.key!, infoOf(plan.id, epoch, groupBytes(group)));
  const pieces = Array.from({ length: Math.ceil(sealed.length / PIECE) }, (_, i) => base64(sealed.subarray(PIECE * i, PIECE * (i + 1))));
  return { plan: plan.id, epoch, pieces, group };
}

/** Groups go by texts: a number could be written in several ways, and would be several groups. */
function textOf(name: string, value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" && new TextEncoder().encode(value).length <= LONGEST_TEXT) return value;
  throw new BadRecord(`public column '${name}' is in mix.by: a text of at most ${LONGEST_TEXT} bytes is needed there, or nothing.`);
}

/** What a relay says of itself: the id of the plan that its bodies name, and the epochs that are open there. */
export interface Relay {
  readonly id: string;
  readonly open: readonly number[];
}

/** The answer of a relay to GET /plan; one that mixes bundles of another plan is refused. */
export async function readRelay(text: string, plan: Plan): Promise<Relay> {
  const [envelope, open] = await enveloped(text);
  if (envelope.name !== `mix_${plan.id.slice(0, 48)}`) {
    throw new UntrustedPlan("the relay mixes bundles of another plan than the collector's. Nothing was sent.");
  }
  return { id: envelope.id, open };
}

async function enveloped(text: string): Promise<[Plan, readonly number[]]> {
  try {
    const signed = readSigned(text);
    return [await Plan.fromJson(signed.plan), signed.open];
  } catch {
    throw new CollectorError("nobody answers there as a relay does (a network's log-in page?). Nothing was sent; try again later.");
  }
}

/** The body of a request to the relay: the same bytes each time. */
export function bundleBody(relay: string, user: string | number, { epoch, pieces, group }: Bundle): string {
  const columns = [...pieces.map((piece, i) => [`${COLUMN}_${i}`, piece]), ...group.map((value, i) => [`${GROUP}_${i}`, value])];
  const shown = Object.fromEntries(columns.filter(([, value]) => value !== null));
  return JSON.stringify({ plan: relay, reports: [{ service: SERVICE, user: String(user), epoch, slots: [[0]], public: shown }] });
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
