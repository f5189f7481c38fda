/** How long a report takes, and whether its duration tells truth from lie. Run by hand: node test/speed.js */

import { tilt } from "../../../src/untold/serve/pages/static/client/exact.js";
import { Dice, Randomness, Secure } from "../../../src/untold/serve/pages/static/client/randomness.js";
import { encode, placesOf } from "../../../src/untold/serve/pages/static/client/encoder.js";
import { Client, Plan, bigOf, vectors } from "./support.js";

const PERSON = { age: 2, income: 333.3, state: "WA" };

/** Microseconds for one call, on average. */
async function micros(count, work) {
  for (let i = 0; i < count / 10; i++) await work(i);
  const start = performance.now();
  for (let i = 0; i < count; i++) await work(i);
  return ((performance.now() - start) / count) * 1000;
}

/** The chance that a lie took longer than a truth (ties count half), for pairs of one duration each: 0.5 tells nothing. */
function auc(truths, lies) {
  const all = [...truths.map((t) => [t, 0]), ...lies.map((t) => [t, 1])].sort((a, b) => a[0] - b[0]);
  let [below, wins] = [0, 0];
  for (let i = 0, j; i < all.length; i = j) {
    for (j = i; j < all.length && all[j][0] === all[i][0]; ) j++;
    const group = all.slice(i, j);
    const [same, other] = [group.filter(([, lie]) => !lie).length, group.filter(([, lie]) => lie).length];
    wins += other * (below + same / 2);
    below += same;
  }
  return wins / (truths.length * lies.length);
}

/** Times `draw(rng)`, which returns the offset, many times. */
function leak(draw) {
  class Fixed extends Randomness {
    word() {
      return this.next;
    }
  }
  const [rng, source, truths, lies] = [new Fixed(), new Secure(), [], []];
  for (let i = 0; i < 100_000; i++) {
    rng.next = source.word();
    const start = process.hrtime.bigint();
    const offset = draw(rng);
    const took = Number(process.hrtime.bigint() - start);
    if (i >= 20_000) (offset === 0 ? truths : lies).push(took);
  }
  return auc(truths, lies);
}

const plan = await Plan.fromJson(vectors("reports")[0].plan);
const service = plan.service("users");
const places = [placesOf(service, PERSON)];
console.log(`reading the plan (${service.design.views.length} views): ${(await micros(50, () => Plan.fromJson(plan.text))).toFixed(0)} us`);
console.log(`encoding: ${(await micros(20000, () => encode(service, places, new Secure()))).toFixed(1)} us`);
console.log(`a report, with digest and memory: ${(await micros(5000, (i) => new Client(plan, i).report("users", PERSON))).toFixed(1)} us`);

const [heavy, light] = tilt(10n ** 9n, 10n, 2n ** 64n - 1n); // GRR, 10 cells, epsilon 1
const dice = new Dice(heavy, light, 10, 1);
console.log(`truth told from lie by duration, fixed steps: ${leak((rng) => rng.tilted(dice).offset).toFixed(3)} (0.5: not at all)`);
const branching = (rng) => {
  const word = bigOf(rng.word());
  return word < heavy ? 0 : 1 + Number((word - heavy) / light);
};
console.log(`the same for a branch and BigInt: ${leak(branching).toFixed(3)}`);
