package untold.client;

import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Decimal numbers with a fixed number of digits behind the point: code = (value - low) * 10^digits. */
final class Decimals extends Attribute implements Clipped.Clippable {
    static final int MOST_DIGITS = 9;
    private static final Pattern TEXT = Pattern.compile("([+-]?)([0-9]{1,30})(?:\\.([0-9]{1,30}))?");

    private final double low, high;
    private final int digits;
    private final double first;
    private final int size;

    private Decimals(String name, double low, double high, int digits, double first, int size) {
        super(name, Role.SENSITIVE);
        this.low = low;
        this.high = high;
        this.digits = digits;
        this.first = first;
        this.size = size;
    }

    static Decimals read(String name, Fields declared) {
        int digits = (int) declared.whole("digits", 1, MOST_DIGITS);
        double low = declared.number("low", -Double.MAX_VALUE, Double.MAX_VALUE);
        double high = declared.number("high", -Double.MAX_VALUE, Double.MAX_VALUE);
        Double first = wholeOf(low, digits);
        Double last = wholeOf(high, digits);
        if (first == null || last == null) throw declared.fail("'low' and 'high' must have at most " + digits + " digits");
        if (first >= last || last - first >= MAX_DOMAIN) throw declared.fail("'low' must be below 'high', at most " + MAX_DOMAIN + " values apart");
        return new Decimals(name, low, high, digits, first, (int) (last - first) + 1);
    }

    /** number * 10^digits where the number is the double nearest to such a decimal, as 0.1 is; null for others. */
    static Double wholeOf(double number, int digits) {
        double scale = Math.pow(10, digits);
        // half up, as other clients round: the sum is exact below 2^52
        double units = Math.abs(number) * scale <= Fields.SAFE ? rounded(number * scale) : 0;
        return units / scale == number ? (Double) (units + 0.0) : null;
    }

    private static double rounded(double value) {
        double down = Math.floor(value);
        return value - down >= 0.5 ? down + 1 : down;
    }

    /** value * 10^digits of a text, an integer or a double with at most so many digits; null for all else. */
    static Double unitsOf(Object value, int digits) {
        if (value instanceof BigDecimal) return unitsOf(((BigDecimal) value).toPlainString(), digits);
        if (value instanceof String) {
            Matcher found = TEXT.matcher((String) value);
            if (!found.matches()) return null;
            String behind = found.group(3) == null ? "" : found.group(3);
            if (behind.length() > digits && behind.substring(digits).matches(".*[1-9].*")) return null;
            return signed(found, behind, digits, 0);
        }
        Double number = numberOf(value);
        return number == null ? null : wholeOf(number, digits);
    }

    private static double signed(Matcher found, String behind, int digits, int more) {
        StringBuilder whole = new StringBuilder(found.group(2)).append(behind, 0, Math.min(behind.length(), digits));
        for (int i = behind.length(); i < digits; i++) whole.append('0');
        double units = Double.parseDouble(whole.toString());
        return found.group(1).equals("-") ? 0 - units - more : units;
    }

    /** The number with so many digits at or below a value; null if it is no number. */
    static Double roundedDown(Object value, int digits) {
        double scale = Math.pow(10, digits);
        Double number = numberOf(value);
        if (number != null) return Math.floor(number * scale) / scale;
        Matcher found = TEXT.matcher(value instanceof String ? (String) value : "");
        if (!found.matches()) return null;
        String behind = found.group(3) == null ? "" : found.group(3);
        int more = behind.length() > digits && behind.substring(digits).matches(".*[1-9].*") ? 1 : 0;
        return signed(found, behind, digits, more) / scale;
    }

    @Override
    int size() {
        return size;
    }

    @Override
    Position position(Object value) {
        Double units = unitsOf(value, digits);
        String said = name + " = " + Words.show(value);
        if (units == null) {
            throw new UntoldException.BadRecord(said + " is not a number with at most " + digits + " digits behind the point; allowed are " + describe() + ". Round it.");
        }
        if (units < first || units - first >= size) throw notInPlan(said, this);
        return new Position((int) (units - first), 0);
    }

    @Override
    public Clipped.Aside aside(Object value) {
        return Clipped.Aside.of(roundedDown(value, digits), low, high);
    }

    @Override
    public String describe() {
        String form = "%." + digits + "f";
        return "numbers " + String.format(java.util.Locale.ROOT, form, low) + ".." + String.format(java.util.Locale.ROOT, form, high) + " with " + digits
            + " digits behind the point";
    }
}
