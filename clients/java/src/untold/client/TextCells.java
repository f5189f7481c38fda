package untold.client;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** How a view sees a text: by the first bits of its code, or as a whole (no bits); a hash, where these are more than there are cells. */
final class TextCells {
    private static final int END = TextTables.ALPHABET.length();
    private static final int ESC = END + 1;
    private static final int SYMBOLS = END + 2;
    private static final int[][] WORDS = lengths();
    private static final int[][] SIXES = {filled()};

    final int bits;
    final long cells;
    private final byte[] key = new byte[16];

    TextCells(Fields frozen) {
        bits = (int) frozen.whole("bits", 0, 1024);
        cells = frozen.whole("cells", 1, 4294967296.0);
        String text = frozen.text("key");
        if (!text.matches("[0-9a-f]{32}")) throw frozen.fail("'key' must be 32 digits of hex");
        for (int i = 0; i < key.length; i++) key[i] = (byte) Integer.parseInt(text.substring(2 * i, 2 * i + 2), 16);
    }

    /** The cell of a text in UTF-8. */
    int of(byte[] text, String letters) {
        if (bits == 0) return hashed(text);
        byte[] prefix = prefix(text, letters);
        if (bits > 32 || 1L << bits > cells) return hashed(prefix);
        long number = 0;
        for (byte each : prefix) number = number << 8 | each & 255;
        return (int) (number >> 8 * prefix.length - bits);
    }

    private int hashed(byte[] data) {
        long hash = siphash(data);
        BigInteger unsigned = new BigInteger(1, ByteBuffer.allocate(8).putLong(hash).array());
        return unsigned.multiply(BigInteger.valueOf(cells)).shiftRight(64).intValueExact();
    }

    /** The first bits of the code, zeros behind it; the first bit is the highest of the first byte. */
    private byte[] prefix(byte[] text, String letters) {
        int[][] lengths = letters.equals("codes") ? SIXES : WORDS;
        byte[] out = new byte[(bits + 7) / 8];
        int at = 0;
        int context = 0;
        for (byte each : text) {
            int place = each < 0 ? -1 : TextTables.ALPHABET.indexOf((char) each);
            int symbol = place < 0 ? ESC : place;
            at = put(out, at, canonical(lengths[context])[symbol], lengths[context][symbol]);
            if (symbol == ESC) at = put(out, at, each & 255, 8);
            context = lengths.length > 1 ? contextOf(each) : 0;
        }
        put(out, at, canonical(lengths[context])[END], lengths[context][END]);
        return out;
    }

    private int put(byte[] out, int at, int word, int length) {
        for (int i = length - 1; i >= 0; i--, at++) {
            if (at < bits && (word >> i & 1) == 1) out[at >> 3] |= (byte) (128 >> (at & 7));
        }
        return at;
    }

    /** What stands before a letter: a beginning or a blank, a letter, a digit, anything else. */
    private static int contextOf(byte each) {
        if (each == ' ') return 0;
        if (each >= 'a' && each <= 'z') return each - 'a' + 1;
        return each >= '0' && each <= '9' ? 27 : 28;
    }

    private static int[][] lengths() {
        int[][] found = new int[TextTables.LENGTHS.length][SYMBOLS];
        for (int i = 0; i < found.length; i++) {
            for (int j = 0; j < SYMBOLS; j++) found[i][j] = Character.digit(TextTables.LENGTHS[i].charAt(j), 36);
        }
        return found;
    }

    private static int[] filled() {
        int[] sixes = new int[SYMBOLS];
        Arrays.fill(sixes, 6);
        return sixes;
    }

    /** Shorter code words first, and of one length in the order of symbols. */
    private static int[] canonical(int[] lengths) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < lengths.length; i++) order.add(i);
        order.sort(Comparator.comparingInt(symbol -> lengths[symbol]));
        int[] found = new int[lengths.length];
        int word = 0;
        int before = 0;
        for (int symbol : order) {
            word <<= lengths[symbol] - before;
            before = lengths[symbol];
            found[symbol] = word++;
        }
        return found;
    }

    /** SipHash-2-4 [Aumasson and Bernstein]. The key is public. */
    private long siphash(byte[] data) {
        ByteBuffer words = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
        long k0 = words.getLong(0);
        long k1 = words.getLong(8);
        long[] v = {k0 ^ 0x736f6d6570736575L, k1 ^ 0x646f72616e646f6dL, k0 ^ 0x6c7967656e657261L, k1 ^ 0x7465646279746573L};
        byte[] padded = Arrays.copyOf(data, 8 * (data.length / 8 + 1));
        padded[padded.length - 1] = (byte) data.length;
        ByteBuffer input = ByteBuffer.wrap(padded).order(ByteOrder.LITTLE_ENDIAN);
        while (input.hasRemaining()) {
            long word = input.getLong();
            v[3] ^= word;
            round(v);
            round(v);
            v[0] ^= word;
        }
        v[2] ^= 0xff;
        for (int i = 0; i < 4; i++) round(v);
        return v[0] ^ v[1] ^ v[2] ^ v[3];
    }

    private static void round(long[] v) {
        v[0] += v[1];
        v[1] = Long.rotateLeft(v[1], 13) ^ v[0];
        v[0] = Long.rotateLeft(v[0], 32);
        v[2] += v[3];
        v[3] = Long.rotateLeft(v[3], 16) ^ v[2];
        v[0] += v[3];
        v[3] = Long.rotateLeft(v[3], 21) ^ v[0];
        v[2] += v[1];
        v[1] = Long.rotateLeft(v[1], 17) ^ v[2];
        v[2] = Long.rotateLeft(v[2], 32);
    }
}
