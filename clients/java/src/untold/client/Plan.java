package untold.client;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;

/** A frozen plan, format 3 or 2, checked: one whose reports could cost more than it says does not get through. */
public final class Plan {
    private static final double MAX_EPSILON = 30, MAX_LIFETIME = 1e6, MAX_ROWS = 2147483647.0, MAX_PANEL = 10_000, MOST_PEOPLE = 1e9, MAX_VERSION = 1e6;
    private static final int MAX_SLOTS = 32767;
    private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,62}");
    private static final List<String> REPEATS = List.of("fresh", "once", "changes");
    static final int ONCE_EPOCH = 0; // where a report that belongs to no epoch is stored

    /** Each person takes part in `report` of every `epochs` epochs. */
    static final class Panel {
        final int epochs, report;

        Panel(Fields declared) {
            epochs = (int) declared.whole("epochs", 2, MAX_PANEL);
            report = (int) declared.whole("report", 1, epochs - 1);
        }
    }

    /** A relay mixes the bundles of at least `people` people, for each value of the columns `by`. */
    static final class Mix {
        final long people;
        final List<String> by = new ArrayList<>();
        final String key; // 64 hex, or null

        Mix(Fields declared) {
            if (declared.has("by")) {
                for (Object each : declared.list("by")) {
                    if (!(each instanceof String) || by.contains(each)) throw declared.fail("'by' must be different names");
                    by.add((String) each);
                }
            }
            key = declared.has("key") ? declared.text("key") : null;
            if (key != null && !key.matches("[0-9a-f]{64}")) throw declared.fail("'key' must be 64 digits of hex");
            if (key != null && Hpke.opensForAnybody(key)) throw declared.fail("'key' seals to nobody: anybody could open it");
            people = declared.whole("people", 2, MOST_PEOPLE);
            declared.number("delta", Double.MIN_VALUE, 1);
        }
    }

    /** One table of the organisation, as its users' devices report it. */
    public static final class Service {
        public final String name;
        public final List<Attribute> attributes = new ArrayList<>();
        final int number; // place in the plan
        final List<Attribute> sensitive = new ArrayList<>();
        final List<Attribute> open = new ArrayList<>(); // public columns
        final Attribute.Listed each; // the attribute whose every value is reported about, slot after slot; or null
        final long rowsMax; // 0: exactly one row per person
        final int rowsReport;
        final int slots; // reports of one person in one epoch, whatever the data
        final String repeat;
        final boolean total; // whether no rows are refused
        final String mechanism; // names what decides how its reports are drawn, in whatever version of the plan
        final BigInteger nano; // what all slots together may cost
        final Design design;

        private Service(String name, int number, Fields declared, Fields root) {
            this.name = name;
            this.number = number;
            Fields listed = declared.inner("attributes");
            Attribute.Listed found = null;
            for (String column : identifiers(listed)) {
                Attribute attribute = Attribute.read(column, listed.inner(column));
                attributes.add(attribute);
                if (attribute.role == Attribute.Role.SENSITIVE) sensitive.add(attribute);
                else if (attribute.role == Attribute.Role.PUBLIC) open.add(attribute);
                else if (found == null) found = (Attribute.Listed) attribute;
                else throw declared.fail("one attribute of kind each at most, and only with rows_per_user");
            }
            each = found;
            boolean many = declared.has("rows_per_user");
            rowsMax = many ? declared.inner("rows_per_user").whole("max", 1, MAX_ROWS) : 0;
            rowsReport = many ? (int) declared.inner("rows_per_user").whole("report", 1, rowsMax) : 1;
            if (many && !open.isEmpty()) throw declared.fail("public columns would tell whether a person has rows");
            if (!many && each != null) throw declared.fail("one attribute of kind each at most, and only with rows_per_user");
            long all = (long) rowsReport * (each == null ? 1 : each.size());
            if (all > MAX_SLOTS) throw declared.fail(all + " reports of one person are more than " + MAX_SLOTS);
            slots = (int) all;
            repeat = declared.has("repeat") ? declared.choice("repeat", REPEATS) : "fresh";
            design = new Design(root.inner("designs").inner(name));
            BigInteger slotNano = root.inner("budget").big(name);
            if (design.nano.compareTo(slotNano) > 0) throw declared.fail("a report would cost " + design.nano + " nano-epsilon, its budget is " + slotNano);
            nano = slotNano.multiply(BigInteger.valueOf(slots));
            total = sensitive.stream().allMatch(Attribute::isTotal) && (each == null || each.isTotal());
            if (!fits()) throw declared.fail("its design is made for other attributes than it declares");
            mechanism = mechanism(declared, root);
        }

        /** Whether the design has one tree for each attribute, of its size, and uses the hidden weight exactly where rows are sampled. */
        private boolean fits() {
            if (sensitive.isEmpty() || design.attributes != sensitive.size()) return false;
            for (int i = 0; i < sensitive.size(); i++) if (sensitive.get(i).size() != design.trees.get(i).size) return false;
            boolean weighted = design.hidden || design.derived.stream().anyMatch(each -> each.kind.equals("weighted-round"));
            if (weighted != rowsMax > 0) return false;
            if (design.hidden && design.trees.get(design.trees.size() - 1).padded() < 2) return false;
            for (int i = 0; i < design.derived.size(); i++) {
                Design.Derived each = design.derived.get(i);
                if (each.attribute >= design.attributes || each.size != design.trees.get(each.attribute).size) return false;
                if (each.text != null && (each.attribute >= sensitive.size() || sensitive.get(each.attribute).searched() == null)) return false;
                if (!each.fits(design.trees.get(design.attributes + i))) return false;
            }
            return true;
        }

        /** The plan's name, the columns that are perturbed, the rows, the cost and the design. */
        private String mechanism(Fields declared, Fields root) {
            Fields columns = declared.inner("attributes");
            List<Object> secret = new ArrayList<>();
            for (String each : columns.names()) {
                if (!columns.inner(each).text("kind").equals("public")) secret.add(Arrays.asList(each, columns.value(each)));
            }
            Fields frozen = root.inner("designs").inner(name);
            List<Object> drawn = new ArrayList<>();
            for (String each : frozen.names()) if (!each.equals("notes")) drawn.add(Arrays.asList(each, frozen.value(each)));
            Object rows = declared.has("rows_per_user") ? declared.value("rows_per_user") : null;
            return Words.sha256(Json.write(Arrays.asList(root.inner("declared").text("name"), name, secret, rows, root.inner("budget").text(name), drawn)));
        }
    }

    public final String id; // SHA-256 of the frozen text
    public final String text;
    public final String name;
    public final double epsilon;
    final int version; // of the plans of this name
    public final List<Service> services = new ArrayList<>();
    final BigInteger nano;
    final BigInteger lifetimeNano; // over all epochs
    final Panel panel; // null: everybody takes part in every epoch
    final Mix mix; // null: devices report to the collector itself

    private Plan(String text) {
        Fields root = Fields.of(parsed(text), "plan");
        Object version = root.value("format");
        if (!Double.valueOf(2).equals(version) && !Double.valueOf(3).equals(version)) {
            throw new UntoldException.PlanError("frozen in format " + Words.show(version) + ", this version of untold-client reads formats 2 and 3; update it.");
        }
        Fields declared = root.inner("declared");
        this.text = text;
        id = Words.sha256(text);
        epsilon = declared.number("epsilon", 1e-9, MAX_EPSILON);
        nano = Exact.toNano(epsilon);
        lifetimeNano = declared.has("lifetime") ? Exact.toNano(declared.number("lifetime", epsilon, MAX_LIFETIME)) : nano;
        this.version = declared.has("version") ? (int) declared.whole("version", 1, MAX_VERSION) : 1;
        panel = declared.has("panel") ? new Panel(declared.inner("panel")) : null;
        mix = declared.has("mix") ? new Mix(declared.inner("mix")) : null;
        Fields all = declared.inner("services");
        for (String each : identifiers(all)) services.add(new Service(each, services.size(), all.inner(each), root));
        if (services.isEmpty()) throw all.fail("no services");
        BigInteger sum = BigInteger.ZERO;
        for (Service each : services) sum = sum.add(each.nano);
        if (sum.compareTo(nano) > 0) throw root.fail("its services cost " + sum + " nano-epsilon together, it declares " + nano);
        if (mix != null) checkMix(declared);
        name = declared.text("name");
        declared.text("user_key");
    }

    /** Read the frozen form, as the collector publishes it. */
    public static Plan fromJson(String text) {
        return new Plan(text);
    }

    /** The service of this name. */
    public Service service(String name) {
        List<String> names = new ArrayList<>();
        for (Service each : services) {
            if (each.name.equals(name)) return each;
            names.add(each.name);
        }
        throw new UntoldException.BadRecord("plan '" + this.name + "' has no service '" + name + "'. It has: " + String.join(", ", names) + ".");
    }

    boolean has(String service) {
        return services.stream().anyMatch(each -> each.name.equals(service));
    }

    /** What of a lifetime belongs to a service that repeats `changes`: the same share of it as of an epoch. */
    BigInteger asideNano(Service service, BigInteger lifetime) {
        BigInteger left = lifetime.subtract(cost(true));
        return left.signum() > 0 ? left.multiply(service.nano).divide(cost(false)) : BigInteger.ZERO;
    }

    private BigInteger cost(boolean once) {
        BigInteger sum = BigInteger.ZERO;
        for (Service each : services) if (each.repeat.equals("once") == once) sum = sum.add(each.nano);
        return sum;
    }

    private static Object parsed(String text) {
        try {
            return Json.parse(text);
        } catch (IllegalArgumentException error) {
            throw new UntoldException.PlanError("not a frozen plan: " + error.getMessage() + "; make one with `untold plan show --json`.");
        }
    }

    /** The names in an object: such as can be written in SQL without quotes. */
    private static List<String> identifiers(Fields fields) {
        for (String each : fields.names()) if (!IDENTIFIER.matcher(each).matches()) throw fields.fail(Json.write(each) + " is not a plain SQL name");
        return fields.names();
    }

    /** What would tell the bundles of one person, or of few, from the rest. */
    private void checkMix(Fields declared) {
        List<String> names = new ArrayList<>();
        for (Service each : services) {
            if (!each.repeat.equals("fresh")) throw declared.fail("mixed reports that are not drawn anew link epochs");
            for (Attribute column : each.open) names.add(column.name);
        }
        boolean once = new HashSet<>(names).size() == names.size() || mix.by.stream().allMatch(by -> names.stream().filter(by::equals).count() == 1);
        if (!mix.by.containsAll(names) || !names.containsAll(mix.by) || !once) {
            throw declared.fail("public columns tell mixed reports apart, unless `mix.by` names them, each of one service");
        }
    }
}
