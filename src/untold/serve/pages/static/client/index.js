/** untold-client: records in, reports under local differential privacy out. For browsers and Node. */
export { Categorical, Each, Knots, Ordinal, Public } from "./attributes.js";
export { Client } from "./client.js";
export { Gateway, body } from "./gateway.js";
export { Device } from "./device.js";
export { MixedDevice } from "./mixed.js";
export { enrol } from "./enrol.js";
export * from "./errors.js";
export { IndexedMemory } from "./memory/indexed.js";
export { StoredMemory } from "./memory/memory.js";
export { TransientMemory } from "./memory/transient.js";
export { Plan } from "./plan.js";
export { Randomness } from "./randomness.js";
export { openPlan, readSigned } from "./signature.js";
export { BINARY_TYPE, JSON_TYPE } from "./contract.js";
export { toBinary, toJson } from "./wire.js";
