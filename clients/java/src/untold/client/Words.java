package untold.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Values as they are printed in messages and hashed, the way the Python client prints them. */
final class Words {
    static final BigInteger NANO = BigInteger.TEN.pow(9);

    private Words() {}

    /** Nano-epsilon as epsilon, to the last digit. */
    static String nano(BigInteger nano) {
        String part = String.format("%09d", nano.mod(NANO).longValue());
        return (nano.divide(NANO) + "." + part).replaceAll("\\.?0+$", "");
    }

    /** The shortest decimal that reads back as this double: digits and the power of ten of the last one. */
    static BigDecimal shortest(double value) {
        if (value == 0) return BigDecimal.ZERO;
        BigDecimal exact = new BigDecimal(value);
        for (int digits = 1; ; digits++) {
            BigDecimal near = exact.round(new MathContext(digits, RoundingMode.HALF_EVEN));
            if (near.doubleValue() == value) return near.stripTrailingZeros();
        }
    }

    /** A double as Python's repr and JSON write it: 1.0, 1e-05, 1e+16. */
    static String repr(double value) {
        if (value == 0) return 1 / value < 0 ? "-0.0" : "0.0";
        BigDecimal near = shortest(value);
        String digits = near.unscaledValue().abs().toString();
        int exponent = digits.length() - 1 - near.scale();
        String sign = value < 0 ? "-" : "";
        if (exponent < -4 || exponent >= 16) {
            String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
            return sign + mantissa + "e" + (exponent < 0 ? "-" : "+") + (Math.abs(exponent) < 10 ? "0" : "") + Math.abs(exponent);
        }
        String plain = near.abs().toPlainString();
        return sign + (plain.contains(".") ? plain : plain + ".0");
    }

    /** A number without a needless fraction. */
    static String plain(double value) {
        if (Fields.isWhole(value)) return Long.toString((long) value);
        return Double.isNaN(value) || Double.isInfinite(value) ? String.valueOf(value).replace("NaN", "nan").replace("Infinity", "inf") : repr(value);
    }

    /** Any value. */
    static String show(Object value) {
        if (value == null) return "None";
        if (value instanceof Boolean) return (Boolean) value ? "True" : "False";
        if (value instanceof Double || value instanceof Float) return plain(((Number) value).doubleValue());
        if (!(value instanceof String)) return value.toString();
        String text = (String) value;
        return text.contains("'") && !text.contains("\"") ? "\"" + text + "\"" : "'" + text.replace("'", "\\'") + "'";
    }

    static String sha256(String text) {
        return hex(sha256(text.getBytes(StandardCharsets.UTF_8)));
    }

    static byte[] sha256(byte[] bytes) {
        return digest("SHA-256", bytes);
    }

    static byte[] digest(String algorithm, byte[] bytes) {
        try {
            return MessageDigest.getInstance(algorithm).digest(bytes);
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException(error);
        }
    }

    static String hex(byte[] bytes) {
        StringBuilder out = new StringBuilder();
        for (byte each : bytes) out.append(String.format("%02x", each & 255));
        return out.toString();
    }

    /** The bytes of hexadecimal digits; null if there are not so many. */
    static byte[] unhex(String text, int bytes) {
        if (text.length() != 2 * bytes || !text.matches("[0-9a-fA-F]*")) return null;
        byte[] out = new byte[bytes];
        for (int i = 0; i < bytes; i++) out[i] = (byte) Integer.parseInt(text.substring(2 * i, 2 * i + 2), 16);
        return out;
    }
}
