package untold.client;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Any text, in one form: one of `values`, or what the rest is called. Where texts are looked for, its bytes go with the code. */
final class Text extends Attribute {
    private static final int SHOWN = 8; // values that fit into a sentence
    private static final int UNKNOWN = 0xfffd;
    private static final int[] ASSIGNED = stretches();
    private static final Map<Integer, String> FOLDINGS = foldings();

    final List<String> values;
    final String letters; // null: no texts are looked for
    private final String other;
    private final int bytes;
    private final boolean fold;
    private final Map<String, Integer> codes = new HashMap<>();

    private Text(String name, List<String> values, String other, int bytes, boolean fold, String letters) {
        super(name, Role.SENSITIVE);
        this.values = values;
        this.other = other;
        this.bytes = bytes;
        this.fold = fold;
        this.letters = letters;
        for (String each : values) codes.put(each, codes.size());
    }

    static Text read(String name, Fields declared) {
        int bytes = (int) declared.whole("bytes", 4, 64);
        boolean fold = declared.flag("fold");
        String other = declared.text("other");
        List<String> values = new ArrayList<>();
        for (Object each : declared.has("values") ? declared.list("values") : List.of()) {
            boolean sound = each instanceof String && !each.equals("") && !each.equals(other) && normal(each, bytes, fold).equals(each);
            if (!sound || values.size() >= MAX_DOMAIN - 1) throw declared.fail("'values' must be different texts, each in its one form");
            values.add((String) each);
        }
        Object share = declared.has("discover") ? declared.value("discover") : Boolean.FALSE;
        boolean looks = share.equals(Boolean.TRUE) || (share instanceof Double && (Double) share > 0 && (Double) share < 1);
        if (!looks && !share.equals(Boolean.FALSE)) throw declared.fail("'discover' must be true or a share of the people");
        Text made = new Text(name, values, other, bytes, fold, looks ? declared.choice("letters", List.of("words", "codes")) : null);
        if (made.codes.size() < values.size()) throw declared.fail("'values' must be different texts, each in its one form");
        return made;
    }

    @Override
    int size() {
        return values.size() + 1;
    }

    @Override
    boolean isTotal() {
        return true;
    }

    @Override
    Text searched() {
        return letters == null ? null : this;
    }

    @Override
    Position position(Object value) {
        String form = normal(value, bytes, fold);
        int code = codes.getOrDefault(form, values.size());
        return letters == null ? new Position(code, 0) : new Position(code, 0, form.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String describe() {
        if (values.isEmpty()) return "any text";
        List<String> shown = new ArrayList<>();
        for (String each : values.subList(0, Math.min(SHOWN, values.size()))) shown.add(Words.show(each));
        if (values.size() <= SHOWN) shown.add(Words.show(other));
        return "any text; kept apart are " + String.join(", ", shown) + (values.size() > SHOWN ? ", ... (" + size() + " values)" : "");
    }

    /** The text that counts for a value: at most `size` bytes. What is no text is the empty one. */
    static String normal(Object value, int size, boolean fold) {
        if (!(value instanceof String)) return "";
        StringBuilder known = new StringBuilder();
        ((String) value).codePoints().forEach(code -> known.appendCodePoint(isKnown(code) ? code : UNKNOWN));
        String text = Normalizer.normalize(known, Normalizer.Form.NFC);
        if (fold) {
            StringBuilder folded = new StringBuilder();
            text.codePoints().forEach(code -> folded.append(FOLDINGS.getOrDefault(code, Character.toString(code))));
            text = Normalizer.normalize(folded, Normalizer.Form.NFC);
        }
        StringBuilder plain = new StringBuilder();
        for (int code : text.codePoints().toArray()) {
            if (!isBlank(code)) plain.appendCodePoint(code);
            else if (plain.length() > 0 && plain.charAt(plain.length() - 1) != ' ') plain.append(' ');
        }
        StringBuilder cut = new StringBuilder();
        int used = 0;
        for (int code : plain.codePoints().toArray()) {
            used += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
            if (used > size) break;
            cut.appendCodePoint(code);
        }
        int end = cut.length();
        return end > 0 && cut.charAt(end - 1) == ' ' ? cut.substring(0, end - 1) : cut.toString();
    }

    /** Spaces of all kinds, and characters that only steer. */
    private static boolean isBlank(int code) {
        return code <= 0x20 || (code >= 0x7f && code <= 0xa0) || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029
            || code == 0x202f || code == 0x205f || code == 0x3000;
    }

    private static boolean isKnown(int code) {
        int place = Arrays.binarySearch(ASSIGNED, code);
        return (place >= 0 ? place + 1 : -place - 1) % 2 == 1;
    }

    private static int[] stretches() {
        String[] words = TextTables.ASSIGNED.split(" ");
        int[] found = new int[words.length];
        int at = 0;
        for (int i = 0; i < words.length; i++) found[i] = at += Integer.parseInt(words[i], 36);
        return found;
    }

    private static Map<Integer, String> foldings() {
        Map<Integer, String> found = new HashMap<>();
        int at = 0;
        for (String run : TextTables.FOLD.split(" ")) {
            String[] parts = run.split(",");
            at += Integer.parseInt(parts[0], 36);
            int many = Integer.parseInt(parts[1], 36);
            int step = Integer.parseInt(parts[2], 36);
            int added = Integer.parseInt(parts[3], 36);
            for (int i = 0; i < many; i++) found.put(at + i * step, Character.toString(at + i * step + added));
        }
        for (String entry : TextTables.FOLD_MANY.split(" ")) {
            String[] parts = entry.split("\\.");
            StringBuilder several = new StringBuilder();
            for (int i = 1; i < parts.length; i++) several.appendCodePoint(Integer.parseInt(parts[i], 36));
            found.put(Integer.parseInt(parts[0], 36), several.toString());
        }
        return found;
    }
}
