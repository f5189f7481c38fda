package untold.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** Integer arithmetic of privacy. Everything here is public. */
final class Exact {
    static final BigInteger WORD = BigInteger.ONE.shiftLeft(64);
    private static final int PRECISION = 192; // bits after the binary point in lower bounds of e^x

    private Exact() {}

    /** A decimal number as it was written (1.5, 2e-7), in billionths, rounded down. */
    static BigInteger toNano(double epsilon) {
        return Words.shortest(epsilon).multiply(new BigDecimal(Words.NANO)).setScale(0, RoundingMode.FLOOR).toBigInteger();
    }

    /** A lower bound of e^(nano / 10^9), over 2^192: Taylor's series with every term rounded down. */
    static BigInteger expAtMost(BigInteger nano) {
        BigInteger term = BigInteger.ONE.shiftLeft(PRECISION);
        BigInteger total = term;
        for (long n = 1; term.signum() > 0; n++) {
            term = term.multiply(nano).divide(Words.NANO.multiply(BigInteger.valueOf(n)));
            total = total.add(term);
        }
        return total;
    }

    /** Weights {heavy, light}: light = ceil(total / (e^eps + sides - 1)), heavy = total - (sides - 1) light. */
    static BigInteger[] tilt(BigInteger nano, BigInteger sides, BigInteger total) {
        if (sides.equals(BigInteger.ONE)) return new BigInteger[] {total, total};
        BigInteger others = sides.subtract(BigInteger.ONE);
        BigInteger divisor = expAtMost(nano).add(others.shiftLeft(PRECISION));
        BigInteger light = total.shiftLeft(PRECISION).add(divisor).subtract(BigInteger.ONE).divide(divisor);
        return new BigInteger[] {total.subtract(others.multiply(light)), light};
    }

    /** g of local hashing: the whole number nearest to e^eps + 1. */
    static BigInteger nearestSides(BigInteger nano) {
        BigInteger three = BigInteger.valueOf(3).shiftLeft(PRECISION);
        return expAtMost(nano).shiftLeft(1).add(three).divide(BigInteger.ONE.shiftLeft(PRECISION + 1));
    }
}
