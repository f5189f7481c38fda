/** Everything that the client refuses, under the names that untold's Python client uses. Every message says what happened, what is allowed, and what to do. */

/** Base of all errors that this client raises on purpose. Names are literals: those of classes are shortened when an app is bundled. */
export class UntoldError extends Error {
  override name = "UntoldError";
}

/** A plan that cannot be. */
export class PlanError extends UntoldError {
  override name = "PlanError";
  constructor(readonly mistake: string) {
    super(`plan has 1 mistake:\n  - ${mistake}`);
  }
}

/** A plan that nobody vouches for: its signature does not fit, or another key signed it. */
export class UntrustedPlan extends UntoldError {
  override name = "UntrustedPlan";
}

/** A value or row that the plan does not allow. */
export class BadRecord extends UntoldError {
  override name = "BadRecord";
}

/** Spending refused: more epsilon was asked for than remains. */
export class BudgetExceeded extends UntoldError {
  override name = "BudgetExceeded";
}

/** This service and epoch were already reported, with other values. */
export class AlreadyReported extends UntoldError {
  override name = "AlreadyReported";
}

/** A memory that cannot be read or written as it is. */
export class StoreError extends UntoldError {
  override name = "StoreError";
}

/** A collector that cannot be reached, or that refuses what it is sent. */
export class CollectorError extends UntoldError {
  override name = "CollectorError";
  constructor(
    message: string,
    readonly status: number | null = null,
  ) {
    super(message);
  }
}
