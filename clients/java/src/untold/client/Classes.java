package untold.client;

import java.util.ArrayList;
import java.util.List;

/**
 * Numbers in classes: the code is twice the number of the part, and a bit that is drawn, 1 with probability (number - start) / (end - start).
 * Without parts, a class is one part.
 */
final class Classes extends Attribute implements Clipped.Clippable {
    private static final int FINEST = 1 << 10; // units in the last place that two limits must be apart
    private static final int MOST_PARTS = 64;
    private static final int SHOWN = 8;

    /** A part of a class: its lowest and highest number, and its place among all parts. */
    private static final class Piece {
        final double start, end;
        final int at;

        Piece(double start, double end, int at) {
            this.start = start;
            this.end = end;
            this.at = at;
        }
    }

    private final double low, high;
    private final double[] cuts;
    private final Integer digits;
    private final int parts;
    private final List<Piece> pieces = new ArrayList<>(); // that hold a number

    private Classes(String name, double low, double high, double[] cuts, Integer digits, int parts) {
        super(name, Role.SENSITIVE);
        this.low = low;
        this.high = high;
        this.cuts = cuts;
        this.digits = digits;
        this.parts = parts;
        for (int i = 0; i <= cuts.length; i++) {
            double start = i == 0 ? low : cuts[i - 1];
            if (digits == null) cutAny(start, i == cuts.length ? high : cuts[i], i);
            else cutUnits(start, i == cuts.length ? high : cuts[i], i);
        }
    }

    /** Equal parts of a class of any numbers. */
    private void cutAny(double start, double end, int number) {
        for (int part = 0; part < parts; part++) {
            double from = start + (part * (end - start)) / parts;
            double next = start + ((part + 1) * (end - start)) / parts;
            double to = part + 1 < parts ? Math.nextDown(next) : number == cuts.length ? end : Math.nextDown(end);
            pieces.add(new Piece(from, to, number * parts + part));
        }
    }

    /** Parts of a class of decimals, equal to one unit; fewer of them where there are fewer numbers. */
    private void cutUnits(double start, double end, int number) {
        double scale = Math.pow(10, digits);
        long first = Decimals.wholeOf(start, digits).longValue();
        long units = Decimals.wholeOf(end, digits).longValue() - first + (number == cuts.length ? 1 : 0);
        long most = Math.min(parts, units);
        for (long part = 0; part < most; part++) {
            long from = first + part * (units / most) + part * (units % most) / most;
            long next = first + (part + 1) * (units / most) + (part + 1) * (units % most) / most;
            pieces.add(new Piece(from / scale, (next - 1) / scale, number * parts + (int) part));
        }
    }

    static Classes read(String name, Fields declared) {
        Integer digits = declared.has("digits") ? (Integer) (int) declared.whole("digits", 0, Decimals.MOST_DIGITS) : null;
        double low = declared.number("low", -Double.MAX_VALUE, Double.MAX_VALUE);
        double high = declared.number("high", -Double.MAX_VALUE, Double.MAX_VALUE);
        List<Object> listed = declared.list("cuts");
        int parts = declared.has("parts") ? (int) declared.whole("parts", 1, MOST_PARTS) : 1;
        if (Integer.bitCount(parts) > 1) throw declared.fail("'parts' must be a power of two");
        if (declared.has("rounded")) declared.flag("rounded"); // a matter of the design: which views there are
        if (declared.has("bins")) throw declared.fail("'bins' and 'cuts' at once");
        boolean numbers = listed.stream().allMatch(each -> each instanceof Double && !((Double) each).isInfinite());
        if (2L * (listed.size() + 1) * parts > MAX_DOMAIN || !numbers) throw declared.fail("'cuts' must be a list of numbers");
        double[] cuts = listed.stream().mapToDouble(each -> (Double) each + 0.0).toArray();
        List<Double> limits = new ArrayList<>();
        limits.add(low);
        for (double cut : cuts) limits.add(cut);
        limits.add(high);
        double top = Math.max(Math.abs(low), Math.abs(high));
        double finest = digits == null ? FINEST * parts * (top - Math.nextDown(top)) : 0;
        for (int i = 1; i < limits.size(); i++) {
            double apart = limits.get(i) - limits.get(i - 1);
            if (!(apart > 0 && apart >= finest)) throw declared.fail("'cuts' must rise from 'low' to 'high'");
        }
        for (double limit : limits) {
            if (digits != null && Decimals.wholeOf(limit, digits) == null) throw declared.fail("limits must have at most " + digits + " digits behind the point");
        }
        return new Classes(name, low, high, cuts, digits, parts);
    }

    @Override
    int size() {
        return 2 * (cuts.length + 1) * parts;
    }

    @Override
    boolean rounds() {
        return true;
    }

    @Override
    public int codesOfClass() {
        return 2 * parts;
    }

    @Override
    Position position(Object value) {
        double number = number(value);
        int last = 0;
        while (last + 1 < pieces.size() && pieces.get(last + 1).start <= number) last++;
        Piece piece = pieces.get(last);
        double x = piece.end > piece.start ? 2 * piece.at + (number - piece.start) / (piece.end - piece.start) : 2 * piece.at;
        double below = Math.floor(x);
        return new Position((int) below, x - below);
    }

    private double number(Object value) {
        if (digits == null) return inside(this, low, high, value);
        Double units = digits == 0 && value instanceof String ? null : Decimals.unitsOf(value, digits);
        String said = name + " = " + Words.show(value);
        if (units == null) {
            throw new UntoldException.BadRecord(said + " is not a number with at most " + digits + " digits behind the point; allowed are " + describe() + ". Round it.");
        }
        double number = units / Math.pow(10, digits);
        if (!(low <= number && number <= high)) throw notInPlan(said, this);
        return number;
    }

    @Override
    public Clipped.Aside aside(Object value) {
        Double number = numberOf(value);
        Double down = digits == null ? number : Decimals.roundedDown(digits == 0 ? number : value, digits);
        return Clipped.Aside.of(down, low, high);
    }

    @Override
    public String describe() {
        List<String> shown = new ArrayList<>();
        for (int i = 0; i < Math.min(cuts.length, SHOWN); i++) shown.add(Words.plain(cuts[i]));
        String behind = digits != null && digits > 0 ? " with " + digits + " digits behind the point" : "";
        String start = (digits != null && digits == 0 ? "integers " : "numbers ") + Words.plain(low) + ".." + Words.plain(high) + behind;
        String each = parts > 1 ? " of " + parts + " parts" : "";
        if (cuts.length == 0) return start + " in one class" + each;
        return start + " in " + (cuts.length + 1) + " classes" + each + (parts > 1 ? " each" : "") + ", cut at " + String.join(", ", shown) + (cuts.length > SHOWN ? ", ..." : "");
    }
}
