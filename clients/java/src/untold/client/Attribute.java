package untold.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** An attribute of a service: what a value may be, and its code. */
public abstract class Attribute {
    static final int MAX_DOMAIN = 1 << 20; // coded values of one attribute
    private static final int SHOWN = 8; // values that fit into a sentence

    /** Whether it is perturbed, sent as it is, or told value by value. */
    public enum Role { SENSITIVE, PUBLIC, EACH }

    public final String name;
    public final Role role;

    Attribute(String name, Role role) {
        this.name = name;
        this.role = role;
    }

    /** Where a value lies: its code, or the code below it and how far it is on the way to the next. */
    static final class Position {
        final int code;
        final double fraction;
        final byte[] text; // where texts are looked for, the bytes of this one

        Position(int code, double fraction) {
            this(code, fraction, new byte[0]);
        }

        Position(int code, double fraction, byte[] text) {
            this.code = code;
            this.fraction = fraction;
            this.text = text;
        }
    }

    /** What is allowed, in words. */
    public abstract String describe();

    abstract int size();

    abstract Position position(Object value);

    /** Whether values between two codes are allowed, and rounded at random to one of them. */
    boolean rounds() {
        return false;
    }

    /** Whether null is allowed, and a row need not name the attribute. */
    boolean mayBeMissing() {
        return false;
    }

    /** The attribute whose texts are looked for, if it is one; else null. */
    Text searched() {
        return null;
    }

    /** Whether nothing is refused, and a row need not name the attribute. */
    boolean isTotal() {
        return false;
    }

    static Attribute read(String name, Fields declared) {
        Attribute found = known(name, declared);
        if (declared.has("clip") && declared.flag("clip")) {
            if (!(found instanceof Clipped.Clippable)) throw declared.fail("'clip' is for numbers and dates");
            found = new Clipped(found);
            if (found.size() > MAX_DOMAIN) throw declared.fail("more than " + MAX_DOMAIN + " values with those at both ends");
        }
        return declared.has("missing") && declared.flag("missing") && found.role == Role.SENSITIVE ? new OrMissing(found) : found;
    }

    private static Attribute known(String name, Fields declared) {
        String kind = declared.text("kind");
        switch (kind) {
            case "ordinal":
                return readOrdinal(name, declared);
            case "categorical":
                return declared.has("groups") ? readGrouped(name, declared) : new Listed(name, Role.SENSITIVE, readValues(declared), declared.has("other"));
            case "each":
                return new Listed(name, Role.EACH, readValues(declared), declared.has("other"));
            case "text":
                return Text.read(name, declared);
            case "date":
            case "timestamp":
                return Calendar.read(kind, name, declared);
            case "public":
                return new Public(name);
            default:
                throw declared.fail("'" + kind + "' is not a known kind; update untold-client");
        }
    }

    /** Some of the values are not told apart by questions: each group has as many places as the largest, filled up by its last value. */
    private static Listed readGrouped(String name, Fields declared) {
        List<Object> values = readValues(declared);
        Map<Object, List<?>> groupOf = new HashMap<>();
        int most = 0;
        int named = 0;
        for (Object group : declared.list("groups")) {
            List<?> own = group instanceof List ? (List<?>) group : List.of();
            if (own.size() < 2 || !values.containsAll(own)) most = MAX_DOMAIN + 1;
            for (Object each : own) groupOf.put(each, own);
            most = Math.max(most, own.size());
            named += own.size();
        }
        if (most == 0 || most > MAX_DOMAIN || groupOf.size() != named) {
            throw declared.fail("'groups' must be lists of two or more of the values, each value in one of them");
        }
        List<Object> places = new ArrayList<>();
        List<List<?>> ordered = new ArrayList<>();
        for (Object each : values) {
            List<?> group = groupOf.getOrDefault(each, List.of(each));
            if (ordered.stream().anyMatch(known -> known == group)) continue;
            ordered.add(group);
            for (int i = 0; i < most && places.size() <= MAX_DOMAIN; i++) places.add(group.get(Math.min(i, group.size() - 1)));
        }
        if (places.size() > MAX_DOMAIN) throw declared.fail("'groups' of very different sizes need more than " + MAX_DOMAIN + " places");
        return new Listed(name, Role.SENSITIVE, values, declared.has("other"), places, ordered.size());
    }

