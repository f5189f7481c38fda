/** The client over time: what it spends, what it refuses and in which words, as the Python client does. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Client, Plan, Replayed, TransientMemory, plainSlots, vectors } from "./support.js";

for (const { name, plans: texts, ceiling, steps, refused, words = [] } of vectors("client")) {
  test(name, async () => {
    const plans = await Promise.all(texts.map((text) => Plan.fromJson(text)));
    const [plan] = plans;
    const options = { rng: new Replayed(words), memory: new TransientMemory(), ...(ceiling === null ? {} : { ceiling }) };
    if (refused !== undefined) {
      assert.throws(() => new Client(plan, "u-17", options), { name: refused[0], message: refused[1] });
      return;
    }
    for (const { plan: number, user, service, rows, epoch, messages, sent_as: sentAs, refused: why, spent } of steps) {
      const client = new Client(plans[number], user, options); // a plan binds from its first step on
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
