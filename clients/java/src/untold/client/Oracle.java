package untold.client;

import java.math.BigInteger;

/** One cell in, one message out, drawn with the integers of the plan (docs/wire.md, "How a cell becomes a message"). */
abstract class Oracle {
    private static final BigInteger MOST_MESSAGES = BigInteger.ONE.shiftLeft(32);
    private static final BigInteger MOST_FIELD = BigInteger.ONE.shiftLeft(24); // sides of agr, far beyond any use
    private static final double MOST_CELLS = 4294967296.0;
    private static final double MOST_HASHED = 281474976710656.0;
    private static final long NARROW_CELLS = 1 << 16;
    private static final BigInteger MOST_SIDES = BigInteger.valueOf(1 << 16);
    private static final BigInteger ALL = Exact.WORD.subtract(BigInteger.ONE);

    /** A message within its view: an index, and seeds if the oracle has any. */
    public static final class Message {
        public final long index;
        public final long[] extra; // without a sign

        Message(long index, long... extra) {
            this.index = index;
            this.extra = extra;
        }
    }

    final String name;
    final long cells;
    final BigInteger nano;
    long indexes; // how many values the index of a message can take
    int width; // bits of each seed; 0 where there is none
    Randomness.Dice dice;

    private Oracle(String name, Fields frozen, double most) {
        this.name = name;
        this.cells = frozen.whole("cells", 1, most);
        this.nano = BigInteger.valueOf(frozen.whole("nano", 1, 30e9));
    }

    abstract Message encode(long cell, Randomness rng);

    static Oracle read(Fields frozen) {
        switch (frozen.text("name")) {
            case "grr":
                return new Grr(frozen);
            case "agr":
                return new Agr(frozen);
            case "olh":
                return new Olh(frozen);
            default:
                throw frozen.fail("oracle '" + frozen.text("name") + "' is not known here; this client reports by grr, agr, olh (oracle = \"auto\" in a plan picks among these)");
        }
    }

    /** The weights, after checking that they are the very integers that its epsilon allows. */
    void weigh(Fields frozen, BigInteger sides, BigInteger copies) {
        BigInteger[] meant = Exact.tilt(nano, sides, ALL.divide(copies));
        BigInteger heavy = frozen.big("heavy");
        BigInteger light = frozen.big("light");
        if (!heavy.equals(meant[0]) || !light.equals(meant[1])) throw frozen.fail("its weights are not those of its epsilon, " + meant[0] + " and " + meant[1]);
        if (heavy.compareTo(light) < 0 || light.signum() < 1) throw frozen.fail("its epsilon is too small for its cells: the truth would be less likely than a lie");
        dice = new Randomness.Dice(heavy, light, sides.longValueExact(), copies.longValueExact());
    }

    static long checked(Fields frozen, String name, BigInteger meant) {
        if (!frozen.big(name).equals(meant)) throw frozen.fail("'" + name + "' must be " + meant);
        return meant.longValueExact();
    }

    private static final class Grr extends Oracle {
        Grr(Fields frozen) {
            super("grr", frozen, MOST_CELLS);
            indexes = cells;
            weigh(frozen, BigInteger.valueOf(cells), BigInteger.ONE);
        }

        @Override
        Message encode(long cell, Randomness rng) {
            return new Message((cell + rng.tilted(dice)[1]) % cells);
        }
    }

    private static final class Agr extends Oracle {
        private final long sides;
        private final int digits;
        private final boolean scrambled;

        Agr(Fields frozen) {
            super("agr", frozen, MOST_CELLS);
            BigInteger g = frozen.big("sides");
            if (g.compareTo(MOST_FIELD) > 0 || !isPrime(g.longValue())) throw frozen.fail("'sides' must be a prime");
            int t = 1;
            while (g.pow(t).compareTo(BigInteger.valueOf(cells)) < 0) t++;
            BigInteger copies = g.pow(t).subtract(BigInteger.ONE).divide(g.subtract(BigInteger.ONE));
            if (copies.multiply(g).compareTo(MOST_MESSAGES) > 0) throw frozen.fail("it has more than 2^32 messages");
            sides = g.longValue();
            digits = (int) checked(frozen, "digits", BigInteger.valueOf(t));
            checked(frozen, "copies", copies);
            scrambled = frozen.has("scrambled");
            if (scrambled) checked(frozen, "scrambled", BigInteger.ONE);
            indexes = copies.multiply(g).longValue();
            weigh(frozen, g, copies);
        }

        @Override
        Message encode(long cell, Randomness rng) {
            long[] drawn = rng.tilted(dice);
            return new Message(drawn[0] * sides + (project(drawn[0], cell) + drawn[1]) % sides);
        }

        /** The product of direction and place, digit by digit. */
        private long project(long direction, long cell) {
            long power = 1;
            long first = 0;
            while (first + power <= direction) {
                first += power;
                power *= sides;
            }
            long vector = power + direction - first;
            long place = scrambled ? CellOrder.place(cell, sides, digits) : cell;
            long total = 0;
            for (int i = 0; i < digits; i++) {
                total = (total + (vector % sides) * (place % sides)) % sides;
                vector /= sides;
                place /= sides;
            }
            return total;
        }

        private static boolean isPrime(long n) {
            for (long divisor = 2; divisor * divisor <= n; divisor++) if (n % divisor == 0) return false;
            return n > 1;
        }
    }

    private static final class Olh extends Oracle {
        private final int bits;

        Olh(Fields frozen) {
            super("olh", frozen, MOST_HASHED);
            BigInteger sides = Exact.nearestSides(nano).min(MOST_SIDES);
            indexes = checked(frozen, "sides", sides);
            width = (int) checked(frozen, "width", BigInteger.valueOf(cells <= NARROW_CELLS ? 32 : 64));
            bits = Math.min(32, 65 - Math.max(1, 64 - Long.numberOfLeadingZeros(cells - 1)));
            weigh(frozen, sides, BigInteger.ONE);
        }

        @Override
        Message encode(long cell, Randomness rng) {
            long first = rng.word();
            long a = width == 32 ? first & 0xffffffffL : first;
            long b = width == 32 ? first >>> 32 : rng.word();
            long hash = width == 32 ? (a * cell + b) & 0xffffffffL : (a * cell + b) >>> (64 - bits);
            int shift = width == 32 ? 32 : bits;
            long offset = rng.tilted(dice)[1];
            return new Message((((hash * indexes) >>> shift) + offset) % indexes, a, b);
        }
    }
}
