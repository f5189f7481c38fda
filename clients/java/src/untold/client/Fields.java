package untold.client;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Reading a frozen plan, of which nothing is believed before it was looked at: every getter returns a sound value or refuses. */
final class Fields {
    static final double SAFE = 9007199254740991.0; // up to here a double is one integer and no other

    private final Map<String, Object> data;
    private final String path;

    private Fields(Map<String, Object> data, String path) {
        this.data = data;
        this.path = path;
    }

    @SuppressWarnings("unchecked")
    static Fields of(Object value, String path) {
        if (!(value instanceof Map)) throw new UntoldException.PlanError(path + ": an object is needed.");
        return new Fields((Map<String, Object>) value, path);
    }

    /** Refuse, naming this place. */
    UntoldException fail(String reason) {
        return new UntoldException.PlanError(path + ": " + reason + ".");
    }

    boolean has(String name) {
        return data.containsKey(name);
    }

    List<String> names() {
        return new ArrayList<>(data.keySet());
    }

    Object value(String name) {
        if (!has(name)) throw fail("'" + name + "' is missing");
        return data.get(name);
    }

    Fields inner(String name) {
        return of(value(name), path + "." + name);
    }

    @SuppressWarnings("unchecked")
    List<Object> list(String name) {
        if (!(value(name) instanceof List)) throw fail("'" + name + "' must be a list");
        return (List<Object>) value(name);
    }

    List<Fields> objects(String name) {
        List<Fields> found = new ArrayList<>();
        for (Object each : list(name)) found.add(of(each, path + "." + name + "[" + found.size() + "]"));
        return found;
    }

    String text(String name) {
        if (!(value(name) instanceof String)) throw fail("'" + name + "' must be a string");
        return (String) value(name);
    }

    String choice(String name, List<String> allowed) {
        if (!allowed.contains(text(name))) throw fail("'" + name + "' must be one of " + String.join(", ", allowed));
        return text(name);
    }

    boolean flag(String name) {
        if (!(value(name) instanceof Boolean)) throw fail("'" + name + "' must be true or false");
        return (Boolean) value(name);
    }

    double number(String name, double low, double high) {
        Object value = value(name);
        if (!(value instanceof Double) || !((Double) value >= low && (Double) value <= high)) {
            throw fail("'" + name + "' must be a number in " + Words.plain(low) + ".." + Words.plain(high));
        }
        return (Double) value;
    }

    long whole(String name, double low, double high) {
        double value = number(name, low, high);
        if (!isWhole(value)) throw fail("'" + name + "' must be an integer");
        return (long) value;
    }

    long[] wholes(String name, double low, double high) {
        List<Object> values = list(name);
        long[] found = new long[values.size()];
        for (int i = 0; i < found.length; i++) {
            Object each = values.get(i);
            if (!(each instanceof Double) || !isWhole((Double) each) || (Double) each < low || (Double) each > high) {
                throw fail("'" + name + "' must be integers in " + Words.plain(low) + ".." + Words.plain(high));
            }
            found[i] = ((Double) each).longValue();
        }
        return found;
    }

    /** An integer that may be beyond 2^53, written as a string. */
    BigInteger big(String name) {
        Object value = value(name);
        if (!(value instanceof String) || !((String) value).matches("0|[1-9][0-9]{0,39}")) throw fail("'" + name + "' must be an integer in quotes");
        return new BigInteger((String) value);
    }

    static boolean isWhole(double value) {
        return value == Math.rint(value) && Math.abs(value) <= SAFE;
    }
}
