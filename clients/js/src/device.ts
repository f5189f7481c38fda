/** A client that fetches its plan from a collector and sends its reports there: over HTTP, offline for days if need be. */

import type { Client, Report } from "./client.js";
import type { Row } from "./encoder.js";
import { post, root } from "./http.js";
import type { Plan } from "./plan.js";
import { enqueue } from "./queue.js";
import { type SendOptions, type Sent, sendAll } from "./sending.js";
import type { SignedPlan } from "./signature.js";
import { type DeviceOptions, follow } from "./trust.js";
import { toJson } from "./wire.js";

export class Device {
  private readonly unsent = new Set<string>(); // bodies that this object has made, until they are seen to be sent

  private constructor(
    readonly url: string,
    readonly client: Client,
    readonly signed: SignedPlan,
    private readonly options: DeviceOptions,
  ) {}

  /**
   * Fetch the signed plan (or take the one in the memory when the collector cannot be reached), and refuse it if another key signed it,
   * if it was changed, if it asks for more than `ceiling`, or if its reports are to be mixed: that is for `MixedDevice`.
   */
  static async connect(url: string, options: DeviceOptions): Promise<Device> {
    const base = root(url);
    const { client, signed } = await follow(base, options, false);
    return new Device(base, client, signed, options);
  }

  get plan(): Plan {
    return this.client.plan;
  }

  /** The newest epoch that the collector had open when it was asked. */
  get epoch(): number {
    return Math.max(...this.signed.open, 0);
  }

  /** Make a report and keep it until it is sent: in one step, so that none is paid for and lost. Null in epochs that are not this device's. */
  async report(service: string, rows: Row | readonly Row[], epoch = this.epoch): Promise<Report | null> {
    if (!(await this.client.takesPart(service, epoch))) return null;
    return this.client.counted(service, epoch, async (items) => {
      const report = await this.client.reportInto(items, service, rows, epoch);
      enqueue(items, this.url, report, this.body(report));
      return report;
    }).then((report) => {
      this.unsent.add(this.body(report)); // on disk by now
      return report;
    });
  }

  /** An example of what `report` would send of these rows, for the person to see; costs nothing and sends nothing. */
  preview(service: string, rows: Row | readonly Row[], epoch = this.epoch): Promise<Report | null> {
    return this.client.preview(service, rows, epoch);
  }

  /** What is sent for a report: the JSON text. */
  body(report: Report): string {
    return toJson(this.plan, [report]);
  }

  /** Send everything that waits. A report leaves the memory when the collector has it on disk, or will never take it. */
  async send(options: SendOptions = {}): Promise<Sent> {
    const { client, url } = this;
    const sent = await sendAll(client.memory, { url, user: client.user, token: this.options.token, fetch: this.options.fetch }, options);
    if (sent.waiting === 0) this.unsent.clear();
    return sent;
  }

  /**
   * For a page that is left (`pagehide`), where nothing can be waited for: hands the reports that this object has made to the browser,
   * which sends them after the page has gone. They stay in the memory until `send` has seen an answer, and count once however often they
   * are sent. A report must be made before: its memory is on disk first, and a page that is left has no time for that. How many there are.
   */
  leave(): number {
    for (const body of this.unsent) void post(this.url, this.options.token, body, this.options.fetch);
    return this.unsent.size;
  }
}
