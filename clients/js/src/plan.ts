/** A frozen plan, format 3 or 2: what is declared and how reports are made. The twin of untold/plan, without the compiler. */

import { type Attribute, Each, Public, type Sensitive, isTotal, readAttribute, searched } from "./attributes.js";
import { type Design, covers, readDesign } from "./designs.js";
import { BadRecord, PlanError } from "./errors.js";
import { toNano } from "./exact.js";
import { Fields } from "./fields.js";
import { opensForAnybody } from "./sealing.js";
import { sha256 } from "./webcrypto.js";

const FORMATS: readonly unknown[] = [2, 3];
const MAX_VERSION = 10 ** 6;
const MAX_EPSILON = 30;
const MAX_LIFETIME = 1e6;
const MAX_ROWS = 2 ** 31 - 1;
const MAX_PANEL = 10_000;
const MOST_PEOPLE = 1e9;
const MAX_SLOTS = 2 ** 15 - 1;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/** Zero to `max` rows of one person, of which always `report` reports are made; for every value of an `each` attribute where there is one. */
export interface Rows {
  readonly max: number;
  readonly report: number;
}

/** Each person takes part in `report` of every `epochs` epochs. */
export interface Panel {
  readonly epochs: number;
  readonly report: number;
}

/** A relay mixes the bundles of at least `people` people (for each value of the columns `by`) before the collector sees any. */
export interface Mix {
  readonly people: number;
  readonly delta: number;
  readonly by: readonly string[];
  readonly key: string | null; // to which bundles are sealed, 64 hex
}

/** How reports repeat from epoch to epoch: a new draw that costs, one report for all epochs, or the same report for the same value. */
export type Repeat = (typeof REPEATS)[number];
const REPEATS = ["fresh", "once", "changes"] as const;
export const ONCE_EPOCH = 0; // where a report that belongs to no epoch is stored

/** One table of the organisation, as its users' devices report it. */
export interface Service {
  readonly name: string;
  readonly number: number; // place in the plan
  readonly attributes: readonly Attribute[];
  readonly sensitive: readonly Sensitive[];
  readonly public: readonly Public[];
  readonly each: Each | null; // the attribute whose every value is reported about, slot after slot
  readonly rows: Rows | null; // null: exactly one row per person
  readonly total: boolean; // whether no rows are refused, whatever they hold and however many there are
  readonly slots: number; // reports of one person in one epoch, whatever the data
  readonly repeat: Repeat;
  readonly mechanism: string; // SHA-256 of what decides how its reports are drawn, in whatever version of the plan
  readonly nano: bigint; // what all slots together may cost, in billionths of epsilon
  readonly design: Design;
}

/** Everything that a device needs, checked: a plan whose reports could cost more than it says does not get through. */
export class Plan {
  private constructor(
    readonly id: string, // SHA-256 of the frozen text
    readonly text: string,
    readonly name: string,
    readonly userKey: string,
    readonly epsilon: number,
    readonly nano: bigint,
    readonly lifetimeNano: bigint, // over all epochs
    readonly panel: Panel | null, // null: everybody takes part in every epoch
    readonly mix: Mix | null, // null: devices report to the collector itself
    readonly services: readonly Service[],
    readonly version: number, // of the plans of this name
  ) {}

  /** Read the frozen form, as `plan.to_json()` writes it in Python. */
  static async fromJson(text: string): Promise<Plan> {
    const root = Fields.of(parsed(text), "plan");
    const version = root.value("format");
    if (!FORMATS.includes(version)) {
      throw new PlanError(`frozen in format ${JSON.stringify(version)}, this version of untold-client reads formats ${FORMATS.join(" and ")}; update it.`);
    }
    const declared = root.inner("declared");
    const epsilon = declared.number("epsilon", 1e-9, MAX_EPSILON);
    const nano = toNano(epsilon);
    const lifetimeNano = declared.has("lifetime") ? toNano(declared.number("lifetime", epsilon, MAX_LIFETIME)) : nano;
    const panel = declared.has("panel") ? readPanel(declared.inner("panel")) : null;
    const mix = declared.has("mix") ? readMix(declared.inner("mix")) : null;
    const number = declared.has("version") ? declared.whole("version", 1, MAX_VERSION) : 1;
    const all = declared.inner("services");
    const read = identifiers(all).map((name, number) => readService(name, number, all.inner(name), root));
    const services = await Promise.all(read.map(async (each) => ({ ...each, mechanism: await mechanismOf(each.name, root) })));
    if (services.length === 0) all.fail("no services");
    const total = services.reduce((sum, service) => sum + service.nano, 0n);
    if (total > nano) root.fail(`its services cost ${total} nano-epsilon together, it declares ${nano}`);
    if (mix !== null) checkMix(declared, mix, services);
    return new Plan(await sha256(text), text, declared.text("name"), declared.text("user_key"), epsilon, nano, lifetimeNano, panel, mix, services, number);
  }

  /** The service of this name. */
  service(name: string): Service {
    const found = this.services.find((each) => each.name === name);
    if (found === undefined) {
      throw new BadRecord(`plan '${this.name}' has no service '${name}'. It has: ${this.services.map((each) => each.name).join(", ")}.`);
    }
    return found;
  }

  /** What of a lifetime belongs to a service that repeats `changes`: the same share of it as of an epoch. */
  asideNano(service: Service, lifetime: bigint): bigint {
    const cost = (once: boolean): bigint => this.services.reduce((sum, each) => sum + ((each.repeat === "once") === once ? each.nano : 0n), 0n);
    const left = lifetime - cost(true);
    return left > 0n ? (left * service.nano) / cost(false) : 0n;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PlanError(`not a frozen plan: ${(error as Error).message}; make one with \`untold plan show --json\`.`);
  }
}