    private static Attribute readOrdinal(String name, Fields declared) {
        if (declared.has("cuts")) return Classes.read(name, declared);
        if (declared.has("digits")) return Decimals.read(name, declared);
        boolean knots = declared.has("bins");
        int bins = knots ? (int) declared.whole("bins", 1, MAX_DOMAIN - 1) : 0;
        double most = knots ? Double.MAX_VALUE : Fields.SAFE;
        double low = declared.number("low", -most, most);
        double high = declared.number("high", -most, most);
        if (!(low < high) || Double.isInfinite(high - low)) throw declared.fail("'low' must be below 'high'");
        if (!knots && !(Fields.isWhole(low) && Fields.isWhole(high) && high - low < MAX_DOMAIN)) {
            throw declared.fail("'low' and 'high' must be integers, at most " + MAX_DOMAIN + " values apart");
        }
        return knots ? new Knots(name, low, high, bins) : new Ordinal(name, low, high);
    }

    private static List<Object> readValues(Fields declared) {
        List<Object> values = declared.list("values");
        Map<Object, Integer> different = new HashMap<>();
        for (Object each : values) {
            boolean sound = each instanceof String || each instanceof Boolean || (each instanceof Double && Fields.isWhole((Double) each));
            if (!sound || !each.getClass().equals(values.get(0).getClass())) different.clear();
            else different.put(each, different.size());
        }
        if (values.size() < 2 || values.size() > MAX_DOMAIN || different.size() != values.size()) {
            throw declared.fail("'values' must be two or more different strings, integers or booleans");
        }
        if (!declared.has("other")) return values;
        String other = declared.text("other");
        if (!(values.get(0) instanceof String) || values.contains(other) || values.size() == MAX_DOMAIN) {
            throw declared.fail("'other' must be a further text beside a list of texts");
        }
        List<Object> all = new ArrayList<>(values);
        all.add(other);
        return all;
    }

    /** The number that a value is; null for everything else, texts too. */
    static Double numberOf(Object value) {
        boolean number = value instanceof Integer || value instanceof Long || value instanceof Short || value instanceof Byte || value instanceof Double
            || value instanceof Float || value instanceof BigInteger || value instanceof BigDecimal;
        return number ? (Double) (((Number) value).doubleValue() + 0.0) : null; // no negative zero
    }

    /** The value as a number from low to high. */
    static double inside(Attribute attribute, double low, double high, Object value) {
        Double number = numberOf(value);
        String said = attribute.name + " = " + Words.show(value);
        if (number == null) throw new UntoldException.BadRecord(said + " is not a number; allowed are " + attribute.describe() + ".");
        if (!(low <= number && number <= high)) throw notInPlan(said, attribute);
        return number;
    }

    static UntoldException.BadRecord notInPlan(String said, Attribute attribute) {
        return new UntoldException.BadRecord(said + " is not in the plan; allowed are " + attribute.describe() + ". Clip the value or leave the record out.");
    }

    /** Integers low..high: code = value - low. */
    static final class Ordinal extends Attribute implements Clipped.Clippable {
        private final double low, high;

        Ordinal(String name, double low, double high) {
            super(name, Role.SENSITIVE);
            this.low = low;
            this.high = high;
        }

        @Override
        int size() {
            return (int) (high - low) + 1;
        }

        @Override
        Position position(Object value) {
            double number = inside(this, low, high, value);
            if (number != Math.rint(number)) {
                throw new UntoldException.BadRecord(name + " = " + Words.show(value) + " is not an integer; allowed are " + describe()
                    + ". Round it, or give the attribute bins in the plan.");
            }
            return new Position((int) (number - low), 0);
        }

        @Override
        public Clipped.Aside aside(Object value) {
            Double number = numberOf(value);
            return Clipped.Aside.of(number == null ? null : (Double) Math.floor(number), low, high);
        }

        @Override
        public String describe() {
            return "integers " + Words.plain(low) + ".." + Words.plain(high);
        }
    }

    /** Any number from low to high, on a grid of bins + 1 knots. */
    static final class Knots extends Attribute implements Clipped.Clippable {
        private final double low, high;
        private final int bins;

        Knots(String name, double low, double high, int bins) {
            super(name, Role.SENSITIVE);
            this.low = low;
            this.high = high;
            this.bins = bins;
        }

