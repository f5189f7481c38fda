/**
 * One person's rows in, that person's messages out: the twin of untold/device/encoder.py, draw for draw.
 *
 * Every step draws the same number of words whatever the values are.
 */
import { searched } from "./attributes.js";
import { BadRecord } from "./errors.js";
import { cellOf } from "./hierarchy.js";
import { cellOfText } from "./texts.js";
import { weightOf } from "./word.js";
import { show } from "./words.js";
/** A person's rows; where the plan refuses none, as it wants them: the first of several where there should be one, an empty one where there is
 * none or something else than a row. Of more than `max` rows one is drawn as of fewer. */
export function fitted(service, rows) {
    if (!service.total)
        return rows;
    const sound = rows.map((row) => (typeof row === "object" && row !== null && !Array.isArray(row) ? row : {}));
    return service.rows === null ? [...sound, {}].slice(0, 1) : sound;
}
/** The places of a row. Refuses what the plan does not allow. */
export function placesOf(service, row) {
    const told = service.each === null ? service.sensitive : [service.each, ...service.sensitive];
    return told.map((each) => each.position(row[each.name]));
}
/** Messages for each slot. Exactly one row is expected, or for services with `rows_per_user` up to its `max`, none included. */
export function encode(service, rows, rng) {
    const limits = service.rows;
    if (limits === null) {
        if (rows.length !== 1) {
            throw new BadRecord(`service '${service.name}' has exactly one row per person, not ${rows.length}.\nHint: declare rows_per_user = { max = ... } in the plan.`);
        }
        return [messages(service, codes(service.sensitive, rows[0], rng), rng, rows[0])];
    }
    return parted(service, rows).flatMap(({ own, of }) => {
        if (own.length > limits.max && !service.total) {
            throw new BadRecord(`${own.length} rows for one person${of}, but service '${service.name}' allows at most ${limits.max} (rows_per_user).`);
        }
        return Array.from({ length: limits.report }, () => messages(service, sampled(service, own, limits.max, rng), rng));
    });
}
/** The rows of each value of the service's `each` attribute, with words for messages; all rows where there is none. */
function parted({ each }, rows) {
    if (each === null)
        return [{ own: rows, of: "" }];
    return each.values.map((value, code) => ({
        own: rows.filter((row) => row[0][0] === code).map((row) => row.slice(1)),
        of: ` and ${each.name} = ${show(value)}`,
    }));
}
/** One of the rows, at random, and the hidden weight: 1 with probability (number of rows) / max. Somebody without rows sends a dummy of
 * weight 0, drawn with as many words. */
function sampled(service, rows, most, rng) {
    const padded = rows.length ? rows : [service.sensitive.map(() => [0, 0])];
    const index = rng.below(padded.length);
    const weight = Number(rng.below(most) < rows.length);
    return [...codes(service.sensitive, padded[index], rng), weight];
}
/** The coded values of a row, numbers rounded at random to a neighbouring knot. */
function codes(sensitive, places, rng) {
    return sensitive.map((attribute, i) => {
        const [code, fraction] = places[i];
        return attribute.rounds ? code + rng.chance(weightOf(fraction)) : code;
    });
}
/** The columns of the design's space: the attributes, their roundings with one draw for each, and the hidden weight. */
function columns({ design, rows }, codes, rng) {
    const roundings = design.derived.filter((each) => each.kind !== "text");
    if (roundings.length === 0)
        return codes;
    const weight = rows === null ? 0 : codes.at(-1);
    const added = roundings.map((each, i) => {
        const value = codes[each.attribute];
        const up = Number(rng.below(Math.max(each.size - 1, 1)) < value);
        return rounded(each, design.trees[design.attributes + i], value, up, weight);
    });
    return [...codes.slice(0, design.attributes), ...added, ...(design.hidden ? [weight] : [])];
}
function rounded({ kind }, tree, value, up, weight) {
    if (kind === "round")
        return up;
    if (kind === "weighted-round")
        return 2 * weight + up;
    return Math.floor(tree.padded / 2) - 1 - value + up * (2 * value + 1);
}
/** The cells of a row's text in the columns that a view holds, which is drawn before anything is computed. */
function cellsOfText({ design, sensitive }, places, levels) {
    return design.derived.flatMap((each, i) => {
        if (each.kind !== "text")
            return [];
        const text = places[each.attribute]?.[2] ?? new Uint8Array();
        return levels[design.attributes + i] ? cellOfText(each, text, searched(sensitive[each.attribute]).letters) : 0;
    });
}
/** One message about a view picked at random, or one about each view; numbered over the whole design. */
function messages(service, coded, rng, places = []) {
    const { trees, views, cumulative } = service.design;
    const all = columns(service, coded, rng);
    const spoken = cumulative === null ? views : [views[rng.choose(cumulative)]];
    return spoken.map(({ levels, oracle, offset }) => {
        const { index, extra } = oracle.encode(cellOf(trees, levels, [...all, ...cellsOfText(service, places, levels)]), rng);
        return { index: offset + index, extra };
    });
}
