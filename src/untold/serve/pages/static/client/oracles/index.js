/** The oracles that this client reports by. A plan for the Python client can name others: see docs/plan_file.md. */
import { NANO } from "../exact.js";
import { AGR } from "./agr.js";
import { GRR } from "./grr.js";
import { OLH } from "./olh.js";
const ORACLES = { grr: GRR, agr: AGR, olh: OLH };
const MOST_CELLS = 2 ** 32;
const MOST_HASHED = 2 ** 48;
const MOST_NANO = 30 * Number(NANO);
/** An oracle as it was frozen. */
export function readOracle(frozen) {
    const name = frozen.text("name");
    const oracle = Object.hasOwn(ORACLES, name) ? ORACLES[name] : undefined;
    if (oracle === undefined) {
        return frozen.fail(`oracle '${name}' is not known here; this client reports by ${Object.keys(ORACLES).join(", ")} (oracle = "auto" in a plan picks among these)`);
    }
    return new oracle(frozen.whole("cells", 1, oracle === OLH ? MOST_HASHED : MOST_CELLS), BigInt(frozen.whole("nano", 1, MOST_NANO)), frozen);
}
