package untold.client;

/** The fixed public order of cells before they are hashed (docs/wire.md, "The order of cells"). */
final class CellOrder {
    private static final int[] KEYS = {0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0, 0x082EFA98, 0xEC4E6C89};

    private CellOrder() {}

    static long place(long cell, long sides, int digits) {
        if (digits == 1) return cell;
        long l = power(sides, digits / 2);
        long h = power(sides, digits - digits / 2);
        long high = cell / l;
        long low = cell % l;
        for (int r = 1; r <= 8; r++) {
            if (r % 2 == 1) low = (low + mixed(r, high, l)) % l;
            else high = (high + mixed(r, low, h)) % h;
        }
        return high * l + low;
    }

    private static long mixed(int r, long value, long size) {
        int x = (int) value + KEYS[r - 1];
        x = (x ^ (x >>> 16)) * 0x85EBCA6B;
        x = (x ^ (x >>> 13)) * 0xC2B2AE35;
        x = x ^ (x >>> 16);
        return ((x >>> 8) * size) >>> 24;
    }

    private static long power(long base, int exponent) {
        long out = 1;
        for (int i = 0; i < exponent; i++) out *= base;
        return out;
    }
}
