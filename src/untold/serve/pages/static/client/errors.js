/** Everything that the client refuses, under the names that untold's Python client uses. Every message says what happened, what is allowed, and what to do. */
/** Base of all errors that this client raises on purpose. */
export class UntoldError extends Error {
    constructor(message) {
        super(message);
        this.name = new.target.name;
    }
}
/** A plan that cannot be. */
export class PlanError extends UntoldError {
    mistake;
    constructor(mistake) {
        super(`plan has 1 mistake:\n  - ${mistake}`);
        this.mistake = mistake;
    }
}
/** A plan that nobody vouches for: its signature does not fit, or another key signed it. */
export class UntrustedPlan extends UntoldError {
}
/** A value or row that the plan does not allow. */
export class BadRecord extends UntoldError {
}
/** Spending refused: more epsilon was asked for than remains. */
export class BudgetExceeded extends UntoldError {
}
/** This service and epoch were already reported, with other values. */
export class AlreadyReported extends UntoldError {
}
/** A memory that cannot be read or written as it is. */
export class StoreError extends UntoldError {
}
/** A collector that cannot be reached, or that refuses what it is sent. */
export class CollectorError extends UntoldError {
    status;
    constructor(message, status = null) {
        super(message);
        this.status = status;
    }
}
