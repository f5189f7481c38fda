/** The client over time: what it spends, what it refuses and in which words, as the Python client does. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, Plan, Replayed, plainSlots, vectors } from "./support.js";

for (const { name, plan: text, ceiling, steps, refused, words = [] } of vectors("client")) {
  test(name, async () => {
    const plan = await Plan.fromJson(text);
    const options = { rng: new Replayed(words), ...(ceiling === null ? {} : { ceiling }) };
    if (refused !== undefined) {
      assert.throws(() => new Client(plan, "u-17", options), { name: refused[0], message: refused[1] });
      return;
    }
    const client = new Client(plan, "u-17", options);
    for (const { service, rows, epoch, messages, sent_as: sentAs, refused: why, spent } of steps) {
      if (why === undefined) {
        const report = await client.report(service, rows, epoch);
        assert.deepEqual(plainSlots(report?.slots ?? []), messages);
        assert.equal(report?.epoch ?? null, sentAs);
        assert.equal(report?.insecure ?? true, true);
      } else {
        await assert.rejects(client.report(service, rows, epoch), { name: why[0], message: why[1] });
      }
      assert.equal(String(await client.spentNano()), spent);
    }
  });
}
