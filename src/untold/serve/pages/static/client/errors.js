/** Everything that the client refuses, under the names that untold's Python client uses. Every message says what happened, what is allowed, and what to do. */
/** Base of all errors that this client raises on purpose. Names are literals: those of classes are shortened when an app is bundled. */
export class UntoldError extends Error {
    name = "UntoldError";
}
/** A plan that cannot be. */
export class PlanError extends UntoldError {
    mistake;
    name = "PlanError";
    constructor(mistake) {
        super(`plan has 1 mistake:\n  - ${mistake}`);
        this.mistake = mistake;
    }
}
/** A plan that nobody vouches for: its signature does not fit, or another key signed it. */
export class UntrustedPlan extends UntoldError {
    name = "UntrustedPlan";
}
/** A value or row that the plan does not allow. */
export class BadRecord extends UntoldError {
    name = "BadRecord";
}
/** Spending refused: more epsilon was asked for than remains. */
export class BudgetExceeded extends UntoldError {
    name = "BudgetExceeded";
}
/** This service and epoch were already reported, with other values. */
export class AlreadyReported extends UntoldError {
    name = "AlreadyReported";
}
/** A memory that cannot be read or written as it is. */
export class StoreError extends UntoldError {
    name = "StoreError";
}
/** A collector that cannot be reached, or that refuses what it is sent. */
export class CollectorError extends UntoldError {
    status;
    name = "CollectorError";
    constructor(message, status = null) {
        super(message);
        this.status = status;
    }
}
