/** What an oracle is on a device: one cell in, one message out, drawn with the integers of the plan. */
/**
 * The weights of an oracle's offsets, after checking that they are the very integers that its epsilon allows.
 *
 * A plan that claims a small epsilon and carries weights of a larger one ends here.
 */
export function checkedWeights(frozen, expected) {
    const [heavy, light] = [frozen.big("heavy"), frozen.big("light")];
    if (heavy !== expected[0] || light !== expected[1])
        frozen.fail(`its weights are not those of its epsilon, ${expected.join(" and ")}`);
    if (heavy < light || light < 1n)
        frozen.fail("its epsilon is too small for its cells: the truth would be less likely than a lie");
    return [heavy, light];
}
/** The integer that a field must hold, which is derived from others. */
export function checkedInteger(frozen, name, expected) {
    return frozen.big(name) === expected ? Number(expected) : frozen.fail(`'${name}' must be ${expected}`);
}
