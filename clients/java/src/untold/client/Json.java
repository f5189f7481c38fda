package untold.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON without a library: objects are LinkedHashMaps, lists ArrayLists, numbers Doubles, and null is null. */
public final class Json {
    private static final int DEEPEST = 200;

    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    /** A whole text; IllegalArgumentException if it is not JSON. */
    public static Object parse(String text) {
        Json json = new Json(text);
        Object found = json.value(0);
        json.blanks();
        if (json.at < text.length()) throw json.wrong();
        return found;
    }

    /** Without blanks. Integers are written as such. */
    public static String write(Object value) {
        StringBuilder out = new StringBuilder();
        put(out, value);
        return out.toString();
    }

    private static void put(StringBuilder out, Object value) {
        if (value == null || value instanceof Boolean || value instanceof Integer || value instanceof Long || value instanceof BigInteger) out.append(value);
        else if (value instanceof Double) out.append(Words.plain((Double) value));
        else if (value instanceof Float) out.append(Words.plain(((Float) value).doubleValue()));
        else if (value instanceof BigDecimal) out.append(((BigDecimal) value).toPlainString());
        else if (value instanceof String) quote(out, (String) value);
        else if (value instanceof Collection) {
            String before = "[";
            for (Object each : (Collection<?>) value) {
                out.append(before);
                put(out, each);
                before = ",";
            }
            out.append(before.equals("[") ? "[]" : "]");
        } else if (value instanceof Map) {
            String before = "{";
            for (Map.Entry<?, ?> each : ((Map<?, ?>) value).entrySet()) {
                out.append(before);
                quote(out, (String) each.getKey());
                out.append(':');
                put(out, each.getValue());
                before = ",";
            }
            out.append(before.equals("{") ? "{}" : "}");
        } else throw new IllegalArgumentException("no JSON for " + value.getClass());
    }

    private static void quote(StringBuilder out, String value) {
        out.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') out.append('\\').append(c);
            else if (c < 32) out.append(String.format("\\u%04x", (int) c));
            else out.append(c);
        }
        out.append('"');
    }

    private Object value(int depth) {
        if (depth > DEEPEST) throw wrong();
        blanks();
        char c = at < text.length() ? text.charAt(at) : ' ';
        if (c == '{') return object(depth);
        if (c == '[') return list(depth);
        if (c == '"') return string();
        if (c == '-' || (c >= '0' && c <= '9')) return number();
        if (word("true")) return true;
        if (word("false")) return false;
        if (word("null")) return null;
        throw wrong();
    }

    private Map<String, Object> object(int depth) {
        Map<String, Object> found = new LinkedHashMap<>();
        at++;
        blanks();
        if (take('}')) return found;
        do {
            blanks();
            if (at >= text.length() || text.charAt(at) != '"') throw wrong();
            String name = string();
            blanks();
            if (!take(':')) throw wrong();
            found.put(name, value(depth + 1));
            blanks();
        } while (take(','));
        if (!take('}')) throw wrong();
        return found;
    }

    private List<Object> list(int depth) {
        List<Object> found = new ArrayList<>();
        at++;
        blanks();
        if (take(']')) return found;
        do {
            found.add(value(depth + 1));
            blanks();
        } while (take(','));
        if (!take(']')) throw wrong();
        return found;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        for (at++; at < text.length(); at++) {
            char c = text.charAt(at);
            if (c == '"') {
                at++;
                return out.toString();
            }
            if (c < 32) throw wrong();
            out.append(c == '\\' ? escaped() : c);
        }
        throw wrong();
    }

    private char escaped() {
        at++;
        char c = at < text.length() ? text.charAt(at) : ' ';
        if (c == 'u') {
            if (at + 4 >= text.length() || !text.substring(at + 1, at + 5).matches("[0-9a-fA-F]{4}")) throw wrong();
            at += 4;
            return (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
        }
        int known = "\"\\/bfnrt".indexOf(c);
        if (known < 0) throw wrong();
        return "\"\\/\b\f\n\r\t".charAt(known);
    }

    private Double number() {
        int start = at;
        take('-');
        if (!take('0')) digits();
        if (take('.')) digits();
        if (take('e') || take('E')) {
            if (!take('+')) take('-');
            digits();
        }
        return Double.parseDouble(text.substring(start, at));
    }

    private void digits() {
        int start = at;
        while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') at++;
        if (at == start) throw wrong();
    }

    private boolean word(String word) {
        if (!text.startsWith(word, at)) return false;
        at += word.length();
        return true;
    }

    private boolean take(char c) {
        if (at >= text.length() || text.charAt(at) != c) return false;
        at++;
        return true;
    }

    private void blanks() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("not JSON at character " + at);
    }
}
