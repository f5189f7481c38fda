package untold.client;

import java.math.BigInteger;

/** Verifies signatures (RFC 8032). Java has Ed25519 from version 15 on, Android from 33 on; everything here is public, so no time is kept secret. */
final class Ed25519 {
    private static final BigInteger P = BigInteger.TWO.pow(255).subtract(BigInteger.valueOf(19));
    private static final BigInteger L = BigInteger.TWO.pow(252).add(new BigInteger("27742317777372353535851937790883648493"));
    private static final BigInteger D = BigInteger.valueOf(-121665).multiply(BigInteger.valueOf(121666).modInverse(P)).mod(P);
    private static final BigInteger ROOT = BigInteger.TWO.modPow(P.subtract(BigInteger.ONE).shiftRight(2), P); // of -1
    private static final BigInteger[] BASE = base();

    private Ed25519() {}

    static boolean verify(byte[] key, byte[] message, byte[] signature) {
        byte[] r = java.util.Arrays.copyOfRange(signature, 0, 32);
        BigInteger s = little(java.util.Arrays.copyOfRange(signature, 32, 64));
        BigInteger[] a = point(key);
        BigInteger[] first = point(r);
        if (a == null || first == null || s.compareTo(L) >= 0) return false;
        byte[] all = new byte[64 + message.length];
        System.arraycopy(r, 0, all, 0, 32);
        System.arraycopy(key, 0, all, 32, 32);
        System.arraycopy(message, 0, all, 64, message.length);
        BigInteger h = little(Words.digest("SHA-512", all)).mod(L);
        return same(times(BASE, s), add(first, times(a, h)));
    }

    private static BigInteger little(byte[] bytes) {
        byte[] big = new byte[bytes.length + 1];
        for (int i = 0; i < bytes.length; i++) big[bytes.length - i] = bytes[i];
        return new BigInteger(big);
    }

    /** Extended coordinates {X, Y, Z, T}; null if these bytes are no point. */
    private static BigInteger[] point(byte[] bytes) {
        BigInteger all = little(bytes);
        boolean odd = all.testBit(255);
        BigInteger y = all.clearBit(255);
        if (y.compareTo(P) >= 0) return null;
        BigInteger x = root(y, odd);
        return x == null ? null : new BigInteger[] {x, y, BigInteger.ONE, x.multiply(y).mod(P)};
    }

    private static BigInteger root(BigInteger y, boolean odd) {
        BigInteger square = y.multiply(y).mod(P);
        BigInteger x2 = square.subtract(BigInteger.ONE).multiply(D.multiply(square).add(BigInteger.ONE).modInverse(P)).mod(P);
        BigInteger x = x2.modPow(P.add(BigInteger.valueOf(3)).shiftRight(3), P);
        if (!x.multiply(x).mod(P).equals(x2)) x = x.multiply(ROOT).mod(P);
        if (!x.multiply(x).mod(P).equals(x2) || (x.signum() == 0 && odd)) return null;
        return x.testBit(0) == odd ? x : P.subtract(x);
    }

    private static BigInteger[] base() {
        BigInteger y = BigInteger.valueOf(4).multiply(BigInteger.valueOf(5).modInverse(P)).mod(P);
        BigInteger x = root(y, false);
        return new BigInteger[] {x, y, BigInteger.ONE, x.multiply(y).mod(P)};
    }

    private static BigInteger[] add(BigInteger[] p, BigInteger[] q) {
        BigInteger a = p[1].subtract(p[0]).multiply(q[1].subtract(q[0])).mod(P);
        BigInteger b = p[1].add(p[0]).multiply(q[1].add(q[0])).mod(P);
        BigInteger c = p[3].multiply(q[3]).multiply(D).shiftLeft(1).mod(P);
        BigInteger d = p[2].multiply(q[2]).shiftLeft(1).mod(P);
        BigInteger e = b.subtract(a);
        BigInteger f = d.subtract(c);
        BigInteger g = d.add(c);
        BigInteger h = b.add(a);
        return new BigInteger[] {e.multiply(f).mod(P), g.multiply(h).mod(P), f.multiply(g).mod(P), e.multiply(h).mod(P)};
    }

    private static BigInteger[] times(BigInteger[] point, BigInteger number) {
        BigInteger[] sum = {BigInteger.ZERO, BigInteger.ONE, BigInteger.ONE, BigInteger.ZERO};
        for (int i = number.bitLength() - 1; i >= 0; i--) {
            sum = add(sum, sum);
            if (number.testBit(i)) sum = add(sum, point);
        }
        return sum;
    }

    private static boolean same(BigInteger[] p, BigInteger[] q) {
        return p[0].multiply(q[2]).subtract(q[0].multiply(p[2])).mod(P).signum() == 0 && p[1].multiply(q[2]).subtract(q[1].multiply(p[2])).mod(P).signum() == 0;
    }
}
