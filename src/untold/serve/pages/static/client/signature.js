/** Who vouches for a plan: Ed25519 over its text, and a key that this device has pinned. */
import { fromHex, verify } from "./chain.js";
import { LAST_EPOCH } from "./contract.js";
import { PlanError, UntrustedPlan } from "./errors.js";
import { Fields } from "./fields.js";
import { Plan } from "./plan.js";
const KEYS = ["text", "integer"];
const TYPES = ["text", "integer", "number", "boolean"];
/** The answer to GET /plan. Only the text is signed; nothing about privacy depends on the rest. */
export function readSigned(text) {
    try {
        return signedOf(Fields.of(JSON.parse(text), "the collector's answer"));
    }
    catch (error) {
        throw new UntrustedPlan(`the collector's answer is not a signed plan: ${error.message}\nNothing was reported.`);
    }
}
function signedOf(signed) {
    const collector = signed.inner("collector");
    const services = collector.inner("public");
    return {
        plan: signed.text("plan"),
        key: signed.text("key"),
        signature: signed.text("signature"),
        columns: { userKey: collector.choice("user_key", KEYS), public: new Map(services.names().map((name) => [name, typesOf(services.inner(name))])) },
        open: collector.wholes("open", 0, LAST_EPOCH),
        chain: signed.has("chain") ? signed.objects("chain").map((link) => ({ key: link.text("key"), next: link.text("next"), signature: link.text("signature") })) : [],
    };
}
function typesOf(columns) {
    return new Map(columns.names().map((name) => [name, columns.choice(name, TYPES)]));
}
/** The plan, if this key signed it and it is the wanted one. */
export async function openPlan(signed, pinned, wanted) {
    if (signed.key.toLowerCase() !== pinned.toLowerCase()) {
        throw new UntrustedPlan(`the plan is signed by key ${signed.key.slice(0, 12)}..., this device trusts ${pinned.slice(0, 12)}... alone. Nothing was reported.\n` +
            "Hint: if the collector's key was changed on purpose, give the new one to the client.");
    }
    if (!(await isSigned(signed))) {
        throw new UntrustedPlan("the signature of the plan does not fit: it was changed after signing, or damaged. Nothing was reported.\n" +
            "Hint: fetch it again; if that does not help, tell the operator of the collector.");
    }
    const plan = await Plan.fromJson(signed.plan).catch((error) => {
        if (!(error instanceof PlanError))
            throw error;
        throw new UntrustedPlan(`the signed text cannot be read as a plan: ${error.message}\nNothing was reported. Hint: update untold-client.`);
    });
    if (wanted !== undefined && plan.id !== wanted) {
        throw new UntrustedPlan(`the collector offers plan ${plan.id.slice(0, 12)}..., this device was given ${wanted.slice(0, 12)}... Nothing was reported.\n` +
            "Hint: update the app if the plan was changed on purpose.");
    }
    return plan;
}
async function isSigned({ plan, key, signature }) {
    const [raw, proof] = [fromHex(key, 32), fromHex(signature, 64)];
    if (raw === null || proof === null)
        return false;
    return verify(raw, proof, new TextEncoder().encode(plan));
}
