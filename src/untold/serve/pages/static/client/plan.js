/** A frozen plan, format 3 or 2: what is declared and how reports are made. The twin of untold/plan, without the compiler. */
import { Each, Public, isTotal, readAttribute, searched } from "./attributes.js";
import { covers, readDesign } from "./designs.js";
import { BadRecord, PlanError } from "./errors.js";
import { toNano } from "./exact.js";
import { Fields } from "./fields.js";
import { opensForAnybody } from "./sealing.js";
import { sha256 } from "./webcrypto.js";
const FORMATS = [2, 3];
const MAX_VERSION = 10 ** 6;
const MAX_EPSILON = 30;
const MAX_LIFETIME = 1e6;
const MAX_ROWS = 2 ** 31 - 1;
const MAX_PANEL = 10_000;
const MOST_PEOPLE = 1e9;
const MAX_SLOTS = 2 ** 15 - 1;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;
const REPEATS = ["fresh", "once", "changes"];
export const ONCE_EPOCH = 0; // where a report that belongs to no epoch is stored
/** Everything that a device needs, checked: a plan whose reports could cost more than it says does not get through. */
export class Plan {
    id;
    text;
    name;
    userKey;
    epsilon;
    nano;
    lifetimeNano;
    panel;
    mix;
    services;
    version;
    constructor(id, // SHA-256 of the frozen text
    text, name, userKey, epsilon, nano, lifetimeNano, // over all epochs
    panel, // null: everybody takes part in every epoch
    mix, // null: devices report to the collector itself
    services, version) {
        this.id = id;
        this.text = text;
        this.name = name;
        this.userKey = userKey;
        this.epsilon = epsilon;
        this.nano = nano;
        this.lifetimeNano = lifetimeNano;
        this.panel = panel;
        this.mix = mix;
        this.services = services;
        this.version = version;
    }
    /** Read the frozen form, as `plan.to_json()` writes it in Python. */
    static async fromJson(text) {
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
        if (services.length === 0)
            all.fail("no services");
        const total = services.reduce((sum, service) => sum + service.nano, 0n);
        if (total > nano)
            root.fail(`its services cost ${total} nano-epsilon together, it declares ${nano}`);
        if (mix !== null)
            checkMix(declared, mix, services);
        return new Plan(await sha256(text), text, declared.text("name"), declared.text("user_key"), epsilon, nano, lifetimeNano, panel, mix, services, number);
    }
    /** The service of this name. */
    service(name) {
        const found = this.services.find((each) => each.name === name);
        if (found === undefined) {
            throw new BadRecord(`plan '${this.name}' has no service '${name}'. It has: ${this.services.map((each) => each.name).join(", ")}.`);
        }
        return found;
    }
    /** What of a lifetime belongs to a service that repeats `changes`: the same share of it as of an epoch. */
    asideNano(service, lifetime) {
        const cost = (once) => this.services.reduce((sum, each) => sum + ((each.repeat === "once") === once ? each.nano : 0n), 0n);
        const left = lifetime - cost(true);
        return left > 0n ? (left * service.nano) / cost(false) : 0n;
    }
}
function parsed(text) {
    try {
        return JSON.parse(text);
    }
    catch (error) {
        throw new PlanError(`not a frozen plan: ${error.message}; make one with \`untold plan show --json\`.`);
    }
}
/** The names in an object: such as can be written in SQL without quotes. */
function identifiers(fields) {
    const odd = fields.names().find((name) => !IDENTIFIER.test(name));
    return odd === undefined ? fields.names() : fields.fail(`${JSON.stringify(odd)} is not a plain SQL name`);
}
function readService(name, number, declared, root) {
    const listed = declared.inner("attributes");
    const attributes = identifiers(listed).map((each) => readAttribute(each, listed.inner(each)));
    const sensitive = attributes.filter((each) => each.role === "sensitive");
    const published = attributes.filter((each) => each.role === "public");
    const [each = null, ...others] = attributes.filter((each) => each.role === "each");
    const rows = declared.has("rows_per_user") ? readRows(declared.inner("rows_per_user")) : null;
    if (rows !== null && published.length > 0)
        declared.fail("public columns would tell whether a person has rows");
    if (others.length > 0 || (each !== null && rows === null))
        declared.fail("one attribute of kind each at most, and only with rows_per_user");
    const slots = (rows?.report ?? 1) * (each?.values.length ?? 1);
    if (slots > MAX_SLOTS)
        declared.fail(`${slots} reports of one person are more than ${MAX_SLOTS}`);
    const repeat = declared.has("repeat") ? declared.choice("repeat", REPEATS) : "fresh";
    const design = readDesign(root.inner("designs").inner(name));
    const slotNano = root.inner("budget").big(name);
    if (design.nano > slotNano)
        declared.fail(`a report would cost ${design.nano} nano-epsilon, its budget is ${slotNano}`);
    if (!fits(sensitive, rows, design))
        declared.fail("its design is made for other attributes than it declares");
    const total = [...sensitive, ...(each === null ? [] : [each])].every(isTotal);
    return { name, number, attributes, sensitive, public: published, each, rows, total, slots, repeat, nano: slotNano * BigInt(slots), design };
}
/** The plan's name, the columns that are perturbed, the rows, the cost and the design. Other services and public columns do not count. */
async function mechanismOf(name, root) {
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
function readPanel(declared) {
    const epochs = declared.whole("epochs", 2, MAX_PANEL);
    return { epochs, report: declared.whole("report", 1, epochs - 1) };
}
function readMix(declared) {
    const by = declared.has("by") ? declared.list("by") : [];
    const key = declared.has("key") ? declared.text("key") : null;
    if (!by.every((name) => typeof name === "string") || new Set(by).size < by.length)
        declared.fail("'by' must be different names");
    if (key !== null && !/^[0-9a-f]{64}$/.test(key))
        declared.fail("'key' must be 64 digits of hex");
    if (key !== null && opensForAnybody(key))
        declared.fail("'key' seals to nobody: anybody could open it");
    return { people: declared.whole("people", 2, MOST_PEOPLE), delta: declared.number("delta", Number.MIN_VALUE, 1), by: by, key };
}
/** What would tell the bundles of one person, or of few, from the rest. */
function checkMix(declared, mix, services) {
    if (services.some((each) => each.repeat !== "fresh"))
        declared.fail("mixed reports that are not drawn anew link epochs");
    const names = services.flatMap((each) => each.public.map(({ name }) => name));
    if (names.some((name) => !mix.by.includes(name)) || mix.by.some((name) => names.filter((each) => each === name).length !== 1)) {
        declared.fail("public columns tell mixed reports apart, unless `mix.by` names them, each of one service");
    }
}
function readRows(declared) {
    const max = declared.whole("max", 1, MAX_ROWS);
    return { max, report: declared.whole("report", 1, max) };
}
/** Whether a design has one tree for each attribute, of its size, and uses the hidden weight exactly where rows are sampled. */
function fits(sensitive, rows, design) {
    const sizes = design.trees.slice(0, design.attributes).map((tree) => tree.size);
    const weighted = design.hidden || design.derived.some((each) => each.kind === "weighted-round");
    return (sensitive.length > 0 &&
        design.attributes === sensitive.length &&
        sensitive.every((each, i) => each.size === sizes[i]) &&
        weighted === (rows !== null) &&
        (!design.hidden || design.trees.at(-1).padded >= 2) &&
        design.derived.every((each) => each.kind !== "text" || searched(sensitive[each.attribute]) !== null) &&
        design.derived.every((each, i) => each.size === sizes[each.attribute] && covers(each, design.trees[design.attributes + i])));
}
