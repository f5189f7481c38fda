package untold.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What the plans that a device trusted kept to themselves. A later plan, signed by the same key, may not take it back. */
final class Promised {
    private static final double ANY = -1; // number of digits

    final List<String> open; // columns that leave as they are: "users.os"
    final List<String> changes; // services whose reports show when a value changes
    final Map<String, Object> domains; // service -> {rows, columns}

    private Promised(List<String> open, List<String> changes, Map<String, Object> domains) {
        this.open = open;
        this.changes = changes;
        this.domains = domains;
    }

    /** What a plan says. */
    static Promised by(Plan plan) {
        Fields declared = Fields.of(Json.parse(plan.text), "plan").inner("declared").inner("services");
        List<String> open = new ArrayList<>();
        List<String> changes = new ArrayList<>();
        Map<String, Object> domains = new LinkedHashMap<>();
        for (Plan.Service service : plan.services) {
            for (Attribute each : service.open) open.add(service.name + "." + each.name);
            if (service.repeat.equals("changes")) changes.add(service.name);
            Map<String, Object> columns = new LinkedHashMap<>();
            for (Attribute each : service.attributes) {
                if (each.role != Attribute.Role.PUBLIC) columns.put(each.name, declared.inner(service.name).inner("attributes").value(each.name));
            }
            domains.put(service.name, domain(service.total ? "any" : service.rowsMax > 0 ? (Object) (double) service.rowsMax : null, columns));
        }
        return new Promised(open, changes, domains);
    }

    private static Map<String, Object> domain(Object rows, Map<String, Object> columns) {
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("rows", rows);
        found.put("columns", columns);
        return found;
    }

    static Promised read(String kept) {
        Fields fields = Fields.of(Json.parse(kept), "promised");
        return new Promised(texts(fields.list("public")), texts(fields.list("changes")), map(fields.value("domains")));
    }

    String text() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("public", open);
        all.put("changes", changes);
        all.put("domains", domains);
        return Json.write(all);
    }

    /** What the app says instead, where it does. */
    Promised widened(List<String> open, List<String> changes) {
        return new Promised(open == null ? this.open : open, changes == null ? this.changes : changes, domains);
    }

    /** With the rows that a plan allows beside those that were. */
    Promised grown(Plan plan) {
        Map<String, Object> all = new LinkedHashMap<>(domains);
        by(plan).domains.forEach((name, now) -> {
            Map<String, Object> columns = new LinkedHashMap<>(domains.containsKey(name) ? map(map(domains.get(name)).get("columns")) : Map.of());
            columns.putAll(map(map(now).get("columns")));
            all.put(name, domain(map(now).get("rows"), columns));
        });
        return new Promised(open, changes, all);
    }

    /** Refuse a plan with another exception. */
    void check(Plan plan) {
        Promised now = by(plan);
        List<String> bare = new ArrayList<>(now.open);
        bare.removeAll(open);
        if (!bare.isEmpty()) {
            throw new UntoldException.UntrustedPlan("plan '" + plan.name + "' would send " + String.join(", ", bare) + " as it is; this device was not asked to before. "
                + "Nothing was reported.\nHint: if that is meant, the app says so: allowPublic(...), all columns that may leave as they are.");
        }
        List<String> shown = new ArrayList<>(now.changes);
        shown.removeAll(changes);
        if (!shown.isEmpty()) {
            throw new UntoldException.UntrustedPlan("plan '" + plan.name + "' would show when a value of " + String.join(", ", shown) + " changes; this device was not asked "
                + "to before. Nothing was reported.\nHint: if that is meant, the app says so: allowChanges(...), all services that may.");
        }
        List<String> silent = leftOut(now);
        if (!silent.isEmpty()) {
            throw new UntoldException.UntrustedPlan("plan '" + plan.name + "' leaves out rows of " + String.join(", ", silent) + " that were allowed before: whoever has one "
                + "would fall silent, and that would tell it. Nothing was reported.\nHint: with other or clip a column takes every value. If it is meant, the app says so: "
                + "planId(...), the one plan to follow.");
        }
        List<String> added = addedInPart(now);
        if (!added.isEmpty()) {
            throw new UntoldException.UntrustedPlan("plan '" + plan.name + "' adds " + String.join(", ", added) + " and does not take every value there: whoever has another "
                + "would fall silent, and that would tell it. Nothing was reported.\nHint: a column that comes later needs other or clip. If it is meant, the app says so: "
                + "planId(...), the one plan to follow.");
        }
    }

    /** Columns that no plan had before and that do not take every value: what people have there was never looked at. */
    private List<String> addedInPart(Promised now) {
        List<String> found = new ArrayList<>();
        now.domains.forEach((service, made) -> map(map(made).get("columns")).forEach((name, each) -> {
            boolean known = domains.containsKey(service) && map(map(domains.get(service)).get("columns")).containsKey(name);
            if (!known && !isTotal(map(each))) found.add(service + "." + name);
        }));
        return found;
    }

    /** Where rows that were allowed are not any more: services and columns that both have. A public column takes any value. */
    private List<String> leftOut(Promised now) {
        List<String> found = new ArrayList<>();
        domains.forEach((service, before) -> {
            if (!now.domains.containsKey(service)) return;
            Map<String, Object> old = map(before);
            Map<String, Object> made = map(now.domains.get(service));
            if (fewerRows(old.get("rows"), made.get("rows"))) found.add(service);
            Map<String, Object> columns = map(made.get("columns"));
            map(old.get("columns")).forEach((name, each) -> {
                if (columns.containsKey(name) && isNarrower(map(each), map(columns.get(name)))) found.add(service + "." + name);
            });
        });
        return found;
    }

    private static boolean isTotal(Map<String, Object> declared) {
        return Boolean.TRUE.equals(declared.get("clip")) || declared.containsKey("other");
    }

    private static boolean fewerRows(Object old, Object made) {
        if ("any".equals(made) || old == null) return false;
        return "any".equals(old) || (made == null ? 0 : (Double) made) < (Double) old;
    }

    private static Object digits(Map<String, Object> declared) {
        if (declared.get("digits") != null) return declared.get("digits");
        return declared.containsKey("bins") || declared.containsKey("cuts") ? ANY : 0.0;
    }

    /** Whether a declared domain has lost values. Integers fit where any number does; numbers do not fit elsewhere. */
    private static boolean isNarrower(Map<String, Object> old, Map<String, Object> made) {
        if (isTotal(made) || isTotal(old)) return !isTotal(made);
        for (String key : Arrays.asList("kind", "step")) if (!Objects.equals(old.get(key), made.get(key))) return true;
        if (old.containsKey("low") != made.containsKey("low")) return true;
        if (!digits(old).equals(digits(made)) && !(digits(old).equals(0.0) && digits(made).equals(ANY))) return true;
        if (Boolean.TRUE.equals(old.get("missing")) && !Boolean.TRUE.equals(made.get("missing"))) return true;
        if (old.containsKey("low")) return less(old.get("low"), made.get("low")) || less(made.get("high"), old.get("high"));
        return !((List<?>) made.get("values")).containsAll((List<?>) old.get("values"));
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static boolean less(Object a, Object b) {
        return ((Comparable) a).compareTo(b) < 0;
    }

    private static List<String> texts(List<Object> values) {
        List<String> found = new ArrayList<>();
        for (Object each : values) found.add((String) each);
        return found;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> map(Object value) {
        return (Map<String, Object>) value;
    }
}