        @Override
        int size() {
            return bins + 1;
        }

        @Override
        boolean rounds() {
            return true;
        }

        /** x = (value - low) / step, in doubles and in this order. */
        @Override
        Position position(Object value) {
            double number = inside(this, low, high, value);
            double x = (number - low) / ((high - low) / bins);
            double below = Math.floor(x);
            return number == high || below >= bins ? new Position(bins, 0) : new Position((int) below, x - below);
        }

        @Override
        public Clipped.Aside aside(Object value) {
            return Clipped.Aside.of(numberOf(value), low, high);
        }

        @Override
        public String describe() {
            double step = (high - low) / bins;
            String apart = Fields.isWhole(step) ? Words.plain(step) : Words.plain(new BigDecimal(step).round(new java.math.MathContext(6)).doubleValue());
            return "numbers " + Words.plain(low) + ".." + Words.plain(high) + " on " + size() + " knots, " + apart + " apart";
        }
    }

    /** One of a list; the code of a value is its place. With `other` the list has one more text, and whatever is not listed is that. */
    static final class Listed extends Attribute {
        final List<Object> values;
        private final boolean other;
        private final int size;
        private final int groups; // 0 where there are none
        private final Map<Object, Integer> codes = new HashMap<>();

        Listed(String name, Role role, List<Object> values, boolean other) {
            this(name, role, values, other, values, 0);
        }

        /** `places` has the value of every code; of copies, the first one counts. */
        Listed(String name, Role role, List<Object> values, boolean other, List<Object> places, int groups) {
            super(name, role);
            this.values = values;
            this.other = other;
            this.size = places.size();
            this.groups = groups;
            for (int i = 0; i < size; i++) codes.putIfAbsent(places.get(i), i);
        }

        @Override
        int size() {
            return size;
        }

        @Override
        boolean isTotal() {
            return other;
        }

        /** true is not 1, and "1" is neither. */
        @Override
        Position position(Object value) {
            Double number = numberOf(value);
            Integer code = codes.get(number == null ? value : number);
            if (code == null && other) return new Position(codes.get(values.get(values.size() - 1)), 0);
            if (code == null) {
                throw new UntoldException.BadRecord(name + " = " + Words.show(value) + " is not in the plan; allowed is " + describe()
                    + ". Map it to one of these or leave the record out.");
            }
            return new Position(code, 0);
        }

        @Override
        public String describe() {
            List<String> shown = new ArrayList<>();
            for (Object each : values.subList(0, Math.min(SHOWN, values.size()))) shown.add(each instanceof Boolean ? each.toString() : Words.show(each));
            String grouped = groups > 0 ? ", in " + groups + (groups > 1 ? " groups" : " group") : "";
            return "one of " + String.join(", ", shown) + (values.size() > SHOWN ? ", ... (" + values.size() + " values)" : "") + grouped;
        }
    }

    /** Another attribute, or nothing: null and NaN have one more code, behind all others. */
    static final class OrMissing extends Attribute {
        private final Attribute inner;

        OrMissing(Attribute inner) {
            super(inner.name, Role.SENSITIVE);
            this.inner = inner;
        }

        @Override
        int size() {
            return inner.size() + 1;
        }

        @Override
        boolean rounds() {
            return inner.rounds();
        }

        @Override
        boolean mayBeMissing() {
            return true;
        }

        @Override
        Text searched() {
            return inner.searched();
        }

        @Override
        boolean isTotal() {
            return inner.isTotal();
        }

        @Override
        Position position(Object value) {
            boolean nothing = value == null || (value instanceof Double && ((Double) value).isNaN()) || (value instanceof Float && ((Float) value).isNaN());
            return nothing ? new Position(inner.size(), 0) : inner.position(value);
        }

        @Override
        public String describe() {
            return inner.describe() + ", or missing";
        }
    }

    /** Stored as it is, beside the report: it costs no epsilon and gets no protection. */
    static final class Public extends Attribute {
        Public(String name) {
            super(name, Role.PUBLIC);
        }

        @Override
        int size() {
            return 0;
        }

        @Override
        Position position(Object value) {
            throw new UnsupportedOperationException(Objects.toString(value));
        }

        @Override
        public String describe() {
            return "public, any value";
        }
    }
}