/** The names in an object: such as can be written in SQL without quotes. */
function identifiers(fields: Fields): string[] {
  const odd = fields.names().find((name) => !IDENTIFIER.test(name));
  return odd === undefined ? fields.names() : fields.fail(`${JSON.stringify(odd)} is not a plain SQL name`);
}

function readService(name: string, number: number, declared: Fields, root: Fields): Omit<Service, "mechanism"> {
  const listed = declared.inner("attributes");
  const attributes = identifiers(listed).map((each) => readAttribute(each, listed.inner(each)));
  const sensitive = attributes.filter((each): each is Sensitive => each.role === "sensitive");
  const published = attributes.filter((each): each is Public => each.role === "public");
  const [each = null, ...others] = attributes.filter((each): each is Each => each.role === "each");
  const rows = declared.has("rows_per_user") ? readRows(declared.inner("rows_per_user")) : null;
  if (rows !== null && published.length > 0) declared.fail("public columns would tell whether a person has rows");
  if (others.length > 0 || (each !== null && rows === null)) declared.fail("one attribute of kind each at most, and only with rows_per_user");
  const slots = (rows?.report ?? 1) * (each?.values.length ?? 1);
  if (slots > MAX_SLOTS) declared.fail(`${slots} reports of one person are more than ${MAX_SLOTS}`);
  const repeat = declared.has("repeat") ? declared.choice("repeat", REPEATS) : "fresh";
  const design = readDesign(root.inner("designs").inner(name));
  const slotNano = root.inner("budget").big(name);
  if (design.nano > slotNano) declared.fail(`a report would cost ${design.nano} nano-epsilon, its budget is ${slotNano}`);
  if (!fits(sensitive, rows, design)) declared.fail("its design is made for other attributes than it declares");
  const total = [...sensitive, ...(each === null ? [] : [each])].every(isTotal);
  return { name, number, attributes, sensitive, public: published, each, rows, total, slots, repeat, nano: slotNano * BigInt(slots), design };
}

/** The plan's name, the columns that are perturbed, the rows, the cost and the design. Other services and public columns do not count. */
async function mechanismOf(name: string, root: Fields): Promise<string> {
  const declared = root.inner("declared").inner("services").inner(name);
  const columns = declared.inner("attributes");
  const secret = columns.names().filter((each) => columns.inner(each).text("kind") !== "public");
  const design = root.inner("designs").inner(name);
  const drawn = [
    root.inner("declared").text("name"),
    name,
    secret.map((each) => [each, columns.value(each)]),
    declared.has("rows_per_user") ? declared.value("rows_per_user") : null,
    root.inner("budget").text(name),
    design.names().filter((each) => each !== "notes").map((each) => [each, design.value(each)]),
  ];
  return sha256(JSON.stringify(drawn));
}

function readPanel(declared: Fields): Panel {
  const epochs = declared.whole("epochs", 2, MAX_PANEL);
  return { epochs, report: declared.whole("report", 1, epochs - 1) };
}

function readMix(declared: Fields): Mix {
  const by = declared.has("by") ? declared.list("by") : [];
  const key = declared.has("key") ? declared.text("key") : null;
  if (!by.every((name): name is string => typeof name === "string") || new Set(by).size < by.length) declared.fail("'by' must be different names");
  if (key !== null && !/^[0-9a-f]{64}$/.test(key)) declared.fail("'key' must be 64 digits of hex");
  if (key !== null && opensForAnybody(key)) declared.fail("'key' seals to nobody: anybody could open it");
  return { people: declared.whole("people", 2, MOST_PEOPLE), delta: declared.number("delta", Number.MIN_VALUE, 1), by: by as string[], key };
}

/** What would tell the bundles of one person, or of few, from the rest. */
function checkMix(declared: Fields, mix: Mix, services: readonly Service[]): void {
  if (services.some((each) => each.repeat !== "fresh")) declared.fail("mixed reports that are not drawn anew link epochs");
  const names = services.flatMap((each) => each.public.map(({ name }) => name));
  if (names.some((name) => !mix.by.includes(name)) || mix.by.some((name) => names.filter((each) => each === name).length !== 1)) {
    declared.fail("public columns tell mixed reports apart, unless `mix.by` names them, each of one service");
  }
}

function readRows(declared: Fields): Rows {
  const max = declared.whole("max", 1, MAX_ROWS);
  return { max, report: declared.whole("report", 1, max) };
}

/** Whether a design has one tree for each attribute, of its size, and uses the hidden weight exactly where rows are sampled. */
function fits(sensitive: readonly Sensitive[], rows: Rows | null, design: Design): boolean {
  const sizes = design.trees.slice(0, design.attributes).map((tree) => tree.size);
  const weighted = design.hidden || design.derived.some((each) => each.kind === "weighted-round");
  return (
    sensitive.length > 0 &&
    design.attributes === sensitive.length &&
    sensitive.every((each, i) => each.size === sizes[i]) &&
    weighted === (rows !== null) &&
    (!design.hidden || design.trees.at(-1)!.padded >= 2) &&
    design.derived.every((each) => each.kind !== "text" || searched(sensitive[each.attribute]) !== null) &&
    design.derived.every((each, i) => each.size === sizes[each.attribute] && covers(each, design.trees[design.attributes + i]!))
  );
}
