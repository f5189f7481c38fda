package untold.client;

/** Everything that the client refuses on purpose, under the names that untold's Python client uses. */
public class UntoldException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UntoldException(String message) {
        super(message);
    }

    /** As the other clients call it: the name of the class. */
    public String name() {
        return getClass().getSimpleName();
    }

    /** A plan that cannot be. */
    public static class PlanError extends UntoldException {
        private static final long serialVersionUID = 1L;

        public PlanError(String mistake) {
            super("plan has 1 mistake:\n  - " + mistake);
        }
    }

    /** A plan that nobody vouches for, or that takes back an earlier promise. */
    public static class UntrustedPlan extends UntoldException {
        private static final long serialVersionUID = 1L;

        public UntrustedPlan(String message) {
            super(message);
        }
    }

    /** A value or row that the plan does not allow. */
    public static class BadRecord extends UntoldException {
        private static final long serialVersionUID = 1L;

        public BadRecord(String message) {
            super(message);
        }
    }

    /** Spending refused: more epsilon was asked for than remains. */
    public static class BudgetExceeded extends UntoldException {
        private static final long serialVersionUID = 1L;

        public BudgetExceeded(String message) {
            super(message);
        }
    }

    /** This epoch was already reported under another version of the plan. */
    public static class AlreadyReported extends UntoldException {
        private static final long serialVersionUID = 1L;

        public AlreadyReported(String message) {
            super(message);
        }
    }

    /** A memory that cannot be read or written as it is. */
    public static class StoreError extends UntoldException {
        private static final long serialVersionUID = 1L;

        public StoreError(String message) {
            super(message);
        }
    }

    /** A collector that cannot be reached, or that refuses what it is sent. */
    public static class CollectorError extends UntoldException {
        private static final long serialVersionUID = 1L;
        public final int status;

        public CollectorError(String message, int status) {
            super(message);
            this.status = status;
        }
    }
}
