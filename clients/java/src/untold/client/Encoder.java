package untold.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** One person's rows in, that person's messages out. Every step draws the same number of words whatever the values are. */
final class Encoder {
    private Encoder() {}

    /** A person's rows; where the plan refuses none, as it wants them. */
    static List<Map<String, Object>> fitted(Plan.Service service, List<Map<String, Object>> rows) {
        if (!service.total) return rows;
        List<Map<String, Object>> sound = new ArrayList<>();
        for (Map<String, Object> row : rows) sound.add(row == null ? Collections.emptyMap() : row);
        if (service.rowsMax > 0) return sound;
        return List.of(sound.isEmpty() ? Collections.emptyMap() : sound.get(0));
    }

    /** Where the values of a row lie; an `each` attribute comes first. Refuses what the plan does not allow. */
    static List<Attribute.Position> places(Plan.Service service, Map<String, Object> row) {
        List<Attribute.Position> found = new ArrayList<>();
        if (service.each != null) found.add(service.each.position(row.get(service.each.name)));
        for (Attribute each : service.sensitive) found.add(each.position(row.get(each.name)));
        return found;
    }

    /** Messages for each slot, numbered over the whole design. */
    static List<List<Oracle.Message>> encode(Plan.Service service, List<List<Attribute.Position>> rows, Randomness rng) {
        List<List<Oracle.Message>> slots = new ArrayList<>();
        if (service.rowsMax == 0) {
            if (rows.size() != 1) {
                throw new UntoldException.BadRecord("service '" + service.name + "' has exactly one row per person, not " + rows.size()
                    + ".\nHint: declare rows_per_user = { max = ... } in the plan.");
            }
            slots.add(messages(service, codes(service, rows.get(0), rng), 0, rows.get(0), rng));
            return slots;
        }
        int parts = service.each == null ? 1 : service.each.size();
        for (int part = 0; part < parts; part++) {
            List<List<Attribute.Position>> own = new ArrayList<>();
            for (List<Attribute.Position> row : rows) {
                if (service.each == null) own.add(row);
                else if (row.get(0).code == part) own.add(row.subList(1, row.size()));
            }
            if (own.size() > service.rowsMax && !service.total) {
                String of = service.each == null ? "" : " and " + service.each.name + " = " + Words.show(service.each.values.get(part));
                throw new UntoldException.BadRecord(own.size() + " rows for one person" + of + ", but service '" + service.name + "' allows at most "
                    + service.rowsMax + " (rows_per_user).");
            }
            for (int i = 0; i < service.rowsReport; i++) slots.add(sampled(service, own, rng));
        }
        return slots;
    }

    /** One of the rows, and the hidden weight: 1 with probability (number of rows) / max. Without rows a dummy, drawn with as many words. */
    private static List<Oracle.Message> sampled(Plan.Service service, List<List<Attribute.Position>> rows, Randomness rng) {
        int index = (int) rng.below(Math.max(rows.size(), 1));
        int weight = rng.below(service.rowsMax) < rows.size() ? 1 : 0;
        List<Attribute.Position> row = rows.isEmpty() ? Collections.nCopies(service.sensitive.size(), new Attribute.Position(0, 0)) : rows.get(index);
        return messages(service, codes(service, row, rng), weight, row, rng);
    }

    /** The coded values of a row, numbers rounded at random to a neighbouring code. */
    private static int[] codes(Plan.Service service, List<Attribute.Position> places, Randomness rng) {
        int[] codes = new int[places.size()];
        for (int i = 0; i < codes.length; i++) {
            Attribute.Position place = places.get(i);
            long weight = (long) Math.floor(place.fraction * 0x1p53) << 11;
            codes[i] = service.sensitive.get(i).rounds() ? place.code + rng.chance(weight) : place.code;
        }
        return codes;
    }

    private static List<Oracle.Message> messages(Plan.Service service, int[] codes, int weight, List<Attribute.Position> row, Randomness rng) {
        Design design = service.design;
        int[] columns = new int[design.trees.size()];
        System.arraycopy(codes, 0, columns, 0, design.attributes);
        for (int i = 0; i < design.derived.size(); i++) {
            Design.Derived each = design.derived.get(i);
            if (each.text != null) continue; // no draw; its cell is computed once a view is drawn
            int value = codes[each.attribute];
            int up = rng.below(Math.max(each.size - 1, 1)) < value ? 1 : 0;
            columns[design.attributes + i] = each.code(design.trees.get(design.attributes + i), value, up, weight);
        }
        if (design.hidden) columns[columns.length - 1] = weight;
        List<Design.View> views = design.cumulative == null ? design.views : List.of(design.views.get(rng.choose(design.cumulative)));
        List<Oracle.Message> sent = new ArrayList<>();
        for (Design.View view : views) {
            for (int i = 0; i < design.derived.size(); i++) {
                Design.Derived each = design.derived.get(i);
                if (each.text == null || view.levels[design.attributes + i] == 0) continue;
                columns[design.attributes + i] = each.text.of(row.get(each.attribute).text, service.sensitive.get(each.attribute).searched().letters);
            }
            Oracle.Message message = view.oracle.encode(design.cell(view, columns), rng);
            sent.add(new Oracle.Message(view.offset + message.index, message.extra));
        }
        return sent;
    }

    /** A name for a set of rows that does not show it: equal values have one name, in any order of rows. */
    static String digest(String mechanism, String service, List<List<Attribute.Position>> rows) {
        List<List<Attribute.Position>> sorted = new ArrayList<>(rows);
        sorted.sort((a, b) -> {
            for (int i = 0; i < a.size(); i++) {
                int order = Integer.compare(a.get(i).code, b.get(i).code);
                if (order == 0) order = Double.compare(a.get(i).fraction, b.get(i).fraction);
                if (order != 0) return order;
            }
            return 0;
        });
        List<String> written = new ArrayList<>();
        for (List<Attribute.Position> row : sorted) {
            List<String> cells = new ArrayList<>();
            for (Attribute.Position each : row) cells.add("[" + each.code + ", " + Words.repr(each.fraction) + "]");
            written.add("[" + String.join(", ", cells) + "]");
        }
        return Words.sha256("[\"" + mechanism + "\", \"" + service + "\", [" + String.join(", ", written) + "]]");
    }
}
