/** A device whose reports are mixed: one sealed bundle an epoch, through a relay, for a collector that never sees who sent it. */

import { type Bundle, type Relay, bundleBody, bundled, readRelay } from "./bundle.js";
import type { Client, Report } from "./client.js";
import type { Row } from "./encoder.js";
import { BadRecord, CollectorError } from "./errors.js";
import { askPlan, root } from "./http.js";
import type { Plan } from "./plan.js";
import { enqueueAs, queued } from "./queue.js";
import { type SendOptions, type Sent, sendAll } from "./sending.js";
import type { SignedPlan } from "./signature.js";
import { type DeviceOptions, follow } from "./trust.js";

const NOBODY = "0".repeat(64); // the id of no plan

/** A row or rows for every service; somebody who has nothing in a service with many rows may leave it out. Services that the plan does not
 * have are left out, too. */
export type AllRows = Readonly<Record<string, Row | readonly Row[]>>;

/** The twin of untold.MixedClient. */
export class MixedDevice {
  private constructor(
    readonly url: string, // the collector's: its signed plan is read there, nothing is sent to it
    readonly relay: string,
    readonly client: Client,
    readonly signed: SignedPlan,
    private readonly options: DeviceOptions,
  ) {}

  /**
   * Fetch the collector's signed plan, or take the last one when it is away. Refused are, beside what `Device` refuses, a plan that is not
   * mixed, that names no key, or that promises fewer people than `people`, or than before. `user` and `token` are those at the relay.
   */
  static async connect(url: string, relay: string, options: DeviceOptions): Promise<MixedDevice> {
    const base = root(url);
    const { client, signed } = await follow(base, options, true);
    return new MixedDevice(base, root(relay), client, signed, options);
  }

  get plan(): Plan {
    return this.client.plan;
  }

  /** The epochs that the relay takes bundles of; a relay of another plan is refused. */
  async openEpochs(): Promise<readonly number[]> {
    return (await this.ask()).open;
  }

  /**
   * Make the bundle of an epoch from the rows of all services: drawn, paid for, sealed and queued in one step. The same epoch again is the
   * same bytes, whatever the rows are by then. False in an epoch of a panel that is not this device's.
   */
  async report(rows: AllRows, epoch: number): Promise<boolean> {
    const { client, plan } = this;
    const needed = plan.services.filter((each) => each.rows === null && !Object.hasOwn(rows, each.name)).map(({ name }) => name);
    if (needed.length > 0) {
      throw new BadRecord(
        `a bundle has rows of every service (${plan.services.map(({ name }) => name).join(", ")}); missing: ${needed.join(", ")}.\n` +
          "Hint: they have exactly one row per person.",
      );
    }
    for (const { name } of plan.services) if (!(await client.takesPart(name, epoch))) return false;
    return client.memory.exclusive(async (items) => {
      const place = `${JSON.stringify(String(client.user))}/sealed/${JSON.stringify([plan.id, epoch])}`;
      let kept = items.get(place);
      if (kept === undefined) {
        const reports = [];
        for (const { name } of plan.services) reports.push(await client.reportInto(items, name, Object.hasOwn(rows, name) ? rows[name]! : [], epoch));
        if (reports.some((each) => each.insecure)) throw new BadRecord("reports that were drawn with a seed protect nobody, and are not sent.");
        kept = JSON.stringify(await bundled(plan, reports, epoch));
        items.set(place, kept);
      }
      enqueueAs(items, this.relay, client.user, [plan.id, "bundles", epoch], kept);
      return true;
    });
  }

  /** An example of what the bundle would hold of one service's rows, for the person to see; costs nothing and sends nothing. */
  preview(service: string, rows: Row | readonly Row[], epoch: number): Promise<Report | null> {
    return this.client.preview(service, rows, epoch);
  }

  /** Send what waits to the relay. While the relay is away, or somebody else answers in its place, everything stays in the memory. */
  async send(options: SendOptions = {}): Promise<Sent> {
    const { client, relay } = this;
    const waiting = await client.memory.exclusive(async (items) => queued(items, relay, client.user));
    if (waiting.length === 0 || !(await this.isKnown())) return { counted: 0, repeated: 0, refused: [], waiting: waiting.length };
    const ids = await client.memory.exclusive(async (items) => new Map(items.keys().map((key) => [key, items.get(key)!])));
    const way = { url: relay, user: client.user, token: this.options.token, fetch: this.options.fetch };
    return sendAll(client.memory, way, options, (kept) => {
      const bundle = JSON.parse(kept) as Bundle;
      return bundleBody(ids.get(this.place(bundle.plan)) ?? NOBODY, client.user, bundle); // of a plan that the relay has left: it says so
    });
  }

  /** Whether the relay has said by which id it knows this plan. It is asked once. */
  private async isKnown(): Promise<boolean> {
    const { memory } = this.client;
    if ((await memory.exclusive(async (items) => items.get(this.place(this.plan.id)))) !== undefined) return true;
    try {
      const { id } = await this.ask();
      await memory.exclusive(async (items) => items.set(this.place(this.plan.id), id));
      return true;
    } catch (error) {
      if (error instanceof CollectorError) return false;
      throw error;
    }
  }

  private place(planId: string): string {
    return `relay ${this.relay} of ${planId}`;
  }

  private async ask(): Promise<Relay> {
    return readRelay(await askPlan(this.relay, this.options.fetch), this.plan);
  }
}
