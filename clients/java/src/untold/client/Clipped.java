package untold.client;

/** Numbers and dates of which none is refused (`clip`): codes before and behind all others for what lies outside of the domain. */
final class Clipped extends Attribute {
    /** Where a refused value lies: -1 below the domain or no place in it at all, 1 above it, 0 and the allowed value just below it. */
    static final class Aside {
        static final Aside BELOW = new Aside(-1, 0);
        static final Aside ABOVE = new Aside(1, 0);
        final int side;
        final double value;

        private Aside(int side, double value) {
            this.side = side;
            this.value = value;
        }

        static Aside of(Double number, double low, double high) {
            if (number == null || !(number >= low)) return BELOW;
            return number > high ? ABOVE : new Aside(0, number);
        }
    }

    /** An attribute with a domain from low to high. */
    interface Clippable {
        Aside aside(Object value);

        /** How many codes stand for one class, and so for all that lies beyond either end. */
        default int codesOfClass() {
            return 1;
        }
    }

    private final Attribute inner;
    private final int beyond;

    Clipped(Attribute inner) {
        super(inner.name, Role.SENSITIVE);
        this.inner = inner;
        this.beyond = ((Clippable) inner).codesOfClass();
    }

    @Override
    int size() {
        return inner.size() + 2 * beyond;
    }

    @Override
    boolean rounds() {
        return inner.rounds();
    }

    @Override
    boolean isTotal() {
        return true;
    }

    /** Nothing is refused: whoever has such a value would fall silent. */
    @Override
    Position position(Object value) {
        try {
            Position found = inner.position(value);
            return new Position(found.code + beyond, found.fraction);
        } catch (RuntimeException refused) {
            return new Position(outside(value), 0);
        }
    }

    private int outside(Object value) {
        try {
            Aside aside = ((Clippable) inner).aside(value);
            if (aside.side == 0) return inner.position(aside.value).code + beyond;
            return aside.side < 0 ? 0 : size() - beyond;
        } catch (RuntimeException refused) {
            return 0;
        }
    }

    @Override
    public String describe() {
        return inner.describe() + ", clipped";
    }
}
