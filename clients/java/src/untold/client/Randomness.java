package untold.client;

import java.math.BigInteger;
import java.security.SecureRandom;

/**
 * The only door to entropy. Every draw consumes one word of 64 bits, whatever its outcome; a word in the last, incomplete stretch of the
 * range is drawn again, which depends on nothing but the word itself.
 */
public abstract class Randomness {
    /** 64 uniform bits. */
    public abstract long word();

    /** Whether draws can be repeated: for tests. Collectors refuse such reports. */
    public boolean insecure() {
        return true;
    }

    /** The operating system's generator. */
    public static Randomness secure() {
        return new Secure();
    }

    private static final class Secure extends Randomness {
        private final SecureRandom source = new SecureRandom();

        @Override
        public long word() {
            return source.nextLong();
        }

        @Override
        public boolean insecure() {
            return false;
        }
    }

    /** `copies` dice with `sides` offsets each: offset 0 has weight `heavy`, each other one weight `light`. */
    static final class Dice {
        final long heavy, light, stretch, limit;

        Dice(BigInteger heavy, BigInteger light, long sides, long copies) {
            BigInteger stretch = heavy.add(light.multiply(BigInteger.valueOf(sides - 1)));
            this.heavy = heavy.longValue();
            this.light = light.longValue();
            this.stretch = stretch.longValue();
            this.limit = stretch.multiply(BigInteger.valueOf(copies)).longValue();
        }
    }

    /** Uniform among 0..n-1. */
    final long below(long n) {
        long stretch = Long.divideUnsigned(-1L, n);
        return Long.divideUnsigned(until(n * stretch), stretch);
    }

    /** 1 with probability weight / 2^64, else 0. */
    final int chance(long weight) {
        return isLess(word(), weight);
    }

    /** The first index whose cumulative weight exceeds a word. Which view is chosen is public: it is part of the report. */
    final int choose(long[] cumulative) {
        long word = word();
        int low = 0;
        int high = cumulative.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (isLess(word, cumulative[middle]) == 1) high = middle;
            else low = middle + 1;
        }
        return low;
    }

    /** {copy, offset}. No branch: truth and lie take one path. */
    final long[] tilted(Dice dice) {
        long word = until(dice.limit);
        long copy = Long.divideUnsigned(word, dice.stretch);
        long rest = word - copy * dice.stretch;
        long lie = 1 - isLess(rest, dice.heavy);
        return new long[] {copy, lie * (1 + Long.divideUnsigned((rest - dice.heavy) & -lie, dice.light))};
    }

    private long until(long limit) {
        long word = word();
        while (isLess(word, limit) == 0) word = word();
        return word;
    }

    /** 1 if a < b as numbers without a sign. */
    private static int isLess(long a, long b) {
        return (int) (((~a & b) | ((~a | b) & (a - b))) >>> 63);
    }
}
